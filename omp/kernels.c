/* kernels.c - one source, compiled for several instruction sets
 *
 * kernels.inc has the loops, written with vectors of WIDTH floats, a type in
 * gcc and clang.  Here it is included once for each set, after what differs
 * between them:
 *
 *     SET       its name; those of its functions and types start with it
 *     TARGET    the attribute that lets the compiler use the set
 *     WIDTH     floats in a register; Floats and Ints are such vectors
 *     sum, largest, smallest   over the lanes of a vector
 *     multiply_add             in base/multiplyadd.h
 *
 * The sums have one order in all of them (see kernels.h): lanes are added up
 * in halves, sixteen to eight to four, wherever a vector ends.
 */
#include "omp/kernels.h"

#include "base/multiplyadd.h"

/* Several sums are accumulated at a time, in registers: each addition has to
 * wait for the previous one to the same sum. */
#define BLOCK 12 /* vectors of the result in subtract, at most */
#define SUMS 8   /* vectors of sums in project, whose columns share v */
#define CHAINS 4 /* candidates per lane in choose */

#define KERNEL(name) G_PASTE (SET, _##name)
#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

/* ---- any CPU ---- */

#define SET portable
#define TARGET CPU_TARGET_PORTABLE
#define WIDTH 4

typedef float portable_Floats __attribute__ ((vector_size (16), may_alias));
typedef int portable_Ints __attribute__ ((vector_size (16), may_alias));

ALWAYS_INLINE float
portable_sum (portable_Floats v)
{
  return (v[0] + v[2]) + (v[1] + v[3]);
}

ALWAYS_INLINE float
portable_largest (portable_Floats v)
{
  float even = MAX (v[0], v[2]), odd = MAX (v[1], v[3]);

  return MAX (even, odd);
}

ALWAYS_INLINE int
portable_smallest (portable_Ints v)
{
  int even = MIN (v[0], v[2]), odd = MIN (v[1], v[3]);

  return MIN (even, odd);
}

#include "omp/kernels.inc"
#undef SET
#undef TARGET
#undef WIDTH

#if defined(__x86_64__)

/* ---- AVX2 ---- */

#define SET avx2
#define TARGET CPU_TARGET_AVX2
#define WIDTH 8

typedef float avx2_Floats __attribute__ ((vector_size (32), may_alias));
typedef int avx2_Ints __attribute__ ((vector_size (32), may_alias));

TARGET ALWAYS_INLINE float
avx2_sum (avx2_Floats v)
{
  return portable_sum (_mm256_castps256_ps128 (v)
                       + _mm256_extractf128_ps (v, 1));
}

TARGET ALWAYS_INLINE float
avx2_largest (avx2_Floats v)
{
  return portable_largest (
    _mm_max_ps (_mm256_castps256_ps128 (v), _mm256_extractf128_ps (v, 1)));
}

TARGET ALWAYS_INLINE int
avx2_smallest (avx2_Ints v)
{
  __m256i lanes = (__m256i) v;

  return portable_smallest ((portable_Ints) _mm_min_epi32 (
    _mm256_castsi256_si128 (lanes), _mm256_extracti128_si256 (lanes, 1)));
}

#include "omp/kernels.inc"
#undef SET
#undef TARGET
#undef WIDTH

/* ---- AVX-512 ---- */

#define SET avx512
#define TARGET CPU_TARGET_AVX512
#define WIDTH 16

typedef float avx512_Floats __attribute__ ((vector_size (64), may_alias));
typedef int avx512_Ints __attribute__ ((vector_size (64), may_alias));

TARGET ALWAYS_INLINE float
avx512_sum (avx512_Floats v)
{
  return avx2_sum (_mm512_castps512_ps256 (v) + _mm512_extractf32x8_ps (v, 1));
}

TARGET ALWAYS_INLINE float
avx512_largest (avx512_Floats v)
{
  return _mm512_reduce_max_ps (v);
}

TARGET ALWAYS_INLINE int
avx512_smallest (avx512_Ints v)
{
  return _mm512_reduce_min_epi32 ((__m512i) v);
}

#include "omp/kernels.inc"
#undef SET
#undef TARGET
#undef WIDTH
#endif

static const Kernels *const kernels[CPU_SETS] = {
  [CPU_PORTABLE] = &portable_kernels,
#if defined(__x86_64__)
  [CPU_AVX2] = &avx2_kernels,
  [CPU_AVX512] = &avx512_kernels,
#endif
};

const Kernels *
kernels_get (int i)
{
  int set = cpu_set (i);

  return set != CPU_NO_SET ? kernels[set] : NULL;
}
