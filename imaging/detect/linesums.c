/* linesums.c - loops that compilers turn into vectors */
#include "imaging/detect/linesums.h"

#include "base/cpudispatch.h"

#define USUAL_TIMES 2
#define OFFSET 4
#define SOFTENER 4
#define SCALE 8

/* With OFFSET = SOFTENER and USUAL_TIMES = 2,
 *     e = SCALE (h + SOFTENER (USUAL_TIMES - 1)) / (u + SOFTENER)
 *         - SCALE USUAL_TIMES.
 * The quotient of such small whole numbers lies no nearer to a whole number
 * than floats tell apart, so that what is cut off a float is exact. */
G_STATIC_ASSERT (OFFSET == SOFTENER);

CPU_DISPATCH void
line_evidence (const guint8 *restrict hats, const guint8 *restrict usuals,
               gsize count, guint8 *restrict evidence)
{
  for (gsize i = 0; i < count; i++) {
    int over = SCALE * (hats[i] + SOFTENER * (USUAL_TIMES - 1));
    int e = (int) ((float) over / (float) (usuals[i] + SOFTENER))
            - SCALE * USUAL_TIMES;

    evidence[i] =
      (guint8) (CLAMP (e, LEAST_EVIDENCE, MOST_EVIDENCE) - LEAST_EVIDENCE);
  }
}

static inline gint16
sum_of (gint16 best, guint8 evidence)
{
  gint16 sum = (gint16) (best + evidence + LEAST_EVIDENCE);

  return CLAMP (sum, 0, MOST_SUM);
}

/* @before has a neighbour on both sides of all columns but the outermost. */
CPU_DISPATCH static void
add_inner (const guint8 *restrict evidence, const gint16 *restrict before,
           gint16 *restrict sums, int width)
{
  for (int x = 1; x + 1 < width; x++) {
    gint16 best = MAX (before[x - 1], before[x]);

    best = MAX (best, before[x + 1]);
    sums[x] = sum_of (best, evidence[x]);
  }
}

void
line_sums (const guint8 *evidence, const gint16 *before, gint16 *sums,
           int width)
{
  int last = width - 1;

  if (before == NULL) {
    for (int x = 0; x < width; x++)
      sums[x] = sum_of (0, evidence[x]);
    return;
  }
  sums[0] = sum_of (MAX (before[0], before[MIN (1, last)]), evidence[0]);
  sums[last] =
    sum_of (MAX (before[last], before[MAX (0, last - 1)]), evidence[last]);
  add_inner (evidence, before, sums, width);
}

/* Where the sums begin, @up is the evidence itself. */
CPU_DISPATCH void
line_ends (const guint8 *restrict evidence, const gint16 *restrict down,
           const gint16 *restrict up, int width, guint8 *restrict ends)
{
  for (int x = 0; x < width; x++) {
    gint16 e = (gint16) (evidence[x] + LEAST_EVIDENCE);

    ends[x] = (down[x] >= LEAST_SUM) & (e > 0) & (up[x] == e);
  }
}
