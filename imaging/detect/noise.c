#include "imaging/detect/noise.h"

#include "base/error.h"
#include "base/orderedgemm.h"
#include "base/parallel.h"
#include "dictlearn/initial.h"
#include "imaging/detect/clipping.h"

#include <math.h>
#include <stdlib.h>

/* Noise weaker than this, where white is 255, is invisible; and a clean
 * photograph may have as much grain.  Of small blocks, texture is a larger
 * part: there, the limit rises as their side falls. */
#define LEAST_LEVEL 1.0

/* What is far below that, such as the rounding of cosines in a flat area, is
 * no noise for clipping to have shared in: no round may amplify it. */
#define NO_LEVEL 0.1

#define MOST_BLOCKS 40000 /* of a picture; more would not change the result */
#define CHUNK 256         /* blocks that a thread examines at a time */

/* The share of the blocks, the smoothest, that measure the noise; and how many
 * there should be at least.  Grey pictures have only their brightness, of
 * which texture may be a part.  If it differs from block to block by more than
 * UNEVEN times what noise would, or by less than EVEN times, as the dots of a
 * print do, fewer blocks are asked, and if all fail, the picture is taken to be
 * without noise. */
static const double smoothest[] = { 0.05, 0.02, 0.01 };
#define LEAST_SMOOTH 40
#define SPARE 4 /* there must be this many times as many to choose from */
#define UNEVEN 1.25
#define EVEN 0.6

/* Sides of blocks; where pixels are missing, only small ones may be whole.
 * The smallest do not tell noise from texture by brightness alone. */
#define LARGEST 8
static const int sides[] = { LARGEST, 4, 2 };
#define LEAST_GREY 4

/* Rounds in which the effect of clipping is undone; the first are rough.  No
 * block had less than this share of its variance left. */
#define ROUNDS 4
#define LEAST_SHARE 1e-3

enum { BRIGHTNESS, COLOUR, KINDS };
enum { HIGH, HIGHEST, BANDS };

typedef struct {
  int number;
  float low;                /* energy at low frequencies */
  float high[KINDS][BANDS]; /* mean square at high frequencies */
  float mean[3];            /* of each colour, 0 .. 1 */
  double share;             /* of the noise that clipping leaves */
} Block;

typedef struct {
  const Image *image;
  const Mask *ignore;
  Dictionary *cosines; /* of blocks of one plane */
  int colours, kinds;  /* 3 and all, or 1 and BRIGHTNESS alone */
  int step, across;    /* between blocks, and blocks in a row */
  Block *blocks;       /* number < 0 for those that are left out */
  int count;
} Survey;

/* ---- one block ---- */

static gboolean
may_be_asked (const Image *image, const Mask *ignore, gsize i)
{
  return (ignore == NULL || !ignore->missing[i])
         && !image_is_transparent (image, i);
}

/* Whether every pixel of the block may be used. */
static gboolean
is_usable (const Survey *s, int x, int y)
{
  int side = s->cosines->patch;

  for (int row = y; row < y + side; row++)
    for (int col = x; col < x + side; col++) {
      gsize i = (gsize) row * (gsize) s->image->width + (gsize) col;

      if (!may_be_asked (s->image, s->ignore, i))
        return FALSE;
    }
  return TRUE;
}

/* Reads a block into columns of @Y, one per colour. */
static void
read_block (const Survey *s, int x, int y, MatF *Y)
{
  int side = s->cosines->patch;
  float scale = 1 / (float) image_peak (s->image);

  for (int c = 0; c < Y->cols; c++)
    for (int row = 0; row < side; row++)
      for (int col = 0; col < side; col++)
        *matf_at (Y, row * side + col, c) =
          (float) image_pixel (s->image, x + col, y + row)[c] * scale;
}

/* Red, green, blue to brightness and two differences, orthonormal. */
static void
mix_colours (MatF *C)
{
  for (int i = 0; i < C->rows; i++) {
    float r = *matf_at (C, i, 0), g = *matf_at (C, i, 1);
    float b = *matf_at (C, i, 2);

    *matf_at (C, i, 0) = (r + g + b) / sqrtf (3);
    *matf_at (C, i, 1) = (r - b) / sqrtf (2);
    *matf_at (C, i, 2) = (r - 2 * g + b) / sqrtf (6);
  }
}

