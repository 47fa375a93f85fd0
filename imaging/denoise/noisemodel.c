#include "imaging/denoise/noisemodel.h"

#include "dictlearn/initial.h"

#include <math.h>

NoiseModel
noise_model_white (int colours, double sigma)
{
  NoiseModel model = { .colours = colours, .is_white = TRUE };

  for (int level = 0; level < NOISE_LEVELS; level++)
    for (int c = 0; c < colours; c++)
      model.deviation[level][c] = (float) sigma;
  for (int f = 0; f < NOISE_COSINES; f++)
    for (int c = 0; c < colours; c++)
      model.correlation[f][c][c] = 1;
  return model;
}

NoiseModel
noise_model_scaled (const NoiseModel *model, double factor)
{
  NoiseModel scaled = *model;

  for (int level = 0; level < NOISE_LEVELS; level++)
    for (int c = 0; c < model->colours; c++)
      scaled.deviation[level][c] *= (float) factor;
  return scaled;
}

/* Mean over the frequencies of R_cc. */
static double
mean_correlation (const NoiseModel *model, int c)
{
  double sum = 0;

  for (int f = 0; f < NOISE_COSINES; f++)
    sum += model->correlation[f][c][c] / NOISE_COSINES;
  return sum;
}

NoiseModel
noise_model_coloured (const NoiseModel *model, double factor)
{
  NoiseModel coloured = *model;

  for (int level = 0; level < NOISE_LEVELS; level++)
    for (int c = 1; c < model->colours; c++)
      coloured.deviation[level][c] *= (float) factor;
  return coloured;
}

NoiseModel
noise_model_brightened (const NoiseModel *model, double factor)
{
  NoiseModel brightened = *model;

  for (int level = 0; level < NOISE_LEVELS; level++)
    brightened.deviation[level][0] *= (float) factor;
  return brightened;
}

/* Multiplies the noise of mixed colour @a at frequency @f by @factor. */
static void
scale_frequency (NoiseModel *model, int f, int a, float factor)
{
  for (int b = 0; b < model->colours; b++) {
    model->correlation[f][a][b] *= factor;
    model->correlation[f][b][a] *= factor;
  }
}

/* Mean of R_00 at the middle frequencies. */
static double
middle_correlation (const NoiseModel *model)
{
  double sum = 0;
  int count = 0;

  for (int f = 0; f < NOISE_COSINES; f++)
    if (noise_is_middle (f)) {
      sum += model->correlation[f][0][0];
      count++;
    }
  return sum / count;
}

NoiseModel
noise_model_levelled (const NoiseModel *model, double most)
{
  NoiseModel level = *model;
  double limit = most * middle_correlation (model), mean;

  for (int f = 0; f < NOISE_COSINES; f++)
    if (model->correlation[f][0][0] > limit)
      scale_frequency (
        &level, f, 0,
        (float) sqrt (limit / (double) model->correlation[f][0][0]));
  mean = mean_correlation (&level, 0);
  if (!(mean > 0))
    return *model;
  for (int f = 0; f < NOISE_COSINES; f++)
    scale_frequency (&level, f, 0, (float) (1 / sqrt (mean)));
  for (int u = 0; u < NOISE_LEVELS; u++)
    level.deviation[u][0] *= (float) sqrt (mean);
  return level;
}

NoiseModel
noise_model_without_low (const NoiseModel *model, double share)
{
  NoiseModel high = *model;

  high.is_white = FALSE;
  for (int f = 0; f < NOISE_COSINES; f++)
    if (f % NOISE_SIDE < NOISE_SIDE / 2 && f / NOISE_SIDE < NOISE_SIDE / 2)
      for (int a = 0; a < model->colours; a++)
        for (int b = 0; b < model->colours; b++)
          high.correlation[f][a][b] *= (float) share;
  return high;
}

/* Mean over brightnesses of the variance of mixed colour @c, up to that of
 * R. */
static double
mean_variance (const NoiseModel *model, int c)
{
  double sum = 0;

  for (int level = 0; level < NOISE_LEVELS; level++)
    sum += pow (model->deviation[level][c], 2) / NOISE_LEVELS;
  return sum;
}

