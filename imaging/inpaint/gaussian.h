/* gaussian.h - improve a filled picture by Gaussian models of similar patches
 *
 * A patch and the patches nearby that look like it are taken for draws from
 * one Gaussian distribution, whose mean mu and covariance are those of the
 * draws.  The j-th of k draws has a share s_j in it that falls with its distance
 * d_j from the patch,
 *
 *     s_j ~ exp (-f d_j / max d),     sum of s_j = k.
 *
 * With the deviations from the mean, times sqrt (s_j), as the columns of X,
 * every patch of the distribution is
 *
 *     x = mu + X a,     a normal with variance 1 / (k - 1),
 *
 * and the expected one, given that the samples in M are known to be y up to
 * noise of variance v, has
 *
 *     a = (X' M X + (k - 1) v I)^-1  X' M (y - mu)
 *       = X' M (M X X' M + (k - 1) v I)^-1 M (y - mu),
 *
 * with as many equations as there are draws, or as there are known samples;
 * the smaller system is solved.
 *
 * So the similar patches are the atoms of a dictionary for this place alone.
 * They bring with them how colours and neighbours depend on each other, which
 * is what a missing sample between known ones needs.  Overlapping patches are
 * averaged, and a further pass starts from better draws.
 *
 * After Yu, Sapiro and Mallat, "Solving inverse problems with piecewise linear
 * estimators", 2012, and Lebrun, Buades and Morel, "A nonlocal Bayesian image
 * denoising algorithm", 2013.
 */
#pragma once

#include "base/progress.h"
#include "imaging/inpaint/canvas.h"

typedef struct {
  int passes;   /* 0 for none */
  int side;     /* of a patch */
  int step;     /* from one patch to the next, in the last pass */
  int coarser;  /* added to it in those before */
  int similar;  /* draws of a distribution, at most */
  int radius;   /* how far away they are looked for */
  double fall;  /* f, of the shares of draws; 0 for equal ones */
  double noise; /* standard deviation; white is 1 */
} GaussianSettings;

/* How far apart samples are that have to do with each other in a pass. */
int gaussian_reach (const GaussianSettings *settings);

/* Improves the missing samples of @canvas, which all have a value.
 *
 * @patches is set to the number of patches estimated, over all passes.
 * @progress may be NULL.  Returns FALSE with @error set: MEMORY, CANCELLED. */
gboolean canvas_model (Canvas *canvas, const GaussianSettings *settings,
                       gsize *patches, const Progress *progress,
                       GError **error);
