#include "imaging/detect/specks.h"

#include "base/parallel.h"
#include "imaging/detect/speckregion.h"

#include <string.h>

/* Half of the side of the window that lets no speck through. */
#define REACH 8

/* Half of the side of the window in which specks must be rare. */
#define SURROUNDINGS 32

/* A peak is at least this high, in levels, and this many times the usual. */
#define LEAST_PEAK 14
#define PEAK_TIMES 1.5

/* Parts of the height of a peak down to which a region reaches.  What cannot
 * be flooded down to the LEAST_HEIGHTS-th of them is no peak of its own. */
static const float heights[] = { 0.2f, 0.35f, 0.5f, 0.65f, 0.8f };
#define HEIGHTS ((int) G_N_ELEMENTS (heights))
#define LEAST_HEIGHTS 2

#define ROWS 16 /* that a thread examines at a time */

/* Peaks are counted in cells, and crowds in squares of cells. */
#define CELL 16
#define CROWD_REACH 2

/* ---- 1. planes ---- */

static gboolean
load_shades (SpeckScene *scene, GError **error)
{
  g_auto (Extremes) extremes = { 0 };

  if (!extremes_init (&extremes, scene->image, error))
    return FALSE;
  for (gsize i = 0; i < image_pixels (scene->image); i++) {
    guint8 least = extremes.least.data[i], most = extremes.most.data[i];

    scene->shade[SPECK_LIGHT].data[i] = least;
    scene->shade[SPECK_DARK].data[i] = (guint8) (255 - most);
    scene->shade[SPECK_COLOUR].data[i] = (guint8) (most - least);
  }
  return TRUE;
}

typedef struct {
  SpeckScene *scene;
  GError *errors[SPECK_PLANES];
} Loading;

static void
load_hat (int plane, int worker, gpointer data)
{
  Loading *loading = data;
  BytePlane *hat = &loading->scene->hat[plane];

  (void) worker;
  memcpy (hat->data, loading->scene->shade[plane].data, byte_plane_size (hat));
  (void) (byte_plane_top_hat (hat, REACH, REACH, &loading->errors[plane])
          && byte_plane_mean (hat, SURROUNDINGS, SURROUNDINGS,
                              &loading->scene->usual[plane],
                              &loading->errors[plane]));
}

gboolean
speck_scene_init (SpeckScene *scene, const Image *image,
                  const Progress *progress, GError **error)
{
  Loading loading = { .scene = scene };
  gboolean ok;

  *scene = (SpeckScene){ .image = image };
  for (int k = 0; k < SPECK_PLANES; k++)
    if (!byte_plane_init (&scene->shade[k], image->width, image->height, error)
        || !byte_plane_init (&scene->hat[k], image->width, image->height,
                             error))
      return FALSE;
  if (!load_shades (scene, error))
    return FALSE;
  ok = parallel_for (SPECK_PLANES, load_hat, &loading, progress, error);
  for (int k = 0; k < SPECK_PLANES; k++)
    if (loading.errors[k] != NULL) {
      if (ok)
        g_propagate_error (error, loading.errors[k]);
      else
        g_error_free (loading.errors[k]);
      ok = FALSE;
    }
  return ok;
}

void
speck_scene_clear (SpeckScene *scene)
{
  for (int k = 0; k < SPECK_PLANES; k++) {
    byte_plane_clear (&scene->shade[k]);
    byte_plane_clear (&scene->hat[k]);
    byte_plane_clear (&scene->usual[k]);
  }
}

/* ---- 2. peaks ---- */

static int
level_at (int peak, int height)
{
  return MAX (1, peak - (int) (heights[height] * (float) peak));
}

/* Whether no pixel around stands out more; of equals the first counts. */
static gboolean
is_peak (const BytePlane *hat, int x, int y)
{
  gsize i = (gsize) y * (gsize) hat->width + (gsize) x;

  for (int row = MAX (0, y - 1); row <= MIN (y + 1, hat->height - 1); row++)
    for (int col = MAX (0, x - 1); col <= MIN (x + 1, hat->width - 1); col++) {
      gsize j = (gsize) row * (gsize) hat->width + (gsize) col;

      if (hat->data[j] > hat->data[i]
          || (hat->data[j] == hat->data[i] && j < i))
        return FALSE;
    }
  return TRUE;
}

