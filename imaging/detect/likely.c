#include "imaging/detect/likely.h"

#include "imaging/detect/speckregion.h"

/* Logits above which pixels that touch are a spot: parts of a spot are tried as
 * well, as it may have grown together with something else. */
static const int levels[] = { -2 * SCORE_UNIT, -SCORE_UNIT / 2, SCORE_UNIT };

/* The logit of pixels that are marked with a spot. */
#define MARKED SCORE_UNIT

/* ---- 1. finding ---- */

static gboolean
ask_network (Spots *spots, const Progress *progress, GError **error)
{
  const Image *image = spots->scene->image;
  g_auto (SpeckNet) net = { 0 };

  return specknet_load (&net, error)
         && byte_plane_init (&spots->scores, image->width, image->height,
                             error)
         && specknet_score (&net, image, &spots->scores, progress, error);
}

/* The mean logit of some pixels, as a judge has it. */
static int
mean_logit (const Spots *spots, const List *pixels)
{
  gint64 sum = 0;

  for (guint k = 0; k < pixels->len; k++)
    sum += spots->scores.data[list_at (pixels, gsize, k)] - SCORE_ZERO;
  return (int) (sum * JUDGE_UNIT / SCORE_UNIT / (int) pixels->len);
}

static void
add_region (Spots *spots, const List *pixels, const ImageArea *box)
{
  if (pixels->len <= SPECK_PIXELS
      && MAX (box->width, box->height) <= SPECK_SPAN)
    spots_add (spots, &list_at (pixels, gsize, 0), (int) pixels->len,
               (Spot){ .kind = SPOT_LIKELY,
                       .first = mean_logit (spots, pixels),
                       .peak = -1 });
}

static gboolean
find_above (Spots *spots, int level, GError **error)
{
  const BytePlane *scores = &spots->scores;
  g_autoptr (List) pixels = list_new (sizeof (gsize), NULL);
  g_auto (BytePlane) left = { 0 };

  if (!byte_plane_init (&left, scores->width, scores->height, error))
    return FALSE;
  for (gsize i = 0; i < byte_plane_size (scores); i++)
    left.data[i] = scores->data[i] >= SCORE_ZERO + level
                   && !image_is_transparent (spots->scene->image, i);
  for (gsize i = 0; i < byte_plane_size (&left); i++)
    if (left.data[i]) {
      ImageArea box = byte_plane_collect (&left, i, NULL, NULL, pixels);

      if (!list_check (pixels, "the pixels of a mark", error))
        return FALSE;
      add_region (spots, pixels, &box);
    }
  return spots_check (spots, error);
}

gboolean
likely_find (Spots *spots, const Progress *progress, GError **error)
{
  if (!ask_network (spots, progress, error))
    return FALSE;
  for (gsize k = 0; k < G_N_ELEMENTS (levels); k++)
    if (!find_above (spots, levels[k], error))
      return FALSE;
  return TRUE;
}

/* ---- 2. describing ---- */

typedef struct {
  int count, sum, least, most;
} Scores;

static float
scores_mean (const Scores *scores)
{
  return (float) scores->sum / (float) MAX (1, scores->count);
}

static void
scores_add (Scores *scores, int score)
{
  scores->least = scores->count > 0 ? MIN (scores->least, score) : score;
  scores->most = MAX (scores->most, score);
  scores->sum += score;
  scores->count++;
}

static void
load_region (const Spots *spots, const Spot *spot, SpeckRegion *region)
{
  speck_region_put (region, spots->scene, &spot->box,
                    &list_at (spots->pixels, gsize, spot->start),
                    (int) spot->count);
  speck_region_measure (region);
}

void
likely_describe (const Spots *spots, const Spot *spot,
                 float f[LIKELY_FEATURES])
{
  SpeckRegion region;
  Scores inside = { 0 }, next = { 0 }, further = { 0 };

  load_region (spots, spot, &region);
  SPECK_FOR_NEAR (&region, k)
  {
    int near = region.near[k];
    int score = spots->scores.data[speck_place (&region, k)];

    if (near <= 4)
      scores_add (near == 1 ? &inside : near == 2 ? &next : &further, score);
  }
  f[0] = scores_mean (&inside);
  f[1] = (float) inside.least;
  f[2] = (float) inside.most;
  f[3] = scores_mean (&next);
  f[4] = scores_mean (&further);
  f[5] = (float) further.most;
}

/* ---- 3. marking ---- */

void
likely_mark (const Spots *spots, const Spot *spot, Mask *mask)
{
  SpeckRegion region;

  load_region (spots, spot, &region);
  SPECK_FOR_NEAR (&region, k)
  {
    gsize i = speck_place (&region, k);

    if (region.near[k] > 1 && spots->scores.data[i] >= SCORE_ZERO + MARKED
        && !image_is_transparent (spots->scene->image, i))
      mask->missing[i] = MASK_PIXEL;
  }
}
