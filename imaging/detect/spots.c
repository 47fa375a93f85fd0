#include "imaging/detect/spots.h"

#include "base/parallel.h"
#include "imaging/detect/likely.h"
#include "imaging/detect/spotlook.h"

#include <math.h>
#include <string.h>

static const JudgeTree speck_trees[] = {
#include "imaging/detect/dust.trees"
};

static const Judge speck_judge = { .trees = G_N_ELEMENTS (speck_trees),
                                   .tree = speck_trees,
                                   .density = 1.2e-4,
                                   .clean_pixels = 60000,
                                   .least = 0.015 };

static const JudgeTree flat_trees[] = {
#include "imaging/detect/flats.trees"
};

static const Judge flat_judge = { .trees = G_N_ELEMENTS (flat_trees),
                                  .tree = flat_trees };

/* Spots that a thread looks at, at a time. */
#define CHUNK 64

/* Spots are sorted into cells; those of 5 x 5 cells are the ones around. */
#define CELL 16
#define CELL_REACH 2

/* A first score that is lower by this than that of another spot with the same
 * outline does not become the larger one. */
#define FAR_BELOW (4 * JUDGE_UNIT)

/* A spot that has more of its pixels in likelier ones is another view of
 * them. */
#define MOST_SHARED 0.25

/* Part of the box of both that two regions of one outline share. */
#define SAME_BOX 0.6f

void
spots_init (Spots *spots, const SpeckScene *scene)
{
  *spots = (Spots){ scene, list_new (sizeof (Spot), NULL),
                    list_new (sizeof (gsize), NULL),
                    list_new (sizeof (float), NULL), { 0 } };
}

void
spots_clear (Spots *spots)
{
  g_clear_pointer (&spots->spots, list_free);
  g_clear_pointer (&spots->pixels, list_free);
  g_clear_pointer (&spots->features, list_free);
  byte_plane_clear (&spots->scores);
}

/* ---- 1. gathering ---- */

static ImageArea
box_of (const gsize *pixels, int count, gsize width)
{
  int x0 = G_MAXINT, x1 = 0, y0 = G_MAXINT, y1 = 0;

  for (int k = 0; k < count; k++) {
    int x = (int) (pixels[k] % width), y = (int) (pixels[k] / width);

    x0 = MIN (x0, x);
    x1 = MAX (x1, x);
    y0 = MIN (y0, y);
    y1 = MAX (y1, y);
  }
  return (ImageArea){ x0, y0, x1 - x0 + 1, y1 - y0 + 1 };
}

void
spots_add (Spots *spots, const gsize *pixels, int count, Spot spot)
{
  spot.start = spots->pixels->len;
  spot.count = (guint) count;
  spot.box = box_of (pixels, count, (gsize) spots->scene->image->width);
  if (list_append (spots->pixels, pixels, (guint) count))
    list_append (spots->spots, &spot, 1);
}

gboolean
spots_check (const Spots *spots, GError **error)
{
  return list_check (spots->pixels, "the pixels of specks", error)
         && list_check (spots->spots, "specks", error);
}

gboolean
spots_find_specks (Spots *spots, const Progress *progress, GError **error)
{
  g_autoptr (List) found = list_new (sizeof (Speck), NULL);
  const Specks specks = { .specks = found };

  if (!specks_find (spots->scene, &speck_judge, SPOT_LEAST, &specks, progress,
                    error))
    return FALSE;
  for (guint i = 0; i < found->len; i++) {
    const Speck *speck = &list_at (found, Speck, i);
    gsize pixels[SPECK_PIXELS];
    int count = speck_pixels (spots->scene, speck, pixels);

    spots_add (
      spots, pixels, count,
      (Spot){ .kind = speck->plane,
              .first = speck->score,
              .peak = (gint64) speck->y * spots->scene->image->width
                      + speck->x });
  }
  return spots_check (spots, error);
}

gboolean
spots_find_flats (Spots *spots, const Progress *progress, GError **error)
{
  g_auto (FlatScene) scene = { 0 };
  g_auto (Flats) flats = { 0 };

  flats_init (&flats, FALSE);
  if (!flat_scene_init (&scene, spots->scene, error)
      || !flats_find (&scene, &flat_judge, SPOT_LEAST, &flats, progress,
                      error))
    return FALSE;
  for (guint i = 0; i < flats.flats->len; i++) {
    const Flat *flat = &list_at (flats.flats, Flat, i);

    spots_add (
      spots, &list_at (flats.pixels, gsize, flat->start),
      (int) flat->count,
      (Spot){ .kind = SPOT_FLAT, .first = flat->score, .peak = -1 });
  }
  return spots_check (spots, error);
}

