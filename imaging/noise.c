#include "imaging/noise.h"

#include "base/parallel.h"
#include "dictlearn/starts.h"
#include "imaging/clipping.h"

#include <math.h>
#include <stdlib.h>

#define MOST_BLOCKS 40000 /* of a picture; more would say the same */
#define CHUNK 256         /* blocks that a thread looks at at a time */

/* The share of the blocks, the smoothest, that measure the noise; and how many
 * there should be at least.  With more missing pixels, smaller blocks. */
#define SMOOTHEST 0.05
#define LEAST_SMOOTH 40
static const int sides[] = { 8, 4, 2 };

/* Rounds in which the effect of clipping is undone; the first are rough. */
#define ROUNDS 4

enum { BRIGHTNESS, COLOUR, KINDS };
enum { HIGH, HIGHEST, BANDS };

typedef struct {
  int number;
  float low;                /* energy at low frequencies */
  float high[KINDS][BANDS]; /* mean square at high frequencies */
  float mean[3];            /* of each colour, 0 .. 1 */
} Block;

typedef struct {
  const Image *image;
  const Mask *ignore;
  Dictionary *cosines; /* of blocks of one plane */
  int step, across;    /* between blocks, and blocks in a row */
  Block *blocks;       /* number < 0 for those that are left out */
  int count;
} Survey;

/* ---- one block ---- */

/* Whether every pixel of the block may be asked. */
static gboolean
is_usable (const Survey *s, int x, int y)
{
  int side = s->cosines->patch;

  for (int row = y; row < y + side; row++)
    for (int col = x; col < x + side; col++) {
      gsize i = (gsize) row * (gsize) s->image->width + (gsize) col;

      if ((s->ignore != NULL && s->ignore->missing[i])
          || image_is_transparent (s->image, i))
        return FALSE;
    }
  return TRUE;
}

/* Reads a block into columns of @Y, one a colour. */
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
  for (int kind = 0; kind < (C->cols == 3 ? KINDS : 1); kind++) {
    block->high[kind][HIGH] = mean_square (C, kind, high);
    block->high[kind][HIGHEST] = mean_square (C, kind, highest);
  }
}

static void
survey_chunk (int chunk, int worker, gpointer data)
{
  const Survey *s = data;
  int n = s->cosines->atoms.rows, colours = image_colours (s->image);
  g_auto (MatF) Y = matf_new (n, colours);
  g_auto (MatF) C = matf_new (n, colours);

  (void) worker;
  for (int i = chunk * CHUNK; i < MIN ((chunk + 1) * CHUNK, s->count); i++) {
    int x = i % s->across * s->step, y = i / s->across * s->step;

    s->blocks[i].number = is_usable (s, x, y) ? i : -1;
    if (s->blocks[i].number < 0)
      continue;
    read_block (s, x, y, &Y);
    matf_multiply (1, &s->cosines->atoms, TRANSPOSED, &Y, PLAIN, 0, &C);
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

/* What clipping leaves of the variance of noise in the first @count blocks. */
static double
clipped_share (const Survey *s, int count, double sigma)
{
  int colours = image_colours (s->image);
  double sum = 0;

  for (int i = 0; i < count; i++)
    for (int c = 0; c < colours; c++)
      sum += clipped_variance (unclipped (s->blocks[i].mean[c], sigma), sigma);
  return sum / (colours * count * sigma * sigma);
}

/* The smallest measure of the variance that the first @count blocks give. */
static double
smallest_variance (const Survey *s, int count)
{
  double smallest = INFINITY;

  for (int kind = 0; kind < (image_colours (s->image) == 3 ? KINDS : 1);
       kind++)
    for (int band = 0; band < BANDS; band++) {
      double sum = 0;

      for (int i = 0; i < count; i++)
        sum += s->blocks[i].high[kind][band];
      smallest = fmin (smallest, sum / count);
    }
  return smallest;
}

static double
level (const Survey *s, int count)
{
  double variance = smallest_variance (s, count), sigma = sqrt (variance);

  for (int round = 0; round < ROUNDS && sigma > 0 && sigma < 1; round++)
    sigma = sqrt (variance / clipped_share (s, count, sigma));
  return sigma;
}

/* Looks at blocks of @side; FALSE if there are not enough of them. */
static gboolean
survey (const Image *image, const Mask *ignore, int side, double *sigma)
{
  Survey s = { .image = image, .ignore = ignore };
  int usable = 0, smooth;

  if (image->width < side || image->height < side)
    return FALSE;
  s.step =
    MAX (1, (int) ceil (sqrt ((double) image_pixels (image) / MOST_BLOCKS)));
  s.across = (image->width - side) / s.step + 1;
  s.count = s.across * ((image->height - side) / s.step + 1);
  s.blocks = g_new0 (Block, s.count);
  s.cosines = dictionary_dct (side, 1);
  parallel_for ((s.count + CHUNK - 1) / CHUNK, survey_chunk, &s, NULL, NULL);
  qsort (s.blocks, (gsize) s.count, sizeof (Block), by_smoothness);
  while (usable < s.count && s.blocks[usable].number >= 0)
    usable++;
  smooth = MAX (LEAST_SMOOTH, (int) (SMOOTHEST * usable));
  if (smooth <= usable)
    *sigma = level (&s, smooth);
  g_free (s.blocks);
  dictionary_free (s.cosines);
  return smooth <= usable;
}

double
image_noise_level (const Image *image, const Mask *ignore)
{
  double sigma = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++)
    if (survey (image, ignore, sides[i], &sigma))
      break;
  return 255 * sigma;
}
