/* cpudispatch.h - compile a loop for newer CPUs as well
 *
 * Two ways.  CPU_DISPATCH before the definition of a function makes the
 * compiler build it for AVX2 too; the loader picks the version that the CPU
 * can run.  No sum is reordered and nothing is fused, so that both give the
 * same numbers.
 *
 * Loops written with vectors of the width of a register are instead compiled
 * once for each CpuSet, with its CPU_TARGET, and picked by cpu_set().  Beside
 * the portable one, sets have fused operations, which multiplyadd.h uses.
 */
#pragma once

typedef enum { CPU_PORTABLE, CPU_AVX2, CPU_AVX512 } CpuSet;

#define CPU_SETS 3
#define CPU_NO_SET (-1)

/* Attributes of functions that use a set. */
#define CPU_TARGET_PORTABLE
#define CPU_TARGET_AVX2 __attribute__ ((target ("avx2,fma")))
#define CPU_TARGET_AVX512 __attribute__ ((target ("avx512f,avx512dq,fma")))

/* The @i-th set that this CPU supports, the best first: a CpuSet, or
 * CPU_NO_SET when there are no more. */
int cpu_set (int i);

/* clang knows the attribute, but does not link such functions; and the loader
 * picks before ThreadSanitizer is ready. */
#if defined __x86_64__ && defined __ELF__ && !defined __clang__               \
  && !defined __SANITIZE_THREAD__
#define CPU_DISPATCH __attribute__ ((target_clones ("avx2", "default")))
#else
#define CPU_DISPATCH
#endif
