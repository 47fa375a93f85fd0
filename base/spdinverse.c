/* spdinverse.c - Gauss-Jordan elimination without pivoting
 *
 * Exchanging the k-th variable with the k-th result, for all k in turn, turns
 * y = A x into x = A^-1 y.  One exchange, with p = a_kk:
 *     a_ij -= a_ik a_kj / p,    a_kj /= -p,    a_ik /= p,    a_kk = 1 / p.
 * All pivots, which are those of Gaussian elimination, are positive if and
 * only if the matrix is positive definite; then no element grows.  2 n^3
 * operations, all of them on whole columns, which stay where they are.
 *
 * spdinverse.inc has the loops, and is included once for each set of
 * instructions; see orderedgemm.c for SET, TARGET and WIDTH.
 */
#include "base/spdinverse.h"

#include "base/multiplyadd.h"

#include <math.h>

#define KERNEL(name) G_PASTE (SET, _##name)

/* The factor for a pivot, or 0 when it is not positive. */
static inline float
inverse_pivot (float pivot)
{
  float inverse = 1 / pivot;

  return pivot > 0 && pivot < INFINITY && inverse < INFINITY ? inverse : 0;
}

/* ---- any processor ---- */

#define SET portable
#define TARGET CPU_TARGET_PORTABLE
#define WIDTH 4
#ifdef __FP_FAST_FMAF
#define FUSED
#endif
#include "base/spdinverse.inc"
#undef SET
#undef TARGET
#undef WIDTH

#if defined(__x86_64__)
#ifndef FUSED
#define FUSED
#endif

/* ---- AVX2 ---- */

#define SET avx2
#define TARGET CPU_TARGET_AVX2
#define WIDTH 8
#include "base/spdinverse.inc"
#undef SET
#undef TARGET
#undef WIDTH

/* ---- AVX-512 ---- */

#define SET avx512
#define TARGET CPU_TARGET_AVX512
#define WIDTH 16
#include "base/spdinverse.inc"
#undef SET
#undef TARGET
#undef WIDTH
#endif

static gboolean (*const invert[CPU_SETS]) (MatF *A) = {
  [CPU_PORTABLE] = portable_invert,
#if defined(__x86_64__)
  [CPU_AVX2] = avx2_invert,
  [CPU_AVX512] = avx512_invert,
#endif
};

gboolean
spd_invert_with (int number, MatF *A, gboolean *found)
{
  int set = cpu_set (number);

  g_return_val_if_fail (A->rows == A->cols, FALSE);

  if (set == CPU_NO_SET)
    return FALSE;
  *found = invert[set](A);
  return TRUE;
}

gboolean
spd_invert (MatF *A)
{
  gboolean found = FALSE;

  spd_invert_with (0, A, &found);
  return found;
}
