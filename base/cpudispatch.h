/* cpudispatch.h - compile a loop for newer CPUs as well
 *
 * CPU_DISPATCH before the definition of a function makes the compiler build
 * it for AVX2 too; the loader picks the version that the CPU can run.  No sum
 * is reordered and nothing is fused, so that both give the same numbers.
 */
#pragma once

/* clang knows the attribute, but does not link such functions; and the loader
 * picks before ThreadSanitizer is ready. */
#if defined __x86_64__ && defined __ELF__ && !defined __clang__              \
  && !defined __SANITIZE_THREAD__
#define CPU_DISPATCH __attribute__ ((target_clones ("avx2", "default")))
#else
#define CPU_DISPATCH
#endif