NoiseModel
noise_model_sum (const NoiseModel *a, const NoiseModel *b)
{
  NoiseModel sum = { .colours = a->colours };

  for (int c = 0; c < a->colours; c++) {
    double first = mean_variance (a, c), second = mean_variance (b, c);
    double share = first + second > 0 ? first / (first + second) : 1;

    for (int level = 0; level < NOISE_LEVELS; level++)
      sum.deviation[level][c] =
        hypotf (a->deviation[level][c], b->deviation[level][c]);
    for (int f = 0; f < NOISE_COSINES; f++)
      sum.correlation[f][c][c] =
        (float) (share * (double) a->correlation[f][c][c]
                 + (1 - share) * (double) b->correlation[f][c][c]);
  }
  return sum;
}

int
noise_model_level (float brightness)
{
  /* Written so that NaN becomes black. */
  float known = brightness > 0 ? MIN (brightness, 1) : 0;

  return (int) (known * (NOISE_LEVELS - 1) + 0.5f);
}

double
noise_model_sigma_at (const NoiseModel *model, int level)
{
  double sum = 0;

  for (int c = 0; c < model->colours; c++)
    sum += pow (model->deviation[level][c], 2) * mean_correlation (model, c);
  return sqrt (sum / model->colours);
}

double
noise_model_sigma (const NoiseModel *model)
{
  double sum = 0;

  for (int level = 0; level < NOISE_LEVELS; level++)
    sum += pow (noise_model_sigma_at (model, level), 2) / NOISE_LEVELS;
  return sqrt (sum);
}

/* ---- variances of cosines ---- */

/* R_cc between the frequencies of a block. */
static float
interpolate (const NoiseModel *model, int c, float k, float l)
{
  int left = MIN ((int) k, NOISE_SIDE - 2),
      top = MIN ((int) l, NOISE_SIDE - 2);
  float x = MIN (k - (float) left, 1), y = MIN (l - (float) top, 1);
  const float (*at)[3][3] = model->correlation + left + NOISE_SIDE * top;

  return (1 - y) * ((1 - x) * at[0][c][c] + x * at[1][c][c])
         + y * ((1 - x) * at[NOISE_SIDE][c][c] + x * at[NOISE_SIDE + 1][c][c]);
}

void
noise_model_variances (const NoiseModel *model, int level, int side,
                       float *variances)
{
  float scale = (float) NOISE_SIDE / (float) side;

  for (int l = 0; l < side; l++)
    for (int k = 0; k < side; k++)
      for (int c = 0; c < model->colours; c++) {
        float s = model->deviation[level][c];

        *variances++ =
          s * s * interpolate (model, c, (float) k * scale, (float) l * scale);
      }
}

/* ---- half the size ---- */

/* The mean of two neighbours turns cosine k of 8 pixels into cosine k of 4,
 * with the share cos^2 (pi k / 16) / 2 of its variance; 8 - k falls on it too,
 * and nothing is left of k = 4. */
static double
kept_share (double k)
{
  return pow (cos (G_PI * k / (2 * NOISE_SIDE)), 2) / 2;
}

/* Variance of mixed colour @c at half the size, up to s^2. */
static double
halved_variance (const NoiseModel *model, int c)
{
  const int middle = NOISE_SIDE / 2;
  double sum = 0;

  for (int f = 0; f < NOISE_COSINES; f++)
    if (f % NOISE_SIDE != middle && f / NOISE_SIDE != middle)
      sum += kept_share (f % NOISE_SIDE) * kept_share (f / NOISE_SIDE)
             * (double) model->correlation[f][c][c];
  return sum / (middle * middle);
}

/* R_cc at half the size up to a factor: cosine f of 8 pixels of that is the
 * one of f / 2 here. */
static double
halved_correlation (const NoiseModel *model, int c, int f)
{
  float k = (float) (f % NOISE_SIDE) / 2, l = (float) (f / NOISE_SIDE) / 2;
  double sum = 0;

  for (int i = 0; i < 4; i++) {
    float u = i % 2 == 0 ? k : NOISE_SIDE - k;
    float v = i / 2 == 0 ? l : NOISE_SIDE - l;

    sum += (double) interpolate (model, c, u, v) * kept_share (u)
           * kept_share (v);
  }
  return sum;
}