/* Mean square of rows @first on of the columns of @C that are of @kind. */
static float
mean_square (const MatF *C, int kind, int first)
{
  int from = kind == COLOUR ? 1 : 0, to = kind == COLOUR ? C->cols : 1;
  float sum = 0;

  for (int c = from; c < to; c++)
    for (int i = first; i < C->rows; i++)
      sum += *matf_at (C, i, c) * *matf_at (C, i, c);
  return sum / (float) ((to - from) * (C->rows - first));
}

/* Cosines come in the order of rising frequency.  Those of which the sum of
 * both frequencies is below the side are low: side (side + 1) / 2 of them. */
static void
measure (const Survey *s, Block *block, MatF *C)
{
  int side = s->cosines->patch, n = side * side;
  int high = side * (side + 1) / 2, highest = n - (n - high + 2) / 3;

  for (int c = 0; c < C->cols; c++)
    block->mean[c] = *matf_at (C, 0, c) / (float) side;
  if (C->cols == 3)
    mix_colours (C);
  block->low = 0;
  for (int c = 0; c < C->cols; c++)
    for (int i = 1; i < high; i++)
      block->low += *matf_at (C, i, c) * *matf_at (C, i, c);
  for (int kind = 0; kind < s->kinds; kind++) {
    block->high[kind][HIGH] = mean_square (C, kind, high);
    block->high[kind][HIGHEST] = mean_square (C, kind, highest);
  }
}

static void
survey_chunk (int chunk, int worker, gpointer data)
{
  const Survey *s = data;
  int n = s->cosines->atoms.rows;
  g_auto (MatF) Y = matf_new (n, s->colours);
  g_auto (MatF) C = matf_new (n, s->colours);

  (void) worker;
  for (int i = chunk * CHUNK; i < MIN ((chunk + 1) * CHUNK, s->count); i++) {
    int x = i % s->across * s->step, y = i / s->across * s->step;

    s->blocks[i].number = is_usable (s, x, y) ? i : -1;
    if (s->blocks[i].number < 0)
      continue;
    read_block (s, x, y, &Y);
    ordered_multiply (1, &s->cosines->atoms, TRANSPOSED, &Y, PLAIN, &C);
    measure (s, &s->blocks[i], &C);
  }
}

/* ---- all blocks ---- */

/* Smooth blocks first, those that are left out last. */
static int
by_smoothness (const void *left, const void *right)
{
  const Block *a = left, *b = right;

  if ((a->number < 0) != (b->number < 0))
    return a->number < 0 ? 1 : -1;
  if (a->low < b->low || a->low > b->low)
    return a->low < b->low ? -1 : 1;
  return a->number - b->number;
}

/* Clipping changes nothing where the ends are that many sigma away. */
#define FAR_FROM_ENDS 6

/* What clipping leaves of the variance of noise in @block. */
static double
clipped_share (const Survey *s, const Block *block, double sigma)
{
  double sum = 0;

  for (int c = 0; c < s->colours; c++) {
    double mean = block->mean[c];

    if (fmin (mean, 1 - mean) >= FAR_FROM_ENDS * sigma)
      sum += sigma * sigma;
    else
      sum += clipped_variance (inverse_clipped_mean (mean, sigma), sigma);
  }
  return fmax (LEAST_SHARE, sum / (s->colours * sigma * sigma));
}

/* Notes what clipping leaves of noise of @sigma in the first @count blocks; all
 * of it if that is 0, for not yet known. */
static void
note_clipping (const Survey *s, int count, double sigma)
{
  for (int i = 0; i < count; i++)
    s->blocks[i].share =
      sigma > 0 ? clipped_share (s, &s->blocks[i], sigma) : 1;
}

/* Mean and relative deviation, over the first @count blocks, of one of their
 * measures without the effect of clipping, which has been noted. */
static double
mean_variance (const Survey *s, int count, int kind, int band,
               double *deviation)
{
  double sum = 0, squares = 0;

  for (int i = 0; i < count; i++) {
    double variance = s->blocks[i].high[kind][band] / s->blocks[i].share;

    sum += variance / count;
    squares += variance * variance / count;
  }
  *deviation = sqrt (fmax (0, squares - sum * sum)) / sum;
  return sum;
}

