/* polarstep.h - one step of thresholding and Polar on whitened samples
 *
 * What the online and the mini-batch algorithm have in common.  With W = P Y
 * the whitened window of w samples and D the dictionary there, orthonormal,
 *
 *     X = HT_z (D' W),     D <- Polar (W X' + rho D).
 *
 * rho is the mean singular value of W X', not small.  It keeps D where
 * the window says nothing (a window smaller than n, atoms without a code) and
 * makes the step a proximal one: D minimises |W - D X|^2 + rho |D - D_old|^2,
 * so the objective still falls and fixed points stay where they are.
 *
 * With options.textbook the step is the paper's, D <- Polar (W X') by the SVD.
 * Where W X' is singular its polar factor is not determined, and the one
 * nearest to the old D is taken; with 2 w <= n, where it always is, nearly
 * that one: rho is then a hundredth of the mean singular value.
 *
 * A step costs 2 n^2 w operations for the codes, 2 n s for the products of
 * their s non-zeros and about 12 n^3 for Polar.  With 2 w <= n the last is
 * about 2 n^2 w + 10 n w^2 + 30 w^3 instead (base/lowrankpolar.h).  All of it
 * is float, but for matrices of w x w.
 */
#pragma once

#include "dictlearn/learner.h"
#include "dictlearn/preconditioner.h"
#include "dictlearn/thresholding.h"

typedef struct PolarStep PolarStep;

/* Starts from @A, n x n, in the original space: D = Polar (P A S), where S
 * scales the columns of P A to length one, since the length of an atom does
 * not matter; or from the identity in the whitened space, if @A is NULL.  NULL
 * if LAPACK fails.  Of @options only textbook counts. */
PolarStep *polar_step_new (const Preconditioner *P, const Mat *A,
                           const LearnOptions *options);
void polar_step_free (PolarStep *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PolarStep, polar_step_free)

/* One step on the whitened samples @W, n x w, with threshold @z.  Fills in
 * objective, density, threshold and change of @status; the objective is
 *     (|W - D X|_F^2 + z^2 |X|_0) / w.
 * FALSE if LAPACK fails. */
gboolean polar_step_step (PolarStep *self, const MatF *W, double z,
                          LearnStatus *status);

/* Sets @threshold to what @options ask for, given the codes of @W; fails as
 * threshold_choose(). */
gboolean polar_step_threshold (PolarStep *self, const MatF *W,
                               const LearnOptions *options,
                               Threshold *threshold, GError **error);

/* A = P^-1 D, the dictionary in the original space. */
void polar_step_dictionary (const PolarStep *self, const Preconditioner *P,
                            Mat *A);