NoiseModel
noise_model_halved (const NoiseModel *model)
{
  NoiseModel half = { .colours = model->colours };

  for (int c = 0; c < model->colours; c++) {
    float ratio = (float) sqrt (halved_variance (model, c));
    double mean;

    for (int level = 0; level < NOISE_LEVELS; level++)
      half.deviation[level][c] = ratio * model->deviation[level][c];
    for (int f = 0; f < NOISE_COSINES; f++)
      half.correlation[f][c][c] = (float) halved_correlation (model, c, f);
    mean = mean_correlation (&half, c);
    for (int f = 0; f < NOISE_COSINES && mean > 0; f++)
      half.correlation[f][c][c] /= (float) mean;
  }
  return half;
}

/* ---- covariances of patches ---- */

/* products[i][j][k]: the mean of cosine k at i times that at j, over all
 * places of a patch of @side in a block. */
typedef double Products[NOISE_SIDE][NOISE_SIDE][NOISE_SIDE];

static void
fill_products (int side, Products products)
{
  int places = NOISE_SIDE - side + 1;

  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++)
      for (int k = 0; k < NOISE_SIDE; k++) {
        products[i][j][k] = 0;
        for (int at = 0; at < places; at++)
          products[i][j][k] += dct_entry (k, at + i, NOISE_SIDE)
                               * dct_entry (k, at + j, NOISE_SIDE) / places;
      }
}

/* What R_ab says of pixels @i and @j of a patch, which are numbered row after
 * row. */
static double
pixel_covariance (const NoiseModel *model, int a, int b, int side, int i,
                  int j, Products products)
{
  const double *x = products[i % side][j % side];
  const double *y = products[i / side][j / side];
  double sum = 0;

  for (int l = 0; l < NOISE_SIDE; l++)
    for (int k = 0; k < NOISE_SIDE; k++)
      sum +=
        x[k] * y[l] * (double) model->correlation[k + NOISE_SIDE * l][a][b];
  return sum;
}

double
noise_model_neighbours (const NoiseModel *model)
{
  double own, shared;
  Products products;

  fill_products (2, products);
  own = pixel_covariance (model, 0, 0, 2, 0, 0, products);
  shared = pixel_covariance (model, 0, 0, 2, 0, 1, products);
  return own > 0 ? shared / own : 0;
}

/* Adds what mixed colours @a and @b say, pixel by pixel in @R, to the
 * covariance @S of red, green and blue. */
static void
add_mixed (const NoiseModel *model, int level, int a, int b, const MatF *R,
           MatF *S)
{
  int pixels = R->rows, colours = model->colours;
  float s = model->deviation[level][a] * model->deviation[level][b];

  for (int c = 0; c < colours; c++)
    for (int d = 0; d < colours; d++) {
      float mix =
        s * (float) (dct_entry (a, c, colours) * dct_entry (b, d, colours));

      for (int j = 0; j < pixels; j++)
        for (int i = 0; i < pixels; i++)
          *matf_at (S, c * pixels + i, d * pixels + j) +=
            mix * *matf_at (R, i, j);
    }
}

void
noise_model_covariances (const NoiseModel *model, int side,
                         MatF covariances[NOISE_LEVELS])
{
  int pixels = side * side, colours = model->colours;
  g_auto (MatF) R = matf_new (pixels, pixels);
  Products products;

  fill_products (side, products);
  for (int level = 0; level < NOISE_LEVELS; level++)
    covariances[level] = matf_new (pixels * colours, pixels * colours);
  for (int a = 0; a < colours; a++)
    for (int b = 0; b < colours; b++) {
      for (int j = 0; j < pixels; j++)
        for (int i = 0; i < pixels; i++)
          *matf_at (&R, i, j) =
            (float) pixel_covariance (model, a, b, side, i, j, products);
      for (int level = 0; level < NOISE_LEVELS; level++)
        add_mixed (model, level, a, b, &R, &covariances[level]);
    }
}
