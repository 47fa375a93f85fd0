/* blocks.c - squares that do not overlap become black */
#include "imaging/damage/damage.h"

#include "base/error.h"
#include "base/random.h"

#include <string.h>

/* One stream of random numbers for each use. */
enum {
  STREAM_X = 0x64616d02, /* "dam" and a number */
  STREAM_Y,
  STREAM_GRID,
  STREAM_GRID_OFFSET
};

/* Random places that are tried for one block.  Squares thrown at random jam
 * when they cover about 56 % of the plane, earlier in a small picture.  Below
 * 40 % a thousand tries are nearly always enough. */
#define TRIES 1000

/* ---- the amount ---- */

/* A whole number from 1, 2k for 2000; FALSE if @text is anything else. */
static gboolean
parse_whole (const char *text, int *value)
{
  char *end;
  guint64 number = g_ascii_strtoull (text, &end, 10);

  if (*end == 'k' && number <= G_MAXINT) {
    number *= 1000;
    end++;
  }
  *value = (int) MIN (number, G_MAXINT);
  return g_ascii_isdigit (*text) && *end == '\0' && number >= 1
         && number <= G_MAXINT;
}

static gboolean
parse (const char *text, DamageOptions *options)
{
  g_auto (GStrv) parts = g_strsplit (text, "x", 2);

  return g_strv_length (parts) == 2
         && parse_whole (parts[0], &options->block_side)
         && parse_whole (parts[1], &options->block_count);
}

static char *
describe (const DamageOptions *options)
{
  return g_strdup_printf ("%d block%s of %d x %d missing",
                          options->block_count,
                          options->block_count == 1 ? "" : "s",
                          options->block_side, options->block_side);
}

static gboolean
check (const Image *image, const DamageOptions *options, GError **error)
{
  int side = options->block_side, count = options->block_count;
  gint64 most;

  if (side < 0 || count < 0 || (side == 0) != (count == 0))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "%d blocks of side %d: give a side and a count of 1 "
                         "or more",
                         count, side);
  if (side == 0)
    return TRUE;
  /* No arrangement of upright squares holds more than a plain grid. */
  most = (gint64) (image->width / side) * (image->height / side);
  return count <= most
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "blocks of side %d, %d in number, do not fit into a "
                          "picture of %d x %d pixels: use %" G_GINT64_FORMAT
                          " or fewer, or smaller ones",
                          side, count, image->width, image->height, most);
}

/* ---- the places ---- */

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

  for (int try = 0; try < TRIES; try++) {
    guint64 index = (guint64) block * TRIES + (guint64) try;
    int x = (int) random_below (seed, STREAM_X, index, places_x);
    int y = (int) random_below (seed, STREAM_Y, index, places_y);

    if (!overlaps (mask, image->width, side, x, y)) {
      mark_square (mask, image->width, side, x, y);
      return TRUE;
    }
  }
  return FALSE;
}

/* Marks the squares in cells of a grid, where all of them find a place. */
static gboolean
mark_on_grid (guint8 *mask, const Image *image, const DamageOptions *options,
              GError **error)
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
  damage_draw (cells->missing, n, (gsize) options->block_count, options->seed,
               STREAM_GRID);
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      if (cells->missing[(gsize) row * (gsize) columns + (gsize) column] != 0)
        mark_square (mask, image->width, side, left + column * side,
                     top + row * side);
  return TRUE;
}

static gboolean
lose (Mask *mask, const Image *image, const DamageOptions *options,
      GError **error)
{
  for (int block = 0; block < options->block_count; block++)
    if (!throw_block (mask->missing, image, options, block)) {
      memset (mask->missing, 0, image_pixels (image));
      return mark_on_grid (mask->missing, image, options, error);
    }
  return TRUE;
}

const DamageKind damage_blocks = { .name = "blocks",
                                   .form = "SIDExCOUNT",
                                   .range = "whole numbers from 1",
                                   .parse = parse,
                                   .describe = describe,
                                   .check = check,
                                   .lose = lose };