/* The smallest measure of the noise that the first @count blocks give. */
static double
smallest_level (const Survey *s, int count, double sigma)
{
  double smallest = INFINITY, deviation;

  note_clipping (s, count, sigma);
  for (int kind = 0; kind < s->kinds; kind++)
    for (int band = 0; band < BANDS; band++)
      smallest = fmin (
        smallest, mean_variance (s, count, kind, band, &deviation));
  return sqrt (smallest);
}

/* Whether the brightness of blocks differs no more than noise does.  Mean
 * squares of n samples of noise have the relative deviation sqrt (2 / n). */
static gboolean
is_even (const Survey *s, int count, double sigma)
{
  int side = s->cosines->patch, high = side * (side - 1) / 2;
  double deviation;

  note_clipping (s, count, sigma);
  mean_variance (s, count, BRIGHTNESS, HIGH, &deviation);
  deviation /= sqrt (2. / high);
  return deviation >= EVEN && deviation <= UNEVEN;
}

/* So many blocks give at least as many samples as LEAST_SMOOTH large ones. */
static int
least_blocks (const Survey *s)
{
  int ratio = LARGEST / s->cosines->patch;

  return LEAST_SMOOTH * ratio * ratio;
}

static double
level (const Survey *s, int usable)
{
  double sigma = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (smoothest); i++) {
    int count = MAX (least_blocks (s), (int) (smoothest[i] * usable));

    sigma = smallest_level (s, count, 0);
    if (255 * sigma < NO_LEVEL)
      return 0;
    for (int round = 0; round < ROUNDS && sigma < 1; round++)
      sigma = smallest_level (s, count, sigma);
    if (s->kinds > 1 || is_even (s, count, sigma))
      return MIN (sigma, 1);
  }
  return 0;
}

/* Measures all blocks; -1 if there are not enough of them. */
static double
measure_all (Survey *s)
{
  int usable = 0;

  parallel_for ((s->count + CHUNK - 1) / CHUNK, survey_chunk, s, NULL, NULL);
  qsort (s->blocks, (gsize) s->count, sizeof (Block), by_smoothness);
  while (usable < s->count && s->blocks[usable].number >= 0)
    usable++;
  return usable >= SPARE * least_blocks (s) ? level (s, usable) : -1;
}

/* Measures blocks of @side; *@sigma is -1 if there are not enough of them. */
static gboolean
survey (const Image *image, const Mask *ignore, int side, double *sigma,
        GError **error)
{
  Survey s = { .image = image,
               .ignore = ignore,
               .colours = image_is_grey (image, ignore) ? 1 : 3 };
  int most;

  *sigma = -1;
  if (image->width < side || image->height < side
      || (s.colours == 1 && side < LEAST_GREY))
    return TRUE;
  s.kinds = s.colours == 3 ? KINDS : 1;
  most = MOST_BLOCKS * (LARGEST / side) * (LARGEST / side);
  s.step = MAX (1, (int) ceil (sqrt ((double) image_pixels (image) / most)));
  s.across = (image->width - side) / s.step + 1;
  s.count = s.across * ((image->height - side) / s.step + 1);
  s.blocks = tessera_try_new0 (Block, s.count, "measuring noise", error);
  s.cosines = s.blocks != NULL ? dictionary_dct (side, 1, error) : NULL;
  if (s.cosines != NULL)
    *sigma = measure_all (&s);
  g_free (s.blocks);
  dictionary_free (s.cosines);
  return s.cosines != NULL;
}

gboolean
image_noise_level (const Image *image, const Mask *ignore, double *level,
                   GError **error)
{
  double sigma = -1;
  gsize i = 0;

  for (; i < G_N_ELEMENTS (sides) && sigma < 0; i++)
    if (!survey (image, ignore, sides[i], &sigma, error))
      return FALSE;
  *level = sigma < 0 || 255 * sigma * sides[i - 1] < LEAST_LEVEL * LARGEST
             ? 0
             : 255 * sigma;
  return TRUE;
}
