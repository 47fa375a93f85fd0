#include "imaging/denoise/jpegset.h"

#include "base/parallel.h"
#include "imaging/inpaint/dct.h"
#include "imaging/planes.h"

#include <math.h>

/* Mean step of the brightness from which a JPEG counts as coarse: that of
 * quality 60 of libjpeg. */
#define COARSE_STEP 45.

/* Blocks that p is estimated from. */
#define MOST_BLOCKS 4000

/* What is known of the errors of colours: those of the mean are uniform in
 * their interval; most others are zero in the file, and their error is what
 * little there was. */
#define COLOUR_SHARE 0.05

/* Least R of any frequency. */
#define LEAST_CORRELATION 0.02f

enum { SIDE = 8, BLOCK = SIDE * SIDE };

double
image_jpeg_step (const Image *image)
{
  double sum = 0;

  for (int f = 0; f < BLOCK && image->meta.has_steps; f++)
    sum += image->meta.steps[0][f];
  return sum / BLOCK;
}

/* libjpeg multiplies the table of quality 50 by 50 / q below that, and by
 * 2 - q / 50 above: the mean of that table, and of its first FEW steps, which
 * are so small that none is cut off at 255. */
#define STEP_AT_50 57.625
#define FEW_AT_50 13.25
#define FEW 4

int
image_jpeg_quality (const Image *image)
{
  double scale = image_jpeg_step (image) / STEP_AT_50, few = 0;

  if (!(scale > 0))
    return 0;
  for (int f = 0; f < FEW; f++)
    few += (double) image->meta.steps[0][f] / FEW / FEW_AT_50;
  return CLAMP ((int) ((scale > 1 ? 50 / few : 100 - 50 * scale) + 0.5), 1,
                100);
}

gboolean
image_is_coarse_jpeg (const Image *image)
{
  return image_jpeg_step (image) >= COARSE_STEP
         && image->meta.orientation == 1;
}

/* ---- blocks of brightness ---- */

static float
brightness (const Image *image, int x, int y)
{
  const guint16 *pixel = image_pixel (image, x, y);
  float scale = 255 / (float) image_peak (image);

  if (image_colours (image) == 1)
    return scale * (float) pixel[0];
  return scale
         * (0.299f * (float) pixel[0] + 0.587f * (float) pixel[1]
            + 0.114f * (float) pixel[2]);
}

/* Reads the block at @left, @top; beyond the edge the last pixels repeat. */
static void
read_block (const Image *image, int left, int top, float *block)
{
  for (int y = top; y < top + SIDE; y++)
    for (int x = left; x < left + SIDE; x++)
      *block++ = brightness (image, MIN (x, image->width - 1),
                             MIN (y, image->height - 1));
}

/* ---- the error ---- */

/* E (c^2 | |c| < t) for the density exp (-|c| / b) / 2 b. */
static double
inner_variance (double t, double b)
{
  double e = exp (-t / b);

  return 2 * b * b - (t * t + 2 * t * b) * e / (1 - e);
}

static double
error_variance (double q, double share)
{
  double b = -q / (2 * log (share));

  return share * q * q / 12 + (1 - share) * inner_variance (q / 2, b);
}

/* Share of the cosines of each frequency that the file has. */
static void
find_shares (const Image *image, double shares[BLOCK])
{
  g_autoptr (Dct) dct = dct_new (SIDE, 1);
  int across = image->width / SIDE, down = image->height / SIDE;
  int total = across * down, step = 1 + total / MOST_BLOCKS, count = 0;
  float block[BLOCK], scratch[BLOCK];

  for (int f = 0; f < BLOCK; f++)
    shares[f] = 0;
  for (int i = 0; i < total; i += step, count++) {
    read_block (image, i % across * SIDE, i / across * SIDE, block);
    dct_forward (dct, block, scratch, 1);
    for (int f = 0; f < BLOCK; f++)
      shares[f] += fabsf (block[f]) > (float) image->meta.steps[0][f] / 2;
  }
  for (int f = 0; f < BLOCK; f++)
    shares[f] = (shares[f] + 0.5) / (count + 1);
}

/* Variance of a colour at frequency @f of the picture, which is twice as high
 * in a plane that is kept at half the size. */
