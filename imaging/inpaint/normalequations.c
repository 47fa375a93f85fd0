/* normalequations.c - tiles in registers, compiled for several sets of
 * instructions
 *
 *     A   R'R + ridge I; its lower triangle by columns, overwritten by L
 *     L   A = L L'
 *
 * A tile of A is PANEL columns of one vector, all of whose sums are in
 * registers.  Columns of L are made in panels as well, so that the columns
 * behind are read and written once for all of a panel.
 *
 * normalequations.inc has the loops, which base/cpusets.inc compiles for each
 * set of instructions.  Lanes of vectors are different
 * entries but in dot(), which keeps SUMS sums whatever the width of vectors, and
 * adds these up in halves.
 */
#include "imaging/inpaint/normalequations.h"

#include "base/multiplyadd.h"

#include <math.h>

#define PANEL 8
#define SUMS NORMAL_PADDING

#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

#define LOOPS "imaging/inpaint/normalequations.inc"
#include "base/cpusets.inc"

static void (*const solve[CPU_SETS]) (const NormalEquations *equations,
                                      float *factor, float *b) =
  CPU_FUNCTIONS (solve);

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
