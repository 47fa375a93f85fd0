#include "imaging/veil/opacity.h"

#include <math.h>

#define FIRST_COVER 0.2
#define COVER_STEP 0.01

/* What q is at least, and factors of the contrast. */
#define ROUNDING 0.3
static const double factors[OPACITY_NOISES] = { 0,    0.035, 0.07,
                                                0.14, 0.28,  0.6 };

/* The part of q that differences of neighbours have. */
#define ROUGH (1 / 3.)

/* rho, nu, and the part of the differences around that v is; the share of the
 * pairs that counts, as they overlap. */
#define PREDICTED 0.9
#define KNOWN 10.
#define UNPREDICTED 0.5
#define COUNTS 0.25

/* Covers below are rare, by this standard deviation. */
#define USUAL 0.5
#define USUAL_SPREAD 0.15

/* Standard deviations of what is beyond black and white, and between the
 * colours of a grey mark; the ground is known as well as that. */
#define BEYOND 3.5
#define TINT 3.
#define GROUND_ERROR 0.03

/* Share of coloured marks, and the spread of their colours; and how much this
 * counts next to what shines through. */
#define COLOURED 0.1
#define COLOURED_SPREAD 60.
#define GREYNESS 2.

/* Marks are rarely between these levels. */
#define DARK 70.
#define LIGHT 170.
#define BETWEEN 4.

/* What the other marks of a picture say counts by this factor, and no more than
 * that: a mark may always be an exception, such as two that overlap. */
#define VOICE 0.5
#define MOST_VOICE 5.

static double
square (double x)
{
  return x * x;
}

double
opacity_cover (int cover)
{
  return FIRST_COVER + cover * COVER_STEP;
}

double
opacity_gain (int cover)
{
  return 1 / (1 - opacity_cover (cover));
}

double
opacity_noise (const MarkEvidence *e, int noise)
{
  double contrast = 0;

  for (int c = 0; c < e->colours; c++)
    contrast += square (e->contrast[c]) / e->colours;
  return ROUNDING + e->noise + square (factors[noise]) * contrast;
}

/* log p (dy | A, q). */
static double
log_shine (const MarkEvidence *e, double t, double q)
{
  const Shine *shine = &e->shine;
  double n = COUNTS * shine->pairs;
  double v = UNPREDICTED * e->around + ROUGH * square (t) * q;
  double r;

  if (n <= 0)
    return 0;
  r = (square (t) * shine->damaged - 2 * t * PREDICTED * shine->product
       + square (PREDICTED) * shine->filled)
      / shine->pairs;
  return n * log (t) - (KNOWN + n) / 2 * log (KNOWN * v + n * r)
         + KNOWN / 2 * log (v);
}

/* What the colour of the mark says. */
static double
log_colour (const MarkEvidence *e, double cover)
{
  double b[3], grey = 0, tint = 0, beyond, spread, result;

  for (int c = 0; c < e->colours; c++) {
    b[c] = e->ground[c] + e->contrast[c] / cover;
    grey += b[c] / e->colours;
  }
  beyond = MAX (0, MAX (grey - 255, -grey));
  result = -square (beyond / BEYOND) / 2;
  if (grey > DARK && grey < LIGHT)
    result -= BETWEEN;
  if (e->colours < 3)
    return result;
  for (int c = 0; c < 3; c++)
    tint += square (b[c] - grey);
  spread = square (TINT)
           + GROUND_ERROR * e->around * square ((1 - cover) / cover);
  return result
         + GREYNESS
             * log ((1 - COLOURED) * exp (-tint / (2 * spread)) / spread
                    + COLOURED / square (COLOURED_SPREAD));
}

void
opacity_find (Opacity *opacity, const MarkEvidence *evidence)
{
  for (int k = 0; k < OPACITY_COVERS; k++) {
    double cover = opacity_cover (k), t = opacity_gain (k);
    double prior = log_colour (evidence, cover)
                   - square (MAX (0, USUAL - cover) / USUAL_SPREAD) / 2;

    for (int j = 0; j < OPACITY_NOISES; j++)
      opacity->of[j][k] =
        prior + log_shine (evidence, t, opacity_noise (evidence, j));
  }
}

static double
largest (const double *values, int count)
{
  double most = values[0];

  for (int k = 1; k < count; k++)
    most = MAX (most, values[k]);
  return most;
}

static double
largest_of_all (const Opacity *opacity)
{
  double most = -INFINITY;

  for (int j = 0; j < OPACITY_NOISES; j++)
    most = MAX (most, largest (opacity->of[j], OPACITY_COVERS));
  return most;
}

void
opacity_vote (const Opacity *opacity, double votes[OPACITY_NOISES])
{
  double most = largest_of_all (opacity);

  for (int j = 0; j < OPACITY_NOISES; j++) {
    double sum = 1e-30;

    for (int k = 0; k < OPACITY_COVERS; k++)
      sum += exp (opacity->of[j][k] - most);
    votes[j] += log (sum);
  }
}

void
opacity_settle (Opacity *opacity, const double votes[OPACITY_NOISES])
{
  double loudest = largest (votes, OPACITY_NOISES), most, sum = 0;

  for (int j = 0; j < OPACITY_NOISES; j++)
    for (int k = 0; k < OPACITY_COVERS; k++)
      opacity->of[j][k] += MAX (VOICE * (votes[j] - loudest), -MOST_VOICE);
  most = largest_of_all (opacity);
  for (int j = 0; j < OPACITY_NOISES; j++)
    for (int k = 0; k < OPACITY_COVERS; k++)
      sum += opacity->of[j][k] = exp (opacity->of[j][k] - most);
  for (int j = 0; j < OPACITY_NOISES; j++)
    for (int k = 0; k < OPACITY_COVERS; k++)
      opacity->of[j][k] /= sum;
}
