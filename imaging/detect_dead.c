/* detect_dead.c - dead and random-valued pixels
 *
 * Black and white.  Most of the pixels of a photograph that are purely black
 * (or white) have neighbours nearly as black.  If instead most of them stand
 * out from the nearest pixels of other values, that colour means "dead", and
 * all pixels of it are missing.  A picture of nothing but black and white,
 * such as a page of text, does not tell which of them that would be: it has
 * none.
 *
 * Any value.  For each other pixel, the distances to those of its eight
 * neighbours that are alive are sorted and the four smallest added up (the
 * rank-ordered absolute differences of Garnett and others, 2005).  A pixel on
 * an edge or a line still has some neighbours like itself, a random one has
 * none.  It is missing when the sum is large, and much larger than what is
 * usual around it.  A second pass no longer counts what the first found.
 *
 * Glitter on water does the same to a few pixels.  So a strict test comes
 * first: only a picture in which more pixels pass it than glitter explains is
 * taken to have random values at all.  (Strict on clean photographs: up to 1.1
 * pixels in 1000; on those with 5 % random values: 26 or more.)
 *
 * Wholly transparent pixels are neither missing nor asked.
 */
#include "imaging/detect.h"

#include <math.h>
#include <string.h>

/* Distances are means over the colours, as shares of white. */
#define STANDS_OUT                                                            \
  0.06           /* of a black or white pixel from the median nearby          \
                  */
#define NEARBY 6 /* pixels alive that make a median */
#define REACH 6  /* how far to look for them */
#define PASSES 2

#define LEAST_STRICT 0.005 /* share of pixels that pass the strict test */

/* When a sum of ranked distances is that of a random value. */
typedef struct {
  double least; /* it is at least this large */
  double times; /* and larger than the usual one by this factor */
} Test;

static const Test strict_test = { 1.0, 6 };
static const Test loose_test = { 0.36, 3 };

enum { ALIVE, DEAD, UNSEEN };

typedef struct {
  const Image *image;
  guint8 *state; /* of each pixel, in a Mask */
} Scene;

/* Where, in all of the work, these are done: black, white, the strict test;
 * the passes are the rest. */
#define BLACK_TO 0.1
#define WHITE_TO 0.2
#define STRICT_TO 0.5

static const guint16 *
pixel_at (const Scene *scene, int x, int y)
{
  return image_pixel (scene->image, x, y);
}

static guint8 *
state_at (const Scene *scene, int x, int y)
{
  return scene->state + (gsize) y * (gsize) scene->image->width + x;
}

static double
distance (const Scene *scene, const guint16 *a, const guint16 *b)
{
  int colours = image_colours (scene->image), sum = 0;

  for (int c = 0; c < colours; c++)
    sum += ABS (a[c] - b[c]);
  return (double) sum / colours / image_peak (scene->image);
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *values, int count)
{
  qsort (values, (gsize) count, sizeof (double), compare_doubles);
  return values[count / 2];
}

/* Whether pixel @x, @y has the value @extreme in all its colours. */
static gboolean
has_value (const Scene *scene, int x, int y, int extreme)
{
  const guint16 *pixel = pixel_at (scene, x, y);

  for (int c = 0; c < image_colours (scene->image); c++)
    if (pixel[c] != extreme)
      return FALSE;
  return TRUE;
}

/* Median distance of a pixel of value @extreme to the nearest pixels of other
 * values; 0 when there are none within reach. */
static double
contrast (const Scene *scene, int x, int y, int extreme)
{
  double values[(2 * REACH + 1) * (2 * REACH + 1)];
  int count = 0;

  for (int reach = 1; reach <= REACH && count < NEARBY; reach++)
    for (int row = y - reach; row <= y + reach; row++)
      for (int col = x - reach; col <= x + reach; col++) {
        gboolean ring = MAX (ABS (row - y), ABS (col - x)) == reach;

        if (!ring || row < 0 || col < 0 || row >= scene->image->height
            || col >= scene->image->width
            || *state_at (scene, col, row) == UNSEEN
            || has_value (scene, col, row, extreme))
          continue;
        values[count++] =
          distance (scene, pixel_at (scene, x, y), pixel_at (scene, col, row));
      }
  return count > 0 ? median (values, count) : 0;
}

/* Whether some pixel that can be seen is neither black nor white. */
static gboolean
has_shades (const Scene *scene)
{
  int white = image_peak (scene->image);

  for (int y = 0; y < scene->image->height; y++)
    for (int x = 0; x < scene->image->width; x++)
      if (*state_at (scene, x, y) != UNSEEN && !has_value (scene, x, y, 0)
          && !has_value (scene, x, y, white))
        return TRUE;
  return FALSE;
}

/* Whether to go on with row @y. */
static gboolean
step (const Scene *scene, int y, ProgressPart *part, GError **error)
{
  Progress progress = progress_part (part);

  return progress_step (&progress, (double) y / scene->image->height, error);
}

