/* lasso.h - sparse coding with an l1 penalty, by coordinate descent
 *
 *     minimise  1/2 |y - D x|^2 + lambda |x|_1
 *
 * With q = D'y and G = D'D, whose diagonal is 1 for atoms of length one, the
 * derivative of the first term is  -g,  g = q - G x.  At the minimum
 *     g_j = lambda sign x_j  where x_j is not 0,   |g_j| <= lambda  elsewhere.
 */
#pragma once

#include "base/matrix.h"

typedef struct {
  double lambda;    /* above 0 */
  double tolerance; /* the conditions above hold to this share of lambda */
  int max_sweeps;   /* over all atoms */
} LassoOptions;

#define LASSO_DEFAULTS                                                        \
  ((LassoOptions){ .lambda = 1, .tolerance = 1e-3, .max_sweeps = 100 })

/* Improves @x, length k, in place; @q = D'y is length k and becomes g.
 * @G is k x k; an atom whose diagonal entry is 0 keeps the code 0. */
void lasso_solve (const Mat *G, const LassoOptions *options, double *q,
                  double *x);
