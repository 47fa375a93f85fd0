/* multiplyadd.h - the one step of every product: a b + c
 *
 * Where the processor has a fused operation, a b + c is rounded once; where it
 * has none, a b is rounded first, then the sum.  The first takes half the
 * time.  The choice is made here and not left to the compiler, so that all
 * sets of instructions with a fused operation give the same bits, and all
 * without one, too.
 *
 * To compute the fused bits without such an operation, in double precision and
 * with the half-way cases rounded to odd, makes products nine times slower and
 * inpaint five to nine times: too much for the last digits.
 *
 * SET_multiply_add works on vectors of the set's width; see cpudispatch.h.
 */
#pragma once

#include "base/cpudispatch.h"

#include <glib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef float PortableFloats __attribute__ ((vector_size (16), may_alias));

/* Whether a set, one of CpuSet, rounds once. */
static inline gboolean
cpu_set_fuses (int set)
{
#ifdef __FP_FAST_FMAF
  return set != CPU_NO_SET;
#else
  return set == CPU_AVX2 || set == CPU_AVX512;
#endif
}

static inline __attribute__ ((always_inline)) PortableFloats
portable_multiply_add (PortableFloats a, PortableFloats b, PortableFloats c)
{
#ifdef __FP_FAST_FMAF
  for (int i = 0; i < 4; i++)
    c[i] = __builtin_fmaf (a[i], b[i], c[i]);
  return c;
#else
  return a * b + c;
#endif
}

#if defined(__x86_64__)
CPU_TARGET_AVX2 static inline __attribute__ ((always_inline)) __m256
avx2_multiply_add (__m256 a, __m256 b, __m256 c)
{
  return _mm256_fmadd_ps (a, b, c);
}

CPU_TARGET_AVX512 static inline __attribute__ ((always_inline)) __m512
avx512_multiply_add (__m512 a, __m512 b, __m512 c)
{
  return _mm512_fmadd_ps (a, b, c);
}
#endif