typedef struct {
  const SpeckScene *scene;
  const Judge *judge;
  int least;
  int cells_across, cells_down;
  int *crowds;   /* peaks of each cell, plane after plane */
  List **peaks;   /* of SpeckPeak, for each chunk of rows */
  Specks *found; /* for each chunk of rows */
} Search;

static void
note_peak (const Search *search, int plane, int x, int y, int chunk)
{
  int height = search->scene->hat[plane]
                 .data[(gsize) y * (gsize) search->scene->image->width
                       + (gsize) x];
  SpeckPeak peak = { x, y, (guint8) plane, 0 };
  SpeckRegion region;

  speck_region_start (&region, search->scene, plane, x, y);
  while (peak.depth < HEIGHTS
         && speck_region_flood (&region, level_at (height, peak.depth)))
    peak.depth++;
  if (peak.depth >= LEAST_HEIGHTS)
    list_append (search->peaks[chunk], &peak, 1);
}

static void
find_peaks (int chunk, int worker, gpointer data)
{
  const Search *search = data;
  const Image *image = search->scene->image;
  int end = MIN ((chunk + 1) * ROWS, image->height);

  (void) worker;
  for (int plane = 0; plane < SPECK_PLANES; plane++)
    for (int y = chunk * ROWS; y < end; y++)
      for (int x = 0; x < image->width; x++) {
        gsize i = (gsize) y * (gsize) image->width + (gsize) x;
        const BytePlane *hat = &search->scene->hat[plane];
        int usual = search->scene->usual[plane].data[i];

        if (hat->data[i] >= LEAST_PEAK && hat->data[i] >= PEAK_TIMES * usual
            && is_peak (hat, x, y) && !image_is_transparent (image, i))
          note_peak (search, plane, x, y, chunk);
      }
}

/* ---- 3. crowds ---- */

static int *
cell_of (const Search *search, int plane, int column, int row)
{
  return &search->crowds[(plane * search->cells_down + row)
                           * search->cells_across
                         + column];
}

static void
count_peaks (const Search *search, const List *peaks)
{
  for (guint i = 0; i < peaks->len; i++) {
    const SpeckPeak *peak = &list_at (peaks, SpeckPeak, i);

    ++*cell_of (search, peak->plane, peak->x / CELL, peak->y / CELL);
  }
}

/* How many other peaks there are around @peak. */
static int
crowd_of (const Search *search, const SpeckPeak *peak)
{
  int x = peak->x / CELL, y = peak->y / CELL, others = -1;

  for (int row = MAX (0, y - CROWD_REACH);
       row <= MIN (y + CROWD_REACH, search->cells_down - 1); row++)
    for (int col = MAX (0, x - CROWD_REACH);
         col <= MIN (x + CROWD_REACH, search->cells_across - 1); col++)
      others += *cell_of (search, peak->plane, col, row);
  return others;
}

/* ---- 4. candidates ---- */

static void
add_candidate (const Search *search, const Speck *speck, const float *f,
               int chunk)
{
  Specks *found = &search->found[chunk];
  Speck scored = *speck;

  if (search->judge != NULL) {
    scored.score = judge_score (search->judge, f);
    if (scored.score < search->least)
      return;
  }
  list_append (found->specks, &scored, 1);
  if (found->features != NULL)
    list_append (found->features, f, SPECK_FEATURES);
}