/* Marks the pixels of value @extreme as dead if most of them stand out. */
static gboolean
judge_extreme (Scene *scene, int extreme, ProgressPart *part, GError **error)
{
  gsize seen = 0, standing_out = 0;

  for (int y = 0; y < scene->image->height; y++) {
    if (!step (scene, y, part, error))
      return FALSE;
    for (int x = 0; x < scene->image->width; x++)
      if (*state_at (scene, x, y) != UNSEEN
          && has_value (scene, x, y, extreme)) {
        seen++;
        standing_out += contrast (scene, x, y, extreme) > STANDS_OUT;
      }
  }
  if (standing_out * 2 <= seen)
    return TRUE;
  for (int y = 0; y < scene->image->height; y++)
    for (int x = 0; x < scene->image->width; x++)
      if (*state_at (scene, x, y) != UNSEEN
          && has_value (scene, x, y, extreme))
        *state_at (scene, x, y) = DEAD;
  return TRUE;
}

/* Sum of the four smallest distances to living neighbours; 0 for fewer than
 * four of them: no judgement without witnesses. */
static double
ranked_distances (const Scene *scene, int x, int y)
{
  double values[8];
  int count = 0;

  for (int row = MAX (0, y - 1); row <= MIN (y + 1, scene->image->height - 1);
       row++)
    for (int col = MAX (0, x - 1); col <= MIN (x + 1, scene->image->width - 1);
         col++)
      if ((row != y || col != x) && *state_at (scene, col, row) == ALIVE)
        values[count++] =
          distance (scene, pixel_at (scene, x, y), pixel_at (scene, col, row));
  if (count < 4)
    return 0;
  qsort (values, (gsize) count, sizeof (double), compare_doubles);
  return values[0] + values[1] + values[2] + values[3];
}

/* Median of the neighbours' own sums, within two pixels. */
static double
usual_distances (const Scene *scene, int x, int y)
{
  double values[25];
  int count = 0;

  for (int row = MAX (0, y - 2); row <= MIN (y + 2, scene->image->height - 1);
       row++)
    for (int col = MAX (0, x - 2); col <= MIN (x + 2, scene->image->width - 1);
         col++)
      if ((row != y || col != x) && *state_at (scene, col, row) == ALIVE)
        values[count++] = ranked_distances (scene, col, row);
  return count > 0 ? median (values, count) : 0;
}

static gboolean
passes (const Scene *scene, int x, int y, const Test *test)
{
  double sum;

  if (*state_at (scene, x, y) != ALIVE)
    return FALSE;
  sum = ranked_distances (scene, x, y);
  return sum > test->least
         && sum > test->times * usual_distances (scene, x, y);
}

/* Sets @found to whether there are random values at all. */
static gboolean
look_for_random_values (const Scene *scene, gboolean *found,
                        ProgressPart *part, GError **error)
{
  const Image *image = scene->image;
  gsize passed = 0;

  for (int y = 0; y < image->height; y++) {
    if (!step (scene, y, part, error))
      return FALSE;
    for (int x = 0; x < image->width; x++)
      passed += passes (scene, x, y, &strict_test) ? 1 : 0;
  }
  *found = (double) passed > LEAST_STRICT * (double) image_pixels (image);
  return TRUE;
}

static gboolean
mark_random_values (Scene *scene, ProgressPart *part, GError **error)
{
  for (int y = 0; y < scene->image->height; y++) {
    if (!step (scene, y, part, error))
      return FALSE;
    for (int x = 0; x < scene->image->width; x++)
      if (passes (scene, x, y, &loose_test))
        *state_at (scene, x, y) = DEAD;
  }
  return TRUE;
}

/* FALSE only when it was cancelled. */
static gboolean
find_dead (Scene *scene, const Progress *progress, GError **error)
{
  ProgressPart black = { progress, 0, BLACK_TO };
  ProgressPart white = { progress, BLACK_TO, WHITE_TO };
  ProgressPart part = { progress, WHITE_TO, STRICT_TO };
  gboolean random_values = FALSE;

  if (!judge_extreme (scene, 0, &black, error)
      || !judge_extreme (scene, image_peak (scene->image), &white, error)
      || !look_for_random_values (scene, &random_values, &part, error))
    return FALSE;
  for (int pass = 0; random_values && pass < PASSES; pass++) {
    part.from = part.to;
    part.to += (1 - STRICT_TO) / PASSES;
    if (!mark_random_values (scene, &part, error))
      return FALSE;
  }
  return TRUE;
}

Mask *
mask_of_dead_pixels (const Image *image, const Progress *progress,
                     GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  Scene scene = { image, mask != NULL ? mask->missing : NULL };

  if (mask == NULL)
    return NULL;
  for (gsize i = 0; i < image_pixels (image); i++)
    scene.state[i] = image_is_transparent (image, i) ? UNSEEN : ALIVE;
  if (has_shades (&scene) && !find_dead (&scene, progress, error))
    return NULL;
  for (gsize i = 0; i < image_pixels (image); i++)
    mask->missing[i] = scene.state[i] == DEAD;
  return g_steal_pointer (&mask);
}
