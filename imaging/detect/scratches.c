/* scratches.c - scratches and hairs
 *
 * Long thin lines, lighter or darker than both sides, straight or curved.
 * lines.h finds what may be one, in segments; judge.h says how likely it is
 * one; follow.h finds where it goes on, its exact place and its width.  Where
 * a line cannot be followed, what lies within a pixel of it is marked, too, as
 * edges are soft.  In a picture with many scratches this is done once more
 * without those that were found (bridge.h), as they hide others.
 */
#include "imaging/detect/detect.h"

#include "imaging/detect/bridge.h"
#include "imaging/detect/follow.h"
#include "imaging/detect/judge.h"
#include "imaging/detect/lines.h"

static const JudgeTree trees[] = {
#include "imaging/detect/scratches.trees"
};

static const Judge judge = { .trees = G_N_ELEMENTS (trees),
                             .tree = trees,
                             .density = 1.2e-4,
                             .clean_pixels = 200000,
                             .least = 0.015,
                             .bold = 4 };

/* A second look is taken at pictures with this share of the density. */
#define LEAST_SHARE 0.4

/* Whether @followed has all of @segment already. */
static gboolean
is_followed (const Segment *segment, const Image *image, const Mask *followed)
{
  int rows = 0;

  for (int i = 0; i < segment->rows; i++)
    rows += followed->missing[segment_place (segment, image, i,
                                             segment->core[i])] != 0;
  return rows == segment->rows;
}

/* Adds the rows of @segment to @mask that @followed has none of. */
static void
mark_segment (const Segment *segment, const Image *image, const Mask *followed,
              Mask *mask)
{
  int width = segment->turned ? image->height : image->width;

  for (int i = 0; i < segment->rows; i++) {
    int from = MAX (0, segment->core[i] - segment->left);
    int to = MIN (width - 1, segment->core[i] + segment->right);
    gboolean done = FALSE;

    for (int x = from; x <= to; x++)
      done |= followed->missing[segment_place (segment, image, i, x)];
    for (int x = from; x <= to && !done; x++)
      mask->missing[segment_place (segment, image, i, x)] = MASK_PIXEL;
  }
}

/* Adds the segments that are damage, and where they go on, to @mask. */
static gboolean
mark_lines (const List *segments, const int *scores, int threshold,
            const Image *image, Mask *mask, GError **error)
{
  g_autoptr (Mask) rest = mask_new (image->width, image->height, error);

  if (rest == NULL)
    return FALSE;
  for (guint i = 0; i < segments->len; i++) {
    const Segment *segment = &list_at (segments, Segment, i);

    if (scores[i] > threshold && !is_followed (segment, image, mask))
      scratch_follow (image, segment, mask);
  }
  for (guint i = 0; i < segments->len; i++)
    if (scores[i] > threshold)
      mark_segment (&list_at (segments, Segment, i), image, mask, rest);
  if (!mask_grow (rest, 1, error))
    return FALSE;
  mask_add (mask, rest);
  return TRUE;
}

static int *
score_all (const List *segments, GError **error)
{
  int *scores = tessera_try_new (int, segments->len, "scratches", error);

  for (guint i = 0; scores != NULL && i < segments->len; i++)
    scores[i] =
      judge_score (&judge, list_at (segments, Segment, i).features);
  return scores;
}

/* Adds the scratches of @image to @mask.  *@share is how frequent they are; 0
 * at the first look, which finds it.  What that has missed must be likely in
 * itself at the second one. */
static gboolean
look (const Image *image, double strength, double *share, Mask *mask,
      const Progress *progress, GError **error)
{
  g_autoptr (List) segments = lines_find (image, progress, error);
  g_autofree int *scores = NULL;
  Judge judging = judge;

  if (segments == NULL)
    return FALSE;
  scores = score_all (segments, error);
  if (scores == NULL)
    return FALSE;
  if (*share > 0)
    judging.bold = 1;
  else
    *share = judge_share (&judge, scores, segments->len,
                          (double) image_pixels (image), strength);
  return mark_lines (segments, scores,
                     judge_threshold (&judging, *share, strength), image,
                     mask, error);
}

static Mask *
find_scratches (const Image *image, double strength, const Progress *progress,
                GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  g_autoptr (Image) bridged = NULL;
  ProgressPart parts[2] = { { progress, 0, 0.5 }, { progress, 0.5, 1 } };
  Progress first = progress_part (&parts[0]);
  Progress second = progress_part (&parts[1]);
  double share = 0;

  if (mask == NULL || !look (image, strength, &share, mask, &first, error))
    return NULL;
  if (share < LEAST_SHARE)
    return g_steal_pointer (&mask);
  bridged = image_bridge (image, mask, error);
  if (bridged == NULL
      || !look (bridged, strength, &share, mask, &second, error))
    return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_scratches = { .name = "scratches",
                                      .noun = "scratches, cracks and hairs",
                                      .find = find_scratches,
                                      .classes = DAMAGE_CLASS (DAMAGE_LINES),
                                      .is_overlay = TRUE };
