/* lasso.c - coordinate descent
 *
 * With all but x_j fixed the minimum is at
 *     x_j = soft (g_j + G_jj x_j, lambda) / G_jj,
 *     soft (u, l) = sign (u) max (|u| - l, 0),
 * and g changes by  -G_j (new x_j - old x_j).  A sweep goes over all atoms;
 * between two of them those in use are swept until they settle, which is
 * cheap: most codes are 0.
 * J. Friedman, T. Hastie, H. Hoefling, R. Tibshirani, "Pathwise coordinate
 * optimization", 2007.
 */
#include "omp/lasso.h"

#include <math.h>

/* Sweeps over the atoms in use between two over all. */
#define INNER_SWEEPS 20

static double
soft (double u, double lambda)
{
  return u > lambda ? u - lambda : u < -lambda ? u + lambda : 0;
}

/* Moves x_j to its minimum; returns how far the condition was violated. */
static double
update (const Mat *G, double lambda, int j, double *g, double *x)
{
  const double *column = mat_at (G, 0, j);
  double moved;

  if (column[j] <= 0)
    return 0;
  moved = soft (g[j] + column[j] * x[j], lambda) / column[j] - x[j];
  if (moved == 0)
    return 0;
  x[j] += moved;
  for (int i = 0; i < G->rows; i++)
    g[i] -= moved * column[i];
  return fabs (moved) * column[j];
}

static double
sweep (const Mat *G, double lambda, gboolean only_used, double *g, double *x)
{
  double worst = 0;

  for (int j = 0; j < G->rows; j++)
    if (!only_used || x[j] != 0) {
      double violation = update (G, lambda, j, g, x);

      worst = MAX (worst, violation);
    }
  return worst;
}

void
lasso_solve (const Mat *G, const LassoOptions *options, double *q, double *x)
{
  double *g = q;
  double enough = options->tolerance * options->lambda;

  for (int j = 0; j < G->rows; j++)
    for (int i = 0; x[j] != 0 && i < G->rows; i++)
      g[i] -= x[j] * *mat_at (G, i, j);
  for (int s = 0; s < options->max_sweeps; s++) {
    if (sweep (G, options->lambda, FALSE, g, x) <= enough)
      return;
    for (int t = 0; t < INNER_SWEEPS; t++)
      if (sweep (G, options->lambda, TRUE, g, x) <= enough)
        break;
  }
}