/* The best scores of the regions of each peak count. */
gboolean
spots_share (const Spots *spots, double strength, double *share,
             GError **error)
{
  g_autofree int *scores =
    tessera_try_new (int, spots->spots->len, "specks", error);
  gint64 peak = -1;
  int kind = -1;
  gsize count = 0;

  if (scores == NULL)
    return FALSE;
  for (guint i = 0; i < spots->spots->len; i++) {
    const Spot *spot = &list_at (spots->spots, Spot, i);

    if (spot->kind >= SPECK_PLANES)
      continue;
    if (spot->peak != peak || spot->kind != kind)
      scores[count++] = spot->first;
    else
      scores[count - 1] = MAX (scores[count - 1], spot->first);
    peak = spot->peak;
    kind = spot->kind;
  }
  *share = judge_share (&speck_judge, scores, count,
                        (double) image_pixels (spots->scene->image), strength);
  return TRUE;
}

/* ---- 2. the others around ---- */

typedef struct {
  int across, down;
  int *first; /* spot of each cell, -1 for none */
  int *next;  /* spot of the same cell */
} Cells;

static int
cell_of (const Spot *spot, int across)
{
  return (spot->box.y + spot->box.height / 2) / CELL * across
         + (spot->box.x + spot->box.width / 2) / CELL;
}

static gboolean
cells_init (Cells *cells, const Spots *spots, GError **error)
{
  const Image *image = spots->scene->image;
  int count = (int) spots->spots->len;

  cells->across = image->width / CELL + 1;
  cells->down = image->height / CELL + 1;
  cells->first = tessera_try_new (
    int, (gsize) cells->across * (gsize) cells->down, "specks", error);
  cells->next = cells->first != NULL
                  ? tessera_try_new (int, count, "specks", error)
                  : NULL;
  if (cells->next == NULL)
    return FALSE;
  for (int i = 0; i < cells->across * cells->down; i++)
    cells->first[i] = -1;
  for (int i = count - 1; i >= 0; i--) {
    int *first = &cells->first[cell_of (&list_at (spots->spots, Spot, i),
                                        cells->across)];

    cells->next[i] = *first;
    *first = i;
  }
  return TRUE;
}

