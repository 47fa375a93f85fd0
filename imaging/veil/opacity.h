/* opacity.h - how opaque a mark is, by what shines through
 *
 * Inside a mark its cover A is the same everywhere, so that differences d of
 * neighbours are those of the picture times 1 - A:  t dy = dx, t = 1 / (1 - A).
 * The fill predicts a part of dx, dx ~ N (rho dx0, v), and v is near what such
 * differences have around the mark, of which nu are as good as known.  With n
 * differences that count, and r their mean square residual,
 *
 *     log p (dy | A, q) = n log t - (nu + n)/2 log (nu V + n r) + nu/2 log V,
 *     r = mean |t dy - rho dx0|^2,    V = v + t^2 q / 3 :
 *
 * too low a cover would leave the picture too flat there, too high a one would
 * make it too rough.  q is the variance of what is not of the picture: rounding,
 * noise, compression, a cover that varies.  Most of it is smooth, hence the 3.
 * It grows with the contrast of a mark, and the factor is much the same for all
 * marks of a picture, so they vote on it.  What the colour of the mark would be
 * speaks for or against a cover, too: dust is mostly grey, and light or dark.
 */
#pragma once

#include <glib.h>

/* Covers and factors of q that are compared. */
#define OPACITY_COVERS 80
#define OPACITY_NOISES 6

/* Sums over pairs of neighbours inside a mark, means of the colours. */
typedef struct {
  double pairs;
  double damaged; /* |dy|^2 */
  double product; /* dy dx0 */
  double filled;  /* |dx0|^2 */
} Shine;

/* What is known of a mark. */
typedef struct {
  Shine shine;
  double around;      /* mean square of differences around it */
  double noise;       /* variance of the noise of the damaged picture */
  int colours;
  double ground[3];   /* mean of the picture below it */
  double contrast[3]; /* A (b - ground) */
} MarkEvidence;

/* How likely each cover is with each factor: logarithms, or, once settled,
 * probabilities with the sum 1. */
typedef struct {
  double of[OPACITY_NOISES][OPACITY_COVERS];
} Opacity;

/* A cover, t of it, and q with a factor, by their numbers. */
double opacity_cover (int cover);
double opacity_gain (int cover);
double opacity_noise (const MarkEvidence *evidence, int noise);

/* Sets logarithms. */
void opacity_find (Opacity *opacity, const MarkEvidence *evidence);

/* Adds the logarithms of how likely each factor is. */
void opacity_vote (const Opacity *opacity, double votes[OPACITY_NOISES]);

/* Makes probabilities of logarithms; @votes are those of other marks. */
void opacity_settle (Opacity *opacity, const double votes[OPACITY_NOISES]);
