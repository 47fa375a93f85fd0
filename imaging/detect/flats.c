#include "imaging/detect/flats.h"

#include "base/error.h"
#include "base/parallel.h"
#include "imaging/detect/flatregion.h"
#include "imaging/detect/speckregion.h"

#include <stdlib.h>
#include <string.h>

const int flat_levels[FLAT_LEVELS] = { 4, 8, 13, 20, 30 };

/* What a candidate may be: its pixels, the sides of its box, how long that is
 * for its width, and how much of it is filled. */
#define LEAST_PIXELS 5
#define MOST_SIDE 20
#define MOST_ELONGATION 4
#define LEAST_FILL 0.35f

/* Regions are counted in cells, and crowds in squares of cells. */
#define CELL 16
#define CROWD_REACH 2

void
flats_init (Flats *flats, gboolean with_features)
{
  *flats = (Flats){ list_new (sizeof (Flat), NULL),
                    list_new (sizeof (gsize), NULL), NULL };
  if (with_features)
    flats->features = list_new (sizeof (float), NULL);
}

void
flats_clear (Flats *flats)
{
  g_clear_pointer (&flats->flats, list_free);
  g_clear_pointer (&flats->pixels, list_free);
  g_clear_pointer (&flats->features, list_free);
}

static gboolean
flats_check (const Flats *flats, GError **error)
{
  static const char what[] = "regions of one color";

  return list_check (flats->pixels, what, error)
         && list_check (flats->flats, what, error)
         && (flats->features == NULL
             || list_check (flats->features, what, error));
}

/* ---- 1. steps ---- */

static void
load_colours (FlatScene *flat)
{
  const Image *image = flat->scene->image;
  gboolean grey = image_colours (image) == 1;
  guint peak = image_peak (image);

  for (gsize i = 0; i < image_pixels (image); i++)
    for (int c = 0; c < 3; c++) {
      guint value =
        image->samples[i * (gsize) image->channels + (gsize) (grey ? 0 : c)];

      flat->colours[3 * i + (gsize) c] =
        (guint8) (peak == 255 ? value : (255 * value + peak / 2) / peak);
    }
}

static inline guint8
largest_step (const guint8 *a, const guint8 *b)
{
  int r = abs (a[0] - b[0]), g = abs (a[1] - b[1]), s = abs (a[2] - b[2]);

  return (guint8) MAX (MAX (r, g), s);
}

static void
load_steps (FlatScene *flat)
{
  gsize width = (gsize) flat->right.width;
  gsize size = byte_plane_size (&flat->right);

  for (gsize i = 0; i + 1 < size; i++)
    flat->right.data[i] =
      largest_step (flat->colours + 3 * i, flat->colours + 3 * i + 3);
  for (gsize i = width - 1; i < size; i += width)
    flat->right.data[i] = 255;
  for (gsize i = 0; i + width < size; i++)
    flat->down.data[i] =
      largest_step (flat->colours + 3 * i, flat->colours + 3 * (i + width));
  memset (flat->down.data + size - width, 255, width);
}

gboolean
flat_scene_init (FlatScene *flat, const SpeckScene *scene, GError **error)
{
  const Image *image = scene->image;

  *flat = (FlatScene){ .scene = scene };
  if (!byte_plane_init (&flat->right, image->width, image->height, error)
      || !byte_plane_init (&flat->down, image->width, image->height, error))
    return FALSE;
  flat->colours = g_try_malloc (3 * image_pixels (image));
  if (flat->colours == NULL)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory to look for dust");
  load_colours (flat);
  load_steps (flat);
  return TRUE;
}

void
flat_scene_clear (FlatScene *flat)
{
  byte_plane_clear (&flat->right);
  byte_plane_clear (&flat->down);
  g_clear_pointer (&flat->colours, g_free);
}

/* ---- 2. regions ---- */

enum { UNSEEN, SMALL, LARGE };

typedef struct {
  const FlatScene *scene;
  const Judge *judge;
  int least;
  int number; /* of the level */
  Flats found;
  GError *error;
} Search;