static void
examine (const Search *search, const SpeckPeak *peak, int chunk)
{
  int crowd = crowd_of (search, peak), before = 1, last = 0;
  int height = search->scene->hat[peak->plane]
                 .data[(gsize) peak->y * (gsize) search->scene->image->width
                       + (gsize) peak->x];
  SpeckRegion region;

  speck_region_start (&region, search->scene, peak->plane, peak->x, peak->y);
  for (int h = 0; h < peak->depth; h++) {
    int level = level_at (height, h);
    Speck speck = { peak->x, peak->y, peak->plane, (guint8) level, 0 };
    float f[SPECK_FEATURES];

    speck_region_forget (&region);
    (void) speck_region_flood (&region, level);
    if (region.count == last)
      continue;
    speck_region_measure (&region);
    if (speck_region_describe (&region, peak, level, before, crowd, f))
      add_candidate (search, &speck, f, chunk);
    before = last = region.count;
  }
}

static void
examine_peaks (int chunk, int worker, gpointer data)
{
  const Search *search = data;
  const List *peaks = search->peaks[chunk];

  (void) worker;
  for (guint i = 0; i < peaks->len; i++)
    examine (search, &list_at (peaks, SpeckPeak, i), chunk);
}

static gboolean
search_all (Search *search, int chunks, const Specks *specks,
            const Progress *progress, GError **error)
{
  ProgressPart halves[2] = { { progress, 0, 0.5 }, { progress, 0.5, 1 } };
  Progress first = progress_part (&halves[0]);
  Progress second = progress_part (&halves[1]);

  if (!parallel_for (chunks, find_peaks, search, &first, error))
    return FALSE;
  for (int i = 0; i < chunks; i++) {
    if (!list_check (search->peaks[i], "peaks", error))
      return FALSE;
    count_peaks (search, search->peaks[i]);
  }
  if (!parallel_for (chunks, examine_peaks, search, &second, error))
    return FALSE;
  for (int i = 0; i < chunks; i++) {
    const Specks *part = &search->found[i];

    if (!list_check (part->specks, "specks", error))
      return FALSE;
    list_append (specks->specks, part->specks->data, part->specks->len);
    if (specks->features != NULL) {
      if (!list_check (part->features, "what is known of specks", error))
        return FALSE;
      list_append (specks->features, part->features->data,
                   part->features->len);
    }
  }
  return list_check (specks->specks, "specks", error)
         && (specks->features == NULL
             || list_check (specks->features, "what is known of specks",
                            error));
}

gboolean
specks_find (const SpeckScene *scene, const Judge *judge, int least,
             const Specks *specks, const Progress *progress, GError **error)
{
  const Image *image = scene->image;
  int chunks = (image->height + ROWS - 1) / ROWS;
  g_autofree List **peaks = g_new (List *, chunks);
  g_autofree Specks *found = g_new0 (Specks, chunks);
  g_autofree int *crowds = NULL;
  Search search = { scene,
                    judge,
                    least,
                    image->width / CELL + 1,
                    image->height / CELL + 1,
                    NULL,
                    peaks,
                    found };
  gboolean ok;

  crowds = tessera_try_new0 (int,
                             (gsize) SPECK_PLANES * (gsize) search.cells_across
                               * (gsize) search.cells_down,
                             "specks", error);
  if (crowds == NULL)
    return FALSE;
  search.crowds = crowds;
  for (int i = 0; i < chunks; i++) {
    peaks[i] = list_new (sizeof (SpeckPeak), NULL);
    found[i].specks = list_new (sizeof (Speck), NULL);
    if (specks->features != NULL)
      found[i].features = list_new (sizeof (float), NULL);
  }
  ok = search_all (&search, chunks, specks, progress, error);
  for (int i = 0; i < chunks; i++) {
    list_free (peaks[i]);
    list_free (found[i].specks);
    g_clear_pointer (&found[i].features, list_free);
  }
  return ok;
}

int
speck_pixels (const SpeckScene *scene, const Speck *speck,
              gsize pixels[SPECK_PIXELS])
{
  SpeckRegion region;

  speck_region_start (&region, scene, speck->plane, speck->x, speck->y);
  (void) speck_region_flood (&region, speck->level);
  for (int i = 0; i < region.count; i++)
    pixels[i] = speck_place (&region, region.pixels[i]);
  return region.count;
}
