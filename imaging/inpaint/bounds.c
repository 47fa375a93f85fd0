/* bounds.c - ranges by tiles
 *
 * Tiles of TILE x TILE pixels have the range of their known samples.  A
 * filled sample of a thin part is held to the union of the ranges of its own
 * tile and of those next to it; one of a thick part to the union of those
 * ranges over all tiles that its hole runs through.
 */
#include "imaging/inpaint/bounds.h"

#include "base/error.h"
#include "base/parallel.h"

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
  Range *ranges; /* of what is known in each tile */
  Range *near;   /* and in those next to it */
  Range *hole;   /* and near its hole; only where something is missing */
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
range_add_pixel (const Tiles *tiles, Range *range, gsize i)
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

/* One row of tiles. */
static void
measure_row (int row, int worker, gpointer data)
{
  const Tiles *tiles = data;
  Range *ranges = tiles->ranges + (gsize) row * (gsize) tiles->across;
  int width = tiles->image->width;
  int end = MIN ((row + 1) * TILE, tiles->image->height);

  (void) worker;
  for (int i = 0; i < tiles->across; i++)
    ranges[i] = nothing;
  for (int y = row * TILE; y < end; y++)
    for (int x = 0; x < width; x++)
      range_add_pixel (tiles, &ranges[x / TILE],
                       (gsize) y * (gsize) width + (gsize) x);
}

static void
measure_tiles (Tiles *tiles)
{
  parallel_for (tiles->down, measure_row, tiles, NULL, NULL);
}

/* Adds to @range what the tiles next to tile @x, @y have in @ranges. */
static void
add_around (const Tiles *tiles, const Range *ranges, int x, int y,
            Range *range)
{
  for (int row = MAX (0, y - 1); row <= MIN (y + 1, tiles->down - 1); row++)
    for (int col = MAX (0, x - 1); col <= MIN (x + 1, tiles->across - 1);
         col++)
      for (int c = 0; c < tiles->colours; c++)
        range_add (range, &ranges[row * tiles->across + col], c);
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

/* Puts the neighbours of @tile that are in @waiting on @stack. */
static void
take_neighbours (const Tiles *tiles, guint8 *waiting, int tile, GArray *stack)
{
  int x = tile % tiles->across, y = tile / tiles->across;

  for (int row = MAX (0, y - 1); row <= MIN (y + 1, tiles->down - 1); row++)
    for (int col = MAX (0, x - 1); col <= MIN (x + 1, tiles->across - 1);
         col++) {
      int next = row * tiles->across + col;

      if (waiting[next]) {
        waiting[next] = 0;
        g_array_append_val (stack, next);
      }
    }
}

/* Gives all tiles of one hole the union of what is near them. */
static void
measure_hole (Tiles *tiles, guint8 *waiting, int start)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (int));
  Range range = nothing;

  waiting[start] = 0;
  g_array_append_val (stack, start);
  for (guint i = 0; i < stack->len; i++) {
    int tile = g_array_index (stack, int, i);

    for (int c = 0; c < tiles->colours; c++)
      range_add (&range, &tiles->near[tile], c);
    take_neighbours (tiles, waiting, tile, stack);
  }
  for (guint i = 0; i < stack->len; i++)
    tiles->hole[g_array_index (stack, int, i)] = range;
}

static ImageArea
tile_area (const Tiles *tiles, int tile)
{
  int x = tile % tiles->across * TILE, y = tile / tiles->across * TILE;

  return (ImageArea){ x, y, MIN (TILE, tiles->image->width - x),
                      MIN (TILE, tiles->image->height - y) };
}

static void
measure_holes (Tiles *tiles)
{
  int count = tiles->across * tiles->down;
  g_autofree guint8 *waiting = g_malloc0 ((gsize) count);

  for (int i = 0; i < count; i++) {
    tiles->near[i] = nothing;
    add_around (tiles, tiles->ranges, i % tiles->across, i / tiles->across,
                &tiles->near[i]);
    waiting[i] = tile_has_missing (tiles, tile_area (tiles, i)) ? 1 : 0;
    tiles->hole[i] = nothing;
  }
  for (int i = 0; i < count; i++)
    if (waiting[i])
      measure_hole (tiles, waiting, i);
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
bound_tile (const Tiles *tiles, Image *image, const Thickness *thickness,
            int tile)
{
  ImageArea area = tile_area (tiles, tile);

  for (int y = area.y; y < area.y + area.height; y++)
    for (int x = area.x; x < area.x + area.width; x++) {
      gsize i = (gsize) y * (gsize) image->width + (gsize) x;
      gboolean thick = thickness != NULL && thickness->thick[i] != NOT_THICK;

      if (tiles->missing->missing[i])
        bound_pixel (tiles, image,
                     thick ? &tiles->hole[tile] : &tiles->near[tile], i);
    }
}

gboolean
image_bound_fill (Image *image, const Mask *missing,
                  const Thickness *thickness, GError **error)
{
  Tiles tiles = { image,
                  missing,
                  (image->width + TILE - 1) / TILE,
                  (image->height + TILE - 1) / TILE,
                  image_colours (image),
                  NULL,
                  NULL,
                  NULL };
  gsize count = (gsize) tiles.across * (gsize) tiles.down;
  g_autofree Range *ranges = g_try_new (Range, 3 * count);

  if (ranges == NULL)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory to work on %d x %d pixels",
                         image->width, image->height);
  tiles.ranges = ranges;
  tiles.near = ranges + count;
  tiles.hole = ranges + 2 * count;
  measure_tiles (&tiles);
  measure_holes (&tiles);
  for (gsize i = 0; i < count; i++)
    if (tile_has_missing (&tiles, tile_area (&tiles, (int) i)))
      bound_tile (&tiles, image, thickness, (int) i);
  return TRUE;
}
