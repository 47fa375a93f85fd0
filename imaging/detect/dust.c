/* dust.c - dust and specks
 *
 * Spots of 1 to about 14 pixels across that cover the picture.  spots.h finds
 * what may be one and looks at it closely, judge.h says how likely it is one.
 * Of spots that overlap the likeliest one counts.  Pupils, which are spots too,
 * are left.
 */
#include "imaging/detect/detect.h"

#include "imaging/detect/eye.h"
#include "imaging/detect/likely.h"
#include "imaging/detect/spotlook.h"

static const JudgeTree plain_trees[] = {
#include "imaging/detect/spots.trees"
};

static const JudgeTree likely_trees[] = {
#include "imaging/detect/likely.trees"
};

/* By what can be seen of a spot; and where the network was asked, too. */
static const Judge plain_judge = { .trees = G_N_ELEMENTS (plain_trees),
                                   .tree = plain_trees,
                                   .density = 1.2e-4,
                                   .clean_pixels = 60000,
                                   .least = 0.015,
                                   .bold = 12 };
static const Judge likely_judge = { .trees = G_N_ELEMENTS (likely_trees),
                                    .tree = likely_trees,
                                    .density = 1.2e-4,
                                    .clean_pixels = 60000,
                                    .least = 0.015,
                                    .bold = 12 };

/* Flat regions are looked for, and the network is asked, in pictures with this
 * share of the density. */
#define LEAST_SHARE 0.1

/* A spot whose score is above the threshold by this is dust even if it looks
 * like an eye, unless it looks very much like one. */
#define EYE_MARGIN (9 * JUDGE_UNIT / 2)

/* In others a speck needs strong evidence, and has some at first sight. */
#define CLEAN_LEAST (-2 * JUDGE_UNIT)

static gboolean
find_threshold (const Spots *spots, const Judge *judge, double strength,
                int *threshold, GError **error)
{
  g_autofree int *scores =
    tessera_try_new (int, spots->spots->len, "specks", error);
  double share;

  if (scores == NULL)
    return FALSE;
  for (guint i = 0; i < spots->spots->len; i++)
    scores[i] = list_at (spots->spots, Spot, i).score;
  share = judge_share (judge, scores, spots->spots->len,
                       (double) image_pixels (spots->scene->image), strength);
  *threshold = judge_threshold (judge, share, strength);
  return TRUE;
}

/* The best spots, and who has judged them.  Peaks tell how frequent dust is;
 * where there is some, what has no peak of its own is looked for, too. */
static gboolean
find_spots (Spots *spots, double strength, const Judge **judge,
            const Progress *progress, GError **error)
{
  ProgressPart parts[4] = { { progress, 0, 0.3 },
                            { progress, 0.3, 0.5 },
                            { progress, 0.5, 0.9 },
                            { progress, 0.9, 1 } };
  Progress first = progress_part (&parts[0]);
  Progress second = progress_part (&parts[1]);
  Progress third = progress_part (&parts[2]);
  Progress fourth = progress_part (&parts[3]);
  int least = CLEAN_LEAST;
  double share;

  *judge = &plain_judge;
  if (!spots_find_specks (spots, &first, error)
      || !spots_share (spots, strength, &share, error))
    return FALSE;
  if (share >= LEAST_SHARE) {
    if (!spots_find_flats (spots, &second, error)
        || !likely_find (spots, &third, error))
      return FALSE;
    *judge = &likely_judge;
    least = SPOT_LEAST;
  }
  return spots_examine (spots, *judge, least, &fourth, error)
         && spots_keep_best (spots, error);
}

/* Whether @spot belongs to an eye; @above is its score above the threshold. */
static gboolean
is_in_eye (const Spots *spots, const Spot *spot, int above)
{
  gsize width = (gsize) spots->scene->image->width;
  double x = 0, y = 0;

  for (guint k = 0; k < spot->count; k++) {
    gsize i = list_at (spots->pixels, gsize, spot->start + k);

    x += (double) (i % width);
    y += (double) (i / width);
  }
  return eye_directions (spots->scene->image, x / spot->count,
                         y / spot->count, (int) spot->count)
         >= (above > EYE_MARGIN ? EYE_SURE : EYE_LIKELY);
}

static Mask *
find_dust (const Image *image, double strength, const Progress *progress,
           GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  g_auto (SpeckScene) scene = { 0 };
  g_auto (Spots) spots = { 0 };
  ProgressPart parts[2] = { { progress, 0, 0.3 }, { progress, 0.3, 1 } };
  Progress first = progress_part (&parts[0]);
  Progress second = progress_part (&parts[1]);
  const Judge *judge;
  int threshold;

  spots_init (&spots, &scene);
  if (mask == NULL || !speck_scene_init (&scene, image, &first, error)
      || !find_spots (&spots, strength, &judge, &second, error)
      || !find_threshold (&spots, judge, strength, &threshold, error))
    return NULL;
  for (guint i = 0; i < spots.spots->len; i++) {
    const Spot *spot = &list_at (spots.spots, Spot, i);

    if (spot->score <= threshold
        || is_in_eye (&spots, spot, spot->score - threshold))
      continue;
    spot_mark (&spots, spot, mask);
    if (judge == &likely_judge)
      likely_mark (&spots, spot, mask);
  }
  if (!progress_step (progress, 1, error))
    return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_dust = { .name = "dust",
                                 .noun = "dust and specks",
                                 .find = find_dust,
                                 .classes = DAMAGE_CLASS (DAMAGE_SPECKS),
                                 .is_overlay = TRUE };
