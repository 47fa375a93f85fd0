#include "imaging/codec/jpegtraces.h"

#include "base/error.h"
#include "imaging/inpaint/dct.h"

#include <math.h>

enum { SIDE = 8, BLOCK = SIDE * SIDE };

/* Blocks that are looked at, and the fewest that tell something. */
#define MOST_BLOCKS 600
#define LEAST_BLOCKS 16

/* A cosine counts from here.  What rounding the samples adds to one that is
 * zero has a standard deviation of 0.4. */
#define LEAST_COSINE 2.f
#define NEAR 1.f

/* Between the multiples of a smaller step is no room. */
#define LEAST_STEP 6

/* Cosines of a block that count, and the share of them that must be near a
 * multiple, in the mean over the blocks, since some may have been changed.  By
 * chance it is at most a third. */
#define LEAST_COSINES 4
#define LEAST_SHARE 0.85

/* Beyond, too few steps are that large. */
#define MOST_QUALITY 90

/* Of libjpeg: Annex K of ISO/IEC 10918-1, at quality 50. */
static const guint8 AT_50[2][BLOCK] = {
  /* clang-format off */
  { 16, 11, 10, 16, 24, 40, 51, 61,     12, 12, 14, 19, 26, 58, 60, 55,
    14, 13, 16, 24, 40, 57, 69, 56,     14, 17, 22, 29, 51, 87, 80, 62,
    18, 22, 37, 56, 68, 109, 103, 77,   24, 35, 55, 64, 81, 104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99 },
  { 17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
    24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99 }
  /* clang-format on */
};

static void
steps_of (int quality, const guint8 at_50[BLOCK], guint16 steps[BLOCK])
{
  int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;

  for (int f = 0; f < BLOCK; f++)
    steps[f] = (guint16) CLAMP ((at_50[f] * scale + 50) / 100, 1, 255);
}

/* Reads a block of brightness; FALSE where samples were clipped, whose cosines
 * have no steps. */
static gboolean
read_block (const Image *image, int left, int top, float *block)
{
  for (int y = top; y < top + SIDE; y++)
    for (int x = left; x < left + SIDE; x++) {
      const guint16 *p = image_pixel (image, x, y);

      for (int c = 0; c < image->channels; c++)
        if (p[c] == 0 || p[c] == 255)
          return FALSE;
      *block++ = image->channels == 1
                   ? (float) p[0]
                   : 0.299f * (float) p[0] + 0.587f * (float) p[1]
                       + 0.114f * (float) p[2];
    }
  return TRUE;
}

/* Cosines of blocks all over the picture, one after the other. */
static int
read_cosines (const Image *image, float *cosines)
{
  g_autoptr (Dct) dct = dct_new (SIDE, 1);
  int across = image->width / SIDE, down = image->height / SIDE;
  gint64 total = (gint64) across * down;
  int tried = (int) MIN (total, MOST_BLOCKS), count = 0;
  float scratch[BLOCK];

  for (int i = 0; i < tried; i++) {
    gint64 at = total * i / tried;
    float *block = cosines + (gsize) count * BLOCK;

    if (read_block (image, (int) (at % across) * SIDE,
                    (int) (at / across) * SIDE, block)) {
      dct_forward (dct, block, scratch, 1);
      count++;
    }
  }
  return count;
}

/* The share of the cosines of a block that are near multiples of @steps; < 0
 * if there are too few that count. */
static double
share_of_block (const float *cosines, const guint16 steps[BLOCK])
{
  int near = 0, all = 0;

  for (int f = 1; f < BLOCK; f++) {
    float c = cosines[f], q = steps[f];

    if (fabsf (c) < LEAST_COSINE || steps[f] < LEAST_STEP)
      continue;
    all++;
    near += fabsf (c - q * roundf (c / q)) <= NEAR;
  }
  return all < LEAST_COSINES ? -1 : (double) near / all;
}

/* Its mean over the blocks at a quality; 0 if there are too few. */
static double
share_near (const float *cosines, int count, int quality)
{
  guint16 steps[BLOCK];
  double sum = 0;
  int blocks = 0;

  steps_of (quality, AT_50[0], steps);
  for (int i = 0; i < count; i++) {
    double share = share_of_block (cosines + (gsize) i * BLOCK, steps);

    if (share >= 0) {
      sum += share;
      blocks++;
    }
  }
  return blocks < LEAST_BLOCKS ? 0 : sum / blocks;
}

/* The quality at which a JPEG has such cosines; 0 if none does.  What is near
 * multiples of a step is near those of its half as well: so it is the lowest
 * that fits, or one after it that fits better still. */
static int
find_quality (const float *cosines, int count)
{
  double share = 0, next;
  int quality = 0;

  while (share < LEAST_SHARE && quality < MOST_QUALITY)
    share = share_near (cosines, count, ++quality);
  if (share < LEAST_SHARE)
    return 0;
  for (; (next = share_near (cosines, count, quality + 1)) > share; quality++)
    share = next;
  return quality;
}

/* What else is known of a picture says that it was none, or is no longer. */
static gboolean
may_have_traces (const Image *image)
{
  return !image->meta.has_steps && !image_is_lossy (image)
         && image->palette == NULL && image->depth == 8
         && !image_has_alpha (image) && !image->meta.has_key;
}

gboolean
image_trace_jpeg (Image *image, GError **error)
{
  g_autofree float *cosines = NULL;
  int count, quality;

  if (!may_have_traces (image))
    return TRUE;
  cosines = g_try_new (float, MOST_BLOCKS *BLOCK);
  if (cosines == NULL)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory to look for traces of JPEG");
  count = read_cosines (image, cosines);
  quality = find_quality (cosines, count);
  image->meta.has_steps = quality > 0;
  for (int c = 0; c < 3 && quality > 0; c++)
    steps_of (quality, AT_50[c > 0], image->meta.steps[c]);
  return TRUE;
}
