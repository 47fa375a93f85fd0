/* normalequations.c - tiles in registers, compiled for several instruction sets
 *
 *     A   R'R + ridge I; its lower triangle by columns, overwritten by L
 *     L   A = L L'
 *
 * A tile of A is PANEL columns of one vector, all of whose sums are in
 * registers.  Columns of L are made in panels as well, so that the columns
 * behind are read and written once for all of a panel.
 *
 * normalequations.inc has the loops.  Here it is included once for each set of
 * instructions, as in base/orderedgemm.c.  Lanes of vectors are different
 * entries but in dot(), which keeps SUMS sums whatever the width of vectors, and
 * adds these up in halves.
 */
#include "imaging/inpaint/normalequations.h"

#include "base/multiplyadd.h"

#include <math.h>

#define PANEL 8
#define SUMS NORMAL_PADDING

#define KERNEL(name) G_PASTE (SET, _##name)
#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

/* ---- any processor ---- */

#define SET portable
#define TARGET CPU_TARGET_PORTABLE
#define WIDTH 4
#include "imaging/inpaint/normalequations.inc"
#undef SET
#undef TARGET
#undef WIDTH

#if defined(__x86_64__)

/* ---- AVX2 ---- */

#define SET avx2
#define TARGET CPU_TARGET_AVX2
#define WIDTH 8
#include "imaging/inpaint/normalequations.inc"
#undef SET
#undef TARGET
#undef WIDTH

/* ---- AVX-512 ---- */

#define SET avx512
#define TARGET CPU_TARGET_AVX512
#define WIDTH 16
#include "imaging/inpaint/normalequations.inc"
#undef SET
#undef TARGET
#undef WIDTH
#endif

static void (*const solve[CPU_SETS]) (const NormalEquations *equations,
                                      float *factor, float *b) = {
  [CPU_PORTABLE] = portable_solve,
#if defined(__x86_64__)
  [CPU_AVX2] = avx2_solve,
  [CPU_AVX512] = avx512_solve,
#endif
};

gboolean
normal_solve_with (int number, const NormalEquations *equations, float *factor,
                   float *b)
{
  int set = cpu_set (number);

  g_return_val_if_fail (equations->unknowns % NORMAL_PADDING == 0, FALSE);

  if (set == CPU_NO_SET)
    return FALSE;
  solve[set](equations, factor, b);
  return TRUE;
}

void
normal_solve (const NormalEquations *equations, float *factor, float *b)
{
  normal_solve_with (0, equations, factor, b);
}