static double
colour_variance (const Image *image, int plane, int f)
{
  int scale = image_has_half_colours (image) ? 2 : 1;
  int k = f % SIDE * scale, l = f / SIDE * scale;
  double q;

  if (k >= SIDE || l >= SIDE)
    return 0;
  q = image->meta.steps[plane][k + SIDE * l];
  return scale * scale * q * q / 12 * (k + l == 0 ? 1 : COLOUR_SHARE);
}

static void
set_variances (NoiseModel *model, int c, const double variances[BLOCK])
{
  double mean = 0;

  for (int f = 0; f < BLOCK; f++)
    mean += variances[f] / BLOCK;
  for (int level = 0; level < NOISE_LEVELS; level++)
    model->deviation[level][c] = (float) (sqrt (mean) / 255);
  for (int f = 0; f < BLOCK; f++)
    model->correlation[f][c][c] =
      (mean > 0 ? (float) (variances[f] / mean) : 0) + LEAST_CORRELATION;
}

/* With Y, Cb and Cr the mixed colours are
 *     (R + G + B) / sqrt 3    =  sqrt 3 Y + ...,
 *     (R - B) / sqrt 2        =  (1.402 Cr - 1.772 Cb) / sqrt 2,
 *     (R - 2 G + B) / sqrt 6  =  (2.830 Cr + 2.460 Cb) / sqrt 6. */
NoiseModel
jpeg_error_model (const Image *image, int colours)
{
  NoiseModel model = { .colours = colours };
  double shares[BLOCK], first[BLOCK], second[BLOCK], third[BLOCK];

  find_shares (image, shares);
  for (int f = 0; f < BLOCK; f++) {
    double blue = colour_variance (image, 1, f);
    double red = colour_variance (image, 2, f);

    first[f] =
      colours * error_variance (image->meta.steps[0][f], shares[f]);
    second[f] = (1.966 * red + 3.140 * blue) / 2;
    third[f] = (8.009 * red + 6.052 * blue) / 6;
  }
  set_variances (&model, 0, first);
  if (colours == 3) {
    set_variances (&model, 1, second);
    set_variances (&model, 2, third);
  }
  return model;
}

/* ---- the set ---- */

typedef struct {
  const Image *decoded;
  Image *result;
  const Dct *dct;
} Projection;

static void
add_to_pixel (Image *image, int x, int y, float levels)
{
  guint16 *pixel = image_pixel (image, x, y);
  int peak = image_peak (image);
  gsize i = (gsize) y * (gsize) image->width + (gsize) x;

  if (image_is_transparent (image, i))
    return;
  for (int c = 0; c < image_colours (image); c++)
    pixel[c] = planes_to_sample (image, (float) pixel[c] / (float) peak
                                          + levels / 255);
}

static void
project_block (const Projection *p, int left, int top)
{
  float before[BLOCK], after[BLOCK], scratch[BLOCK];
  gboolean is_outside = FALSE;

  read_block (p->decoded, left, top, before);
  read_block (p->result, left, top, after);
  for (int i = 0; i < BLOCK; i++)
    after[i] -= before[i];
  dct_forward (p->dct, after, scratch, 1);
  for (int f = 0; f < BLOCK; f++) {
    float most = (float) p->decoded->meta.steps[0][f] / 2;
    float inside = CLAMP (after[f], -most, most);

    after[f] = inside - after[f];
    is_outside |= fabsf (after[f]) > 0;
  }
  if (!is_outside)
    return;
  dct_backward (p->dct, after, scratch, 1);
  for (int y = top; y < MIN (top + SIDE, p->result->height); y++)
    for (int x = left; x < MIN (left + SIDE, p->result->width); x++)
      add_to_pixel (p->result, x, y, after[(y - top) * SIDE + x - left]);
}

static void
project_row (int chunk, int worker, gpointer data)
{
  const Projection *p = data;

  (void) worker;
  for (int x = 0; x < p->result->width; x += SIDE)
    project_block (p, x, chunk * SIDE);
}

void
image_project_to_jpeg (const Image *decoded, Image *result)
{
  g_autoptr (Dct) dct = dct_new (SIDE, 1);
  Projection p = { decoded, result, dct };

  parallel_for ((result->height + SIDE - 1) / SIDE, project_row, &p, NULL,
                NULL);
}