/* A region as it is flooded. */
typedef struct {
  const FlatScene *scene;
  guint8 *seen;
  gsize pixels[SPECK_PIXELS];
  int count, level;
  gboolean is_large;
} Flood;

/* Takes pixel @i, to which there is a step of @step. */
static inline void
flood_take (Flood *flood, gsize i, int step)
{
  if (step > flood->level || flood->seen[i] == SMALL)
    return;
  if (flood->seen[i] == LARGE || flood->count == SPECK_PIXELS) {
    flood->is_large = TRUE;
    return;
  }
  flood->seen[i] = SMALL;
  flood->pixels[flood->count++] = i;
}

/* Floods from pixel @start.  A region that has more than SPECK_PIXELS pixels,
 * or touches one that has, is large. */
static void
flood_from (Flood *flood, gsize start)
{
  const guint8 *right = flood->scene->right.data;
  const guint8 *down = flood->scene->down.data;
  gsize width = (gsize) flood->scene->right.width;

  flood->count = 0;
  flood->is_large = FALSE;
  flood_take (flood, start, 0);
  for (int k = 0; k < flood->count && !flood->is_large; k++) {
    gsize i = flood->pixels[k];

    flood_take (flood, i + 1, right[i]);
    if (i > 0)
      flood_take (flood, i - 1, right[i - 1]);
    flood_take (flood, i + width, down[i]);
    if (i >= width)
      flood_take (flood, i - width, down[i - width]);
  }
  if (flood->is_large)
    for (int k = 0; k < flood->count; k++)
      flood->seen[flood->pixels[k]] = LARGE;
}

static ImageArea
box_of (const Flood *flood)
{
  gsize width = (gsize) flood->scene->right.width;
  int x0 = G_MAXINT, x1 = 0, y0 = G_MAXINT, y1 = 0;

  for (int k = 0; k < flood->count; k++) {
    int x = (int) (flood->pixels[k] % width);
    int y = (int) (flood->pixels[k] / width);

    x0 = MIN (x0, x);
    x1 = MAX (x1, x);
    y0 = MIN (y0, y);
    y1 = MAX (y1, y);
  }
  return (ImageArea){ x0, y0, x1 - x0 + 1, y1 - y0 + 1 };
}

/* Whether its shape may be that of dust. */
static gboolean
is_compact (const ImageArea *box, int count)
{
  int longer = MAX (box->width, box->height);
  int shorter = MIN (box->width, box->height);

  return longer <= MOST_SIDE && longer <= MOST_ELONGATION * shorter
         && (float) count >= LEAST_FILL * (float) (longer * shorter);
}

/* Whether pixel @i is connected to the one before it or above it, and that to a
 * large region: then no flood is needed. */
static inline gboolean
continues_large (const Flood *flood, gsize i)
{
  const FlatScene *scene = flood->scene;
  gsize width = (gsize) scene->right.width;

  return (i > 0 && flood->seen[i - 1] == LARGE
          && scene->right.data[i - 1] <= flood->level)
         || (i >= width && flood->seen[i - width] == LARGE
             && scene->down.data[i - width] <= flood->level);
}

static gboolean
find_regions (Search *search, GError **error)
{
  const Image *image = search->scene->scene->image;
  g_auto (BytePlane) seen = { 0 };
  g_autofree Flood *flood = g_new (Flood, 1);

  if (!byte_plane_init (&seen, image->width, image->height, error))
    return FALSE;
  flood->scene = search->scene;
  flood->seen = seen.data;
  flood->level = flat_levels[search->number];
  for (gsize i = 0; i < byte_plane_size (&seen); i++) {
    Flat flat = { .level = search->number };

    if (seen.data[i] != UNSEEN)
      continue;
    if (continues_large (flood, i)) {
      seen.data[i] = LARGE;
      continue;
    }
    flood_from (flood, i);
    if (flood->is_large || flood->count < LEAST_PIXELS
        || image_is_transparent (image, i))
      continue;
    flat.box = box_of (flood);
    if (!is_compact (&flat.box, flood->count))
      continue;
    flat.start = search->found.pixels->len;
    flat.count = (guint) flood->count;
    if (list_append (search->found.pixels, flood->pixels, flat.count))
      list_append (search->found.flats, &flat, 1);
  }
  return flats_check (&search->found, error);
}

