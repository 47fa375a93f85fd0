/* scratches.c - scratches and hairs
 *
 * Long thin lines, lighter or darker than both sides, straight or curved.
 * lines.h finds what may be one, in segments; judge.h says how likely it is
 * one.  What lies within a pixel of a line is marked, too, as edges are soft.
 */
#include "imaging/detect/detect.h"

#include "imaging/detect/judge.h"
#include "imaging/detect/lines.h"

static const JudgeTree trees[] = {
#include "imaging/detect/scratches.trees"
};

static const Judge judge = { .trees = G_N_ELEMENTS (trees),
                             .tree = trees,
                             .density = 1.2e-4,
                             .least = 0.015 };

static void
mark_segment (const Segment *segment, const Image *image, Mask *mask)
{
  int width = segment->turned ? image->height : image->width;

  for (int i = 0; i < segment->rows; i++) {
    int from = MAX (0, segment->core[i] - segment->left);
    int to = MIN (width - 1, segment->core[i] + segment->right);

    for (int x = from; x <= to; x++)
      mask->missing[segment_place (segment, image, i, x)] = MASK_PIXEL;
  }
}

/* A segment next to one that is damage, in the same line, is damage by this
 * much less evidence. */
#define NEXT_SCORE (2 * JUDGE_UNIT)

/* Sets the scores of segments above @threshold, and of those that continue
 * them, to G_MAXINT. */
static void
accept (const GArray *segments, int threshold, int *scores)
{
  int last = (int) segments->len - 1;

  for (int i = 0; i <= last; i++)
    if (scores[i] > threshold)
      scores[i] = G_MAXINT;
  for (int i = 0; i < last; i++)
    if (g_array_index (segments, Segment, i).goes_on && scores[i] == G_MAXINT
        && scores[i + 1] > threshold - NEXT_SCORE)
      scores[i + 1] = G_MAXINT;
  for (int i = last; i > 0; i--)
    if (g_array_index (segments, Segment, i - 1).goes_on
        && scores[i] == G_MAXINT && scores[i - 1] > threshold - NEXT_SCORE)
      scores[i - 1] = G_MAXINT;
}

/* Adds the segments that are damage to @mask. */
static void
mark_lines (const GArray *segments, const Image *image, double strength,
            Mask *mask)
{
  g_autofree int *scores = g_new (int, segments->len + 1);
  int threshold;

  for (guint i = 0; i < segments->len; i++)
    scores[i] =
      judge_score (&judge, g_array_index (segments, Segment, i).features);
  threshold = judge_threshold (&judge, scores, segments->len,
                               (double) image_pixels (image), strength);
  accept (segments, threshold, scores);
  for (guint i = 0; i < segments->len; i++)
    if (scores[i] == G_MAXINT)
      mark_segment (&g_array_index (segments, Segment, i), image, mask);
}

static Mask *
find_scratches (const Image *image, double strength, const Progress *progress,
                GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  g_autoptr (GArray) segments = NULL;

  if (mask == NULL)
    return NULL;
  segments = lines_find (image, progress, error);
  if (segments == NULL)
    return NULL;
  mark_lines (segments, image, strength, mask);
  if (!mask_grow (mask, 1, error))
    return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_scratches = { "scratches", "scratches and hairs",
                                      find_scratches };
