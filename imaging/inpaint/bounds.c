/* bounds.c - ranges by tiles
 *
 * Tiles of TILE x TILE pixels have the range of their known samples.  A
 * filled sample is held to the union of the ranges of its own tile and of
 * those next to it or, where these know nothing, of the nearest that do.
 */
#include "imaging/inpaint/bounds.h"

#include "base/error.h"

#define TILE 16

/* Levels of 255 that a sample may lie outside the range. */
#define LEEWAY 4

typedef struct {
  guint16 least[3], most[3]; /* of each colour; empty if least > most */
} Range;

static const Range nothing = { { G_MAXUINT16, G_MAXUINT16, G_MAXUINT16 },
                               { 0, 0, 0 } };

typedef struct {
  const Image *image;
  const Mask *missing;
  int across, down; /* tiles */
  int colours;
  Range *ranges;
} Tiles;

static gboolean
is_empty (const Range *range, int colour)
{
  return range->least[colour] > range->most[colour];
}

static void
range_add (Range *range, const Range *other, int colour)
{
  range->least[colour] = MIN (range->least[colour], other->least[colour]);
  range->most[colour] = MAX (range->most[colour], other->most[colour]);
}

static void
range_add_pixel (Tiles *tiles, Range *range, gsize i)
{
  const Image *image = tiles->image;
  const guint16 *pixel = image->samples + i * (gsize) image->channels;

  if (image_is_transparent (image, i))
    return;
  for (int c = 0; c < tiles->colours; c++)
    if (!mask_hides (tiles->missing->missing[i], c)) {
      range->least[c] = MIN (range->least[c], pixel[c]);
      range->most[c] = MAX (range->most[c], pixel[c]);
    }
}

static void
measure_tiles (Tiles *tiles)
{
  int width = tiles->image->width;

  for (int i = 0; i < tiles->across * tiles->down; i++)
    tiles->ranges[i] = nothing;
  for (int y = 0; y < tiles->image->height; y++)
    for (int x = 0; x < width; x++)
      range_add_pixel (tiles,
                       &tiles->ranges[y / TILE * tiles->across + x / TILE],
                       (gsize) y * (gsize) width + (gsize) x);
}

/* Tiles between two that are @n tiles apart. */
static int
gap (int n)
{
  return MAX (0, ABS (n) - 1);
}

/* Adds the tiles within @ring of tile @x, @y.  Far ones count by their
 * Euclidean distance, as the corners of a square are further away. */
static void
add_ring (const Tiles *tiles, int x, int y, int ring, int colour, Range *range)
{
  for (int row = MAX (0, y - ring); row <= MIN (y + ring, tiles->down - 1);
       row++)
    for (int col = MAX (0, x - ring); col <= MIN (x + ring, tiles->across - 1);
         col++)
      if (gap (row - y) * gap (row - y) + gap (col - x) * gap (col - x)
          <= (ring - 1) * (ring - 1))
        range_add (range, &tiles->ranges[row * tiles->across + col], colour);
}

/* The range that holds for the samples of tile @x, @y. */
static Range
range_around (const Tiles *tiles, int x, int y)
{
  int most = MAX (tiles->across, tiles->down) + 1;
  Range range = nothing;

  for (int c = 0; c < tiles->colours; c++)
    for (int ring = 1; ring <= most && is_empty (&range, c); ring++)
      add_ring (tiles, x, y, ring, c, &range);
  return range;
}

static gboolean
tile_has_missing (const Tiles *tiles, ImageArea area)
{
  for (int y = area.y; y < area.y + area.height; y++)
    for (int x = area.x; x < area.x + area.width; x++)
      if (tiles->missing
            ->missing[(gsize) y * (gsize) tiles->missing->width + (gsize) x])
        return TRUE;
  return FALSE;
}

static void
bound_pixel (const Tiles *tiles, Image *image, const Range *range, gsize i)
{
  guint16 *pixel = image->samples + i * (gsize) image->channels;
  guint8 missing = tiles->missing->missing[i];
  int leeway = LEEWAY * image_peak (image) / 255;

  for (int c = 0; c < tiles->colours; c++)
    if (mask_hides (missing, c) && !is_empty (range, c))
      pixel[c] =
        (guint16) CLAMP (pixel[c], MAX (0, range->least[c] - leeway),
                         MIN (image_peak (image), range->most[c] + leeway));
  if (mask_hides (missing, tiles->colours - 1))
    image_avoid_key (image, i);
}

static void
bound_tile (const Tiles *tiles, Image *image, int tile_x, int tile_y)
{
  ImageArea area = { tile_x * TILE, tile_y * TILE,
                     MIN (TILE, image->width - tile_x * TILE),
                     MIN (TILE, image->height - tile_y * TILE) };
  Range range;

  if (!tile_has_missing (tiles, area))
    return;
  range = range_around (tiles, tile_x, tile_y);
  for (int y = area.y; y < area.y + area.height; y++)
    for (int x = area.x; x < area.x + area.width; x++)
      if (tiles->missing
            ->missing[(gsize) y * (gsize) image->width + (gsize) x])
        bound_pixel (tiles, image, &range,
                     (gsize) y * (gsize) image->width + (gsize) x);
}

gboolean
image_bound_fill (Image *image, const Mask *missing, GError **error)
{
  Tiles tiles = { image,
                  missing,
                  (image->width + TILE - 1) / TILE,
                  (image->height + TILE - 1) / TILE,
                  image_colours (image),
                  NULL };

  tiles.ranges = g_try_new (Range, (gsize) tiles.across * (gsize) tiles.down);
  if (tiles.ranges == NULL)
    return tessera_fail (error, TESSERA_ERROR_LIMIT,
                         "not enough memory to work on %d x %d pixels",
                         image->width, image->height);
  measure_tiles (&tiles);
  for (int y = 0; y < tiles.down; y++)
    for (int x = 0; x < tiles.across; x++)
      bound_tile (&tiles, image, x, y);
  g_free (tiles.ranges);
  return TRUE;
}