/* ---- 3. candidates ---- */

static int
cell_of (const Flat *flat, int across)
{
  return (flat->box.y + flat->box.height / 2) / CELL * across
         + (flat->box.x + flat->box.width / 2) / CELL;
}

static int
crowd_of (const Flat *flat, const int *cells, int across, int down)
{
  int cell = cell_of (flat, across), crowd = -1;
  int x = cell % across, y = cell / across;

  for (int row = MAX (0, y - CROWD_REACH);
       row <= MIN (y + CROWD_REACH, down - 1); row++)
    for (int col = MAX (0, x - CROWD_REACH);
         col <= MIN (x + CROWD_REACH, across - 1); col++)
      crowd += cells[row * across + col];
  return crowd;
}

/* Keeps the regions that may be dust. */
static gboolean
examine_regions (Search *search, GError **error)
{
  const Image *image = search->scene->scene->image;
  int across = image->width / CELL + 1, down = image->height / CELL + 1;
  g_autofree int *cells = tessera_try_new0 (
    int, (gsize) across * (gsize) down, "regions of one color", error);
  List *flats = search->found.flats;
  guint kept = 0;

  if (cells == NULL)
    return FALSE;
  for (guint i = 0; i < flats->len; i++)
    cells[cell_of (&list_at (flats, Flat, i), across)]++;
  for (guint i = 0; i < flats->len; i++) {
    Flat flat = list_at (flats, Flat, i);
    float f[FLAT_FEATURES];

    if (!flat_describe (search->scene, &search->found, &flat,
                        flat_levels[search->number],
                        crowd_of (&flat, cells, across, down), f))
      continue;
    if (search->judge != NULL) {
      flat.score = judge_score (search->judge, f);
      if (flat.score < search->least)
        continue;
    }
    list_at (flats, Flat, kept++) = flat;
    if (search->found.features != NULL)
      list_append (search->found.features, f, FLAT_FEATURES);
  }
  list_cut (flats, kept);
  return flats_check (&search->found, error);
}

static void
search_level (int chunk, int worker, gpointer data)
{
  Search *search = (Search *) data + chunk;

  (void) worker;
  if (find_regions (search, &search->error))
    (void) examine_regions (search, &search->error);
}

/* Appends what @part has found. */
static gboolean
flats_append (Flats *flats, const Flats *part, GError **error)
{
  guint offset = flats->pixels->len;

  if (!list_append (flats->pixels, part->pixels->data, part->pixels->len))
    return flats_check (flats, error);
  for (guint i = 0; i < part->flats->len; i++) {
    Flat flat = list_at (part->flats, Flat, i);

    flat.start += offset;
    list_append (flats->flats, &flat, 1);
  }
  if (flats->features != NULL)
    list_append (flats->features, part->features->data, part->features->len);
  return flats_check (flats, error);
}

gboolean
flats_find (const FlatScene *scene, const Judge *judge, int least,
            Flats *flats, const Progress *progress, GError **error)
{
  Search searches[FLAT_LEVELS];
  gboolean ok;

  for (int k = 0; k < FLAT_LEVELS; k++) {
    searches[k] = (Search){
      .scene = scene, .judge = judge, .least = least, .number = k
    };
    flats_init (&searches[k].found, flats->features != NULL);
  }
  ok = parallel_for (FLAT_LEVELS, search_level, searches, progress, error);
  for (int k = 0; k < FLAT_LEVELS; k++) {
    if (ok && searches[k].error != NULL) {
      g_propagate_error (error, g_steal_pointer (&searches[k].error));
      ok = FALSE;
    }
    g_clear_error (&searches[k].error);
    ok = ok && flats_append (flats, &searches[k].found, error);
    flats_clear (&searches[k].found);
  }
  return ok;
}
