/* lowrankpolar.h - the polar factor of the identity plus few columns
 *
 * For thin C and X, n x w, with 2 w < n,
 *
 *     Polar (rho I + C X') = I + [C X] K [C X]',
 *
 * where K, 2 w x 2 w, depends on nothing but rho and the products of the
 * columns with each other.  O(w^3) operations.
 */
#pragma once

#include "base/matrix.h"

/* K for G = C'C, E = C'X and F = X'X; @norm is a bound of |rho I + C X'|_2,
 * and @least a guess of its smallest singular value.  A column that is zero in
 * both C and X does no harm.  FALSE, with @K undefined, where columns of C are
 * nearly dependent or the singular values too far apart for an accurate
 * result. */
gboolean low_rank_polar (const Mat *G, const Mat *E, const Mat *F, double rho,
                         double norm, double least, Mat *K);
