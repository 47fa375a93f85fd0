/* dust.c - dust and specks
 *
 * Spots of 1 to about 14 pixels across that cover the picture.  specks.h finds
 * what may be one, judge.h says how likely it is one.  Of the nested regions
 * of a peak the most likely one is marked, and what is left of its soft edge.
 *
 * These peaks tell how frequent dust is.  Where it is frequent, what has no
 * peak of its own is looked for, too: flats.h.
 */
#include "imaging/detect/detect.h"

#include "imaging/detect/flats.h"
#include "imaging/detect/specks.h"

static const JudgeTree trees[] = {
#include "imaging/detect/dust.trees"
};

static const Judge judge = { .trees = G_N_ELEMENTS (trees),
                             .tree = trees,
                             .density = 1.2e-4,
                             .least = 0.015,
                             .bold = 2 };

static const JudgeTree flat_trees[] = {
#include "imaging/detect/flats.trees"
};

static const Judge flat_judge = { .trees = G_N_ELEMENTS (flat_trees),
                                  .tree = flat_trees,
                                  .density = 1.2e-4,
                                  .least = 0.015,
                                  .bold = 4 };

/* Flat regions are looked for in pictures with this share of the density. */
#define LEAST_SHARE 0.4

/* ---- 1. peaks ---- */

/* Candidates below this are not worth a further look. */
#define LEAST_SCORE (-5 * JUDGE_UNIT)

static gboolean
have_same_peak (const Speck *a, const Speck *b)
{
  return a->x == b->x && a->y == b->y && a->plane == b->plane;
}

/* The best of the specks of each peak, the smaller one of equals. */
static GArray *
best_specks (const GArray *specks)
{
  GArray *best = g_array_new (FALSE, FALSE, sizeof (Speck));

  for (guint i = 0; i < specks->len; i++) {
    const Speck *speck = &g_array_index (specks, Speck, i);

    if (i == 0 || !have_same_peak (speck, speck - 1))
      g_array_append_val (best, *speck);
    else if (speck->score > g_array_index (best, Speck, best->len - 1).score)
      g_array_index (best, Speck, best->len - 1) = *speck;
  }
  return best;
}

static double
share_of (const GArray *specks, const Image *image, double strength)
{
  g_autofree int *scores = g_new (int, specks->len + 1);

  for (guint i = 0; i < specks->len; i++)
    scores[i] = g_array_index (specks, Speck, i).score;
  return judge_share (&judge, scores, specks->len,
                      (double) image_pixels (image), strength);
}

/* The part of the contrast of a speck that its edge has at least. */
#define EDGE_PART 5

/* Adds the pixels around pixel @i of a speck that stand out by @least as well:
 * its soft edge. */
static void
mark_edge (const BytePlane *hat, gsize i, int least, Mask *mask)
{
  int x = (int) (i % (gsize) hat->width), y = (int) (i / (gsize) hat->width);

  for (int row = MAX (0, y - 1); row <= MIN (y + 1, hat->height - 1); row++)
    for (int col = MAX (0, x - 1); col <= MIN (x + 1, hat->width - 1); col++) {
      gsize j = (gsize) row * (gsize) hat->width + (gsize) col;

      if (hat->data[j] >= least)
        mask->missing[j] = MASK_PIXEL;
    }
}

static void
mark_speck (const SpeckScene *scene, const Speck *speck, Mask *mask)
{
  const BytePlane *hat = &scene->hat[speck->plane];
  gsize pixels[SPECK_PIXELS];
  int count = speck_pixels (scene, speck, pixels), sum = 0;

  for (int k = 0; k < count; k++)
    sum += hat->data[pixels[k]];
  for (int k = 0; k < count; k++)
    mark_edge (hat, pixels[k], MAX (1, sum / (count * EDGE_PART)), mask);
}

/* Adds the specks above @threshold to @mask. */
static void
mark_specks (const SpeckScene *scene, const GArray *specks, int threshold,
             Mask *mask)
{
  for (guint i = 0; i < specks->len; i++) {
    const Speck *speck = &g_array_index (specks, Speck, i);

    if (speck->score > threshold)
      mark_speck (scene, speck, mask);
  }
}

/* ---- 2. flat regions ---- */

/* How far the colour of pixel @i is from that around a flat region to its own,
 * as a share of the way. */
static float
cover_of (const FlatScene *scene, const FlatColours *colours, gsize i)
{
  float product = 0, square = 1;

  for (int c = 0; c < 3; c++) {
    float way = colours->inside[c] - colours->around[c];

    product +=
      way * ((float) scene->colours[3 * i + (gsize) c] - colours->around[c]);
    square += way * way;
  }
  return product / square;
}

/* Marks the pixels of @flat, and those around them that it covers in part: its
 * soft edge. */
static void
mark_flat (const FlatScene *scene, const Flats *flats, const Flat *flat,
           Mask *mask)
{
  FlatColours colours = flat_colours (scene, flats, flat);
  gsize width = (gsize) mask->width;

  for (guint k = 0; k < flat->count; k++) {
    gsize i = g_array_index (flats->pixels, gsize, flat->start + k);
    int x = (int) (i % width), y = (int) (i / width);

    mask->missing[i] = MASK_PIXEL;
    for (int row = MAX (0, y - 1); row <= MIN (y + 1, mask->height - 1); row++)
      for (int col = MAX (0, x - 1); col <= MIN (x + 1, mask->width - 1);
           col++) {
        gsize j = (gsize) row * width + (gsize) col;

        if (EDGE_PART * cover_of (scene, &colours, j) >= 1)
          mask->missing[j] = MASK_PIXEL;
      }
  }
}

/* Adds the flat regions that are dust in a picture where dust is as frequent as
 * @share says. */
static gboolean
mark_flats (const SpeckScene *scene, double share, double strength, Mask *mask,
            const Progress *progress, GError **error)
{
  g_auto (FlatScene) flat_scene = { 0 };
  g_auto (Flats) flats = { 0 };
  int threshold = judge_threshold (&flat_judge, share, strength);

  flats_init (&flats, FALSE);
  if (!flat_scene_init (&flat_scene, scene, error)
      || !flats_find (&flat_scene, &flat_judge, threshold + 1, &flats,
                      progress, error))
    return FALSE;
  for (guint i = 0; i < flats.flats->len; i++)
    mark_flat (&flat_scene, &flats, &g_array_index (flats.flats, Flat, i),
               mask);
  return TRUE;
}

/* ---- 3. both ---- */

static Mask *
find_dust (const Image *image, double strength, const Progress *progress,
           GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (Speck));
  g_autoptr (GArray) best = NULL;
  g_auto (SpeckScene) scene = { 0 };
  const Specks specks = { .specks = found };
  ProgressPart parts[3] = { { progress, 0, 0.3 },
                            { progress, 0.3, 0.7 },
                            { progress, 0.7, 1 } };
  Progress first = progress_part (&parts[0]);
  Progress second = progress_part (&parts[1]);
  Progress third = progress_part (&parts[2]);
  double share;

  if (mask == NULL || !speck_scene_init (&scene, image, &first, error)
      || !specks_find (&scene, &judge, LEAST_SCORE, &specks, &second, error))
    return NULL;
  best = best_specks (found);
  share = share_of (best, image, strength);
  mark_specks (&scene, best, judge_threshold (&judge, share, strength), mask);
  if (share >= LEAST_SHARE
      && !mark_flats (&scene, share, strength, mask, &third, error))
    return NULL;
  if (!progress_step (progress, 1, error))
    return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_dust = { "dust", "dust and specks", find_dust,
                                 .is_overlay = TRUE };