static void
cells_clear (Cells *cells)
{
  g_clear_pointer (&cells->first, g_free);
  g_clear_pointer (&cells->next, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cells, cells_clear)

/* The part of both boxes that is in both. */
static float
shared_box (const ImageArea *a, const ImageArea *b)
{
  int width = MIN (a->x + a->width, b->x + b->width) - MAX (a->x, b->x);
  int height = MIN (a->y + a->height, b->y + b->height) - MAX (a->y, b->y);
  int shared = MAX (0, width) * MAX (0, height);

  return (float) shared
         / (float) (a->width * a->height + b->width * b->height - shared);
}

/* Peaks, flat regions and likely ones. */
#define FINDERS 3

/* What the spots around say. */
typedef struct {
  int same[FINDERS]; /* of the same outline, by finder */
  int best[FINDERS]; /* their largest score */
  int better;   /* of another place, with a larger score */
  int all;      /* of another place */
  int touching; /* largest score of those that overlap, with another outline */
} Others;

static void
note_other (const Spot *spot, const Spot *other, Others *others)
{
  float shared = shared_box (&spot->box, &other->box);
  int finder = MAX (0, other->kind - SPECK_PLANES + 1);

  if (shared >= SAME_BOX) {
    others->same[finder]++;
    others->best[finder] = MAX (others->best[finder], other->first);
  } else if (shared > 0) {
    others->touching = MAX (others->touching, other->first);
  } else {
    others->all++;
    others->better += other->first > spot->first;
  }
}

static void
describe_others (const Spots *spots, const Cells *cells, const Spot *spot,
                 float plain[SPOT_PLAIN_FEATURES - SPOT_LOOKS],
                 float likely[2])
{
  int cell = cell_of (spot, cells->across);
  int x = cell % cells->across, y = cell / cells->across;
  Others others = { .best = { 2 * SPOT_LEAST, 2 * SPOT_LEAST, 2 * SPOT_LEAST },
                    .touching = 2 * SPOT_LEAST };

  for (int row = MAX (0, y - CELL_REACH);
       row <= MIN (y + CELL_REACH, cells->down - 1); row++)
    for (int col = MAX (0, x - CELL_REACH);
         col <= MIN (x + CELL_REACH, cells->across - 1); col++)
      for (int i = cells->first[row * cells->across + col]; i >= 0;
           i = cells->next[i])
        note_other (spot, &list_at (spots->spots, Spot, i), &others);
  plain[0] = (float) others.same[0];
  plain[1] = (float) others.same[1];
  plain[2] = (float) others.best[0];
  plain[3] = (float) others.best[1];
  plain[4] = (float) others.better;
  plain[5] = (float) others.all;
  plain[6] = (float) others.touching;
  plain[7] = (float) spot->first;
  likely[0] = (float) others.same[2];
  likely[1] = (float) others.best[2];
}

/* ---- 3. all of them ---- */

typedef struct {
  Spots *spots;
  const Judge *judge;
  int least;
  const Cells *cells;
} Examination;

/* Whether @spot cannot become the one of its place that counts; @f are what
 * the others say. */
static gboolean
is_hopeless (const Spot *spot, const float *f, int least)
{
  float best = MAX (f[2], f[3]);

  if (spot->kind == SPOT_LIKELY)
    return FALSE;
  return spot->first < least || (float) spot->first < best - FAR_BELOW;
}

static void
examine_spot (const Examination *examination, guint i)
{
  Spots *spots = examination->spots;
  Spot *spot = &list_at (spots->spots, Spot, i);
  float own[SPOT_FEATURES];
  const Judge *judge = examination->judge;
  float *f = judge != NULL
               ? own
               : &list_at (spots->features, float, i *SPOT_FEATURES);

  describe_others (spots, examination->cells, spot, f + SPOT_LOOKS,
                   f + SPOT_PLAIN_FEATURES + LIKELY_FEATURES);
  spot->score = G_MININT;
  if (judge != NULL && is_hopeless (spot, f + SPOT_LOOKS, examination->least))
    return;
  if (!spot_look (spots, spot, f)) {
    memset (f, 0, sizeof own);
    return;
  }
  if (spots->scores.data != NULL)
    likely_describe (spots, spot, f + SPOT_PLAIN_FEATURES);
  if (judge != NULL)
    spot->score = judge_score (judge, f);
}

static void
examine_chunk (int chunk, int worker, gpointer data)
{
  const Examination *examination = data;
  guint end =
    MIN ((guint) (chunk + 1) * CHUNK, examination->spots->spots->len);

  (void) worker;
  for (guint i = (guint) chunk * CHUNK; i < end; i++)
    examine_spot (examination, i);
}

gboolean
spots_examine (Spots *spots, const Judge *judge, int least,
               const Progress *progress, GError **error)
{
  g_auto (Cells) cells = { 0 };
  Examination examination = { spots, judge, least, &cells };
  int chunks = (int) ((spots->spots->len + CHUNK - 1) / CHUNK);

  if (!cells_init (&cells, spots, error))
    return FALSE;
  if (judge == NULL
      && !list_append (spots->features, NULL,
                       spots->spots->len * SPOT_FEATURES))
    return list_check (spots->features, "what is known of specks", error);
  return parallel_for (chunks, examine_chunk, &examination, progress, error);
}

/* ---- 4. one of each place ---- */

/* The likelier one first, of equals the one that was found first. */
static int
by_score (gconstpointer a, gconstpointer b)
{
  const Spot *p = a, *q = b;

  if (p->score != q->score)
    return p->score < q->score ? 1 : -1;
  return p->start < q->start ? -1 : 1;
}

/* Takes the pixels of @spot, unless too many are taken. */
static gboolean
take_pixels (const Spots *spots, const Spot *spot, BytePlane *taken)
{
  const gsize *pixels = &list_at (spots->pixels, gsize, spot->start);
  guint shared = 0;

  for (guint k = 0; k < spot->count; k++)
    shared += taken->data[pixels[k]];
  if (shared > MOST_SHARED * spot->count)
    return FALSE;
  for (guint k = 0; k < spot->count; k++)
    taken->data[pixels[k]] = 1;
  return TRUE;
}

gboolean
spots_keep_best (Spots *spots, GError **error)
{
  const Image *image = spots->scene->image;
  g_auto (BytePlane) taken = { 0 };
  guint kept = 0;

  if (!byte_plane_init (&taken, image->width, image->height, error))
    return FALSE;
  if (!list_sort (spots->spots, by_score))
    return spots_check (spots, error);
  for (guint i = 0; i < spots->spots->len; i++) {
    Spot spot = list_at (spots->spots, Spot, i);

    if (spot.score == G_MININT)
      break;
    if (take_pixels (spots, &spot, &taken))
      list_at (spots->spots, Spot, kept++) = spot;
  }
  list_cut (spots->spots, kept);
  return TRUE;
}
