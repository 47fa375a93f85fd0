#include "imaging/damage.h"

#include "base/error.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

/* One stream of random numbers for each use. */
enum {
  STREAM_NOISE = 0x64616d00, /* "dam" and a number */
  STREAM_MISSING,
  STREAM_BLOCK_X,
  STREAM_BLOCK_Y,
  STREAM_GRID,
  STREAM_GRID_OFFSET,
  STREAM_SAMPLES
};

/* Standard deviations of unclipped noise for which there is room beyond black
 * and beyond white: one sample in two million is clipped after all. */
#define ROOM 5.0


/* Random places that are tried for one block.  Squares thrown at random jam
 * when they cover about 56 % of the plane, earlier in a small picture.  Below
 * 40 % a thousand tries are nearly always enough. */
#define BLOCK_TRIES 1000

static gboolean
check_options (const Image *image, const DamageOptions *options,
               GError **error)
{
  int side = options->block_side, count = options->block_count;

  if (!(options->missing >= 0 && options->missing <= 1)) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "the fraction of missing pixels is %g: give one from 0 to 1",
                 options->missing);
    return FALSE;
  }
  if (!(options->samples >= 0 && options->samples <= 1)) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "the fraction of missing samples is %g: give one from 0 to 1",
                 options->samples);
    return FALSE;
  }
  if (!(options->noise >= 0 && isfinite (options->noise))) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "the noise is %g: give a standard deviation of 0 or more",
                 options->noise);
    return FALSE;
  }
  if (side < 0 || count < 0 || (side == 0) != (count == 0)) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                 "%d blocks of side %d: give a side and a count of 1 or more",
                 count, side);
    return FALSE;
  }
  if (side > 0) {
    /* No arrangement of upright squares holds more than a plain grid. */
    gint64 most = (gint64) (image->width / side) * (image->height / side);

    if (count > most) {
      g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                   "blocks of side %d, %d in number, do not fit into a "
                   "picture of %d x %d pixels: use %" G_GINT64_FORMAT
                   " or fewer, or smaller ones",
                   side, count, image->width, image->height, most);
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- range ---- */

double
damage_unclipped_scale (const DamageOptions *options)
{
  return 255 / (255 + 2 * ROOM * options->noise);
}

/* A copy of @depth bits, whose samples are  @scale x + @offset,  where x is
 * from 0 to 1. */
static Image *
map_range (const Image *image, double scale, double offset, int depth,
           GError **error)
{
  Image *copy = image_new (image->width, image->height, image->channels, depth,
                           error);
  int colours = image_colours (image);
  double from, to;

  if (copy == NULL)
    return NULL;
  from = image_peak (image);
  to = image_peak (copy);
  for (gsize i = 0; i < image_pixels (image); i++)
    for (int c = 0; c < image->channels; c++) {
      gsize place = i * (gsize) image->channels + (gsize) c;
      double x = image->samples[place] / from;
      double mapped = c < colours ? scale * x + offset : x;

      copy->samples[place] =
        (guint16) CLAMP (floor (mapped * to + 0.5), 0, to);
    }
  return copy;
}

Image *
damage_restore_range (const Image *image, const DamageOptions *options,
                      int depth, GError **error)
{
  double s = damage_unclipped_scale (options);

  return map_range (image, 1 / s, -(1 - s) / (2 * s), depth, error);
}

/* ---- noise ---- */

static void
add_noise (Image *image, const DamageOptions *options)
{
  int colours = image_colours (image), peak = image_peak (image);
  double scale = options->unclipped ? damage_unclipped_scale (options) : 1;
  double sigma = scale * options->noise * peak / 255;
  guint16 *pixel = image->samples;
  guint64 index = 0; /* of the colour sample */

  for (gsize i = 0; i < image_pixels (image); i++) {
    for (int c = 0; c < colours; c++) {
      double noisy =
        pixel[c]
        + sigma * random_normal (options->seed, STREAM_NOISE, index++);

      pixel[c] = (guint16) CLAMP (floor (noisy + 0.5), 0, peak);
    }
    pixel += image->channels;
  }
}

/* Marks @count of the first @n bytes, each set of them as likely as any other.
 * This is Floyd's method: when all sets among the first j bytes are equally
 * likely, then so are those among the first j + 1 after a draw among them,
 * where a byte that is marked already stands for byte j, which is not.
 * J. Bentley, R. W. Floyd, "A sample of brilliance", 1987. */
static void
mark_some (guint8 *mask, gsize n, gsize count, guint64 seed, guint64 stream)
{
  for (gsize j = n - count; j < n; j++) {
    gsize drawn = random_below (seed, stream, j, j + 1);

    mask[mask[drawn] != 0 ? j : drawn] = 1;
  }
}

/* Whether a square at @x, @y overlaps one that is marked.  All are of the same
 * size, so the other would have to cover one of the corners. */
static gboolean
overlaps (const guint8 *mask, int width, int side, int x, int y)
{
  const guint8 *top = mask + (gsize) y * (gsize) width + x;
  const guint8 *bottom = top + (gsize) (side - 1) * (gsize) width;

  return top[0] || top[side - 1] || bottom[0] || bottom[side - 1];
}

static void
mark_square (guint8 *mask, int width, int side, int x, int y)
{
  for (int row = y; row < y + side; row++)
    memset (mask + (gsize) row * (gsize) width + x, 1, (gsize) side);
}

/* Marks one more square at a free place.  FALSE when none was found. */
static gboolean
throw_block (guint8 *mask, const Image *image, const DamageOptions *options,
             int block)
{
  int side = options->block_side;
  guint64 places_x = (guint64) (image->width - side + 1);
  guint64 places_y = (guint64) (image->height - side + 1);
  guint64 seed = options->seed;

  for (int try = 0; try < BLOCK_TRIES; try++) {
    guint64 index = (guint64) block * BLOCK_TRIES + (guint64) try;
    int x = (int) random_below (seed, STREAM_BLOCK_X, index, places_x);
    int y = (int) random_below (seed, STREAM_BLOCK_Y, index, places_y);

    if (!overlaps (mask, image->width, side, x, y)) {
      mark_square (mask, image->width, side, x, y);
      return TRUE;
    }
  }
  return FALSE;
}

/* Marks the squares in cells of a grid, where all of them find a place. */
static gboolean
mark_blocks_on_grid (guint8 *mask, const Image *image,
                     const DamageOptions *options, GError **error)
{
  int side = options->block_side;
  int columns = image->width / side, rows = image->height / side;
  int left = (int) random_below (options->seed, STREAM_GRID_OFFSET, 0,
                                 (guint64) (image->width % side + 1));
  int top = (int) random_below (options->seed, STREAM_GRID_OFFSET, 1,
                                (guint64) (image->height % side + 1));
  gsize n = (gsize) columns * (gsize) rows;
  g_autoptr (Mask) cells = mask_new (columns, rows, error);

  if (cells == NULL)
    return FALSE;
  mark_some (cells->missing, n, (gsize) options->block_count, options->seed,
             STREAM_GRID);
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      if (cells->missing[(gsize) row * (gsize) columns + (gsize) column] != 0)
        mark_square (mask, image->width, side, left + column * side,
                     top + row * side);
  return TRUE;
}

static gboolean
mark_blocks (guint8 *mask, const Image *image, const DamageOptions *options,
             GError **error)
{
  for (int block = 0; block < options->block_count; block++)
    if (!throw_block (mask, image, options, block)) {
      memset (mask, 0, image_pixels (image));
      return mark_blocks_on_grid (mask, image, options, error);
    }
  return TRUE;
}

static void
paint_black (Image *image, const Mask *mask)
{
  for (gsize i = 0; i < image_pixels (image); i++)
    for (int c = 0; c < image_colours (image); c++)
      if (mask_hides (mask->missing[i], c))
        image->samples[i * (gsize) image->channels + (gsize) c] = 0;
}

/* Adds samples that go missing one by one. */
static gboolean
mark_samples (Mask *mask, const Image *image, const DamageOptions *options,
              GError **error)
{
  gsize colours = (gsize) image_colours (image);
  gsize n = image_pixels (image) * colours;
  g_autofree guint8 *lost = NULL;

  if (options->samples == 0)
    return TRUE;
  lost = tessera_try_new (guint8, n, "the samples to lose", error);
  if (lost == NULL)
    return FALSE;
  memset (lost, 0, n);
  mark_some (lost, n, (gsize) floor (options->samples * (double) n + 0.5),
             options->seed, STREAM_SAMPLES);
  for (gsize i = 0; i < n; i++)
    if (lost[i] != 0)
      mask->missing[i / colours] |=
        (guint8) (colours == 1 ? MASK_PIXEL : MASK_CHANNEL (i % colours));
  return TRUE;
}

/* Makes the mask of all pixels that go missing. */
static Mask *
draw_mask (const Image *image, const DamageOptions *options, GError **error)
{
  gsize n = image_pixels (image);
  g_autoptr (Mask) blocks = mask_new (image->width, image->height, error);
  g_autoptr (Mask) mask = NULL;

  if (blocks == NULL || !mark_blocks (blocks->missing, image, options, error))
    return NULL;
  mask = mask_new (image->width, image->height, error);
  if (mask == NULL)
    return NULL;
  mark_some (mask->missing, n,
             (gsize) floor (options->missing * (double) n + 0.5),
             options->seed, STREAM_MISSING);
  mask_add (mask, blocks);
  return mark_samples (mask, image, options, error) ? g_steal_pointer (&mask)
                                                    : NULL;
}

Image *
image_damage (const Image *image, const DamageOptions *options, Mask **mask,
              GError **error)
{
  g_autoptr (Mask) missing = NULL;
  g_autoptr (Image) damaged = NULL;

  if (!check_options (image, options, error))
    return NULL;
  missing = draw_mask (image, options, error);
  if (missing == NULL)
    return NULL;
  if (options->unclipped) {
    double scale = damage_unclipped_scale (options);

    damaged = map_range (image, scale, (1 - scale) / 2, 16, error);
  } else
    damaged = image_copy (image, error);
  if (damaged == NULL)
    return NULL;
  image_drop_palette (damaged);
  if (options->noise > 0)
    add_noise (damaged, options);
  paint_black (damaged, missing);
  if (mask != NULL)
    *mask = g_steal_pointer (&missing);
  return g_steal_pointer (&damaged);
}
