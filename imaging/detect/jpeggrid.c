#include "imaging/detect/jpeggrid.h"

#include "base/parallel.h"
#include "imaging/inpaint/dct.h"

#include <math.h>

enum { SIDE = 8, BLOCK = SIDE * SIDE, POSITIONS = SIDE * SIDE };

/* Blocks that are looked at for each position: at least, and at most. */
#define LEAST_BLOCKS 64
#define MOST_BLOCKS 600

/* What is near zero, where white is 255: samples are rounded to whole levels,
 * which gives cosines an error of 0.3. */
#define NEAR_ZERO 0.7f

/* Frequencies that are high, k + l: above, the lens leaves nothing. */
#define LEAST_FREQUENCY 6
#define MOST_FREQUENCY 10

/* By how much the share must be larger than at the next best position.  Eight
 * shots of three cameras, in JPEG at their best quality, have 0.18 to 0.33. */
#define LEAST_LEAD 0.08

typedef struct {
  const Image *image;
  const Dct *dct;
  int across, total, stride; /* blocks of a position; every so many is used */
  double shares[POSITIONS];
} Grid;

static void
read_block (const Image *image, int left, int top, float *block)
{
  float scale = 255 / (float) image_peak (image);

  for (int y = top; y < top + SIDE; y++)
    for (int x = left; x < left + SIDE; x++) {
      const guint16 *pixel = image_pixel (image, x, y);

      *block++ = image_colours (image) == 1
                   ? scale * (float) pixel[0]
                   : scale
                       * (0.299f * (float) pixel[0] + 0.587f * (float) pixel[1]
                          + 0.114f * (float) pixel[2]);
    }
}

/* Share of the high cosines that are near zero. */
static double
share_of_block (const float *codes)
{
  int zero = 0, count = 0;

  for (int f = 0; f < BLOCK; f++) {
    int sum = f % SIDE + f / SIDE;

    if (sum < LEAST_FREQUENCY || sum > MOST_FREQUENCY)
      continue;
    count++;
    zero += fabsf (codes[f]) < NEAR_ZERO;
  }
  return (double) zero / count;
}

static void
try_position (int position, int worker, gpointer data)
{
  Grid *grid = data;
  int x = position % SIDE, y = position / SIDE, used = 0;
  float block[BLOCK], scratch[BLOCK];
  double sum = 0;

  (void) worker;
  for (int i = 0; i < grid->total; i += grid->stride, used++) {
    read_block (grid->image, x + i % grid->across * SIDE,
                y + i / grid->across * SIDE, block);
    dct_forward (grid->dct, block, scratch, 1);
    sum += share_of_block (block);
  }
  grid->shares[position] = sum / used;
}

gboolean
image_has_jpeg_grid (const Image *image)
{
  g_autoptr (Dct) dct = dct_new (SIDE, 1);
  Grid grid = { .image = image,
                .dct = dct,
                .across = image->width / SIDE - 1 };
  double best = 0, next = 0;

  grid.total = grid.across * (image->height / SIDE - 1);
  if (grid.across < 1 || grid.total < LEAST_BLOCKS)
    return FALSE;
  grid.stride = 1 + grid.total / MOST_BLOCKS;
  parallel_for (POSITIONS, try_position, &grid, NULL, NULL);
  for (int i = 0; i < POSITIONS; i++) {
    next = MAX (next, MIN (best, grid.shares[i]));
    best = MAX (best, grid.shares[i]);
  }
  return best - next >= LEAST_LEAD;
}
