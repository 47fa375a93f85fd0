/* activity.c - means of differences over squares, by running sums */
#include "imaging/inpaint/activity.h"

#include "base/error.h"
#include "imaging/inpaint/ground.h"

#include <math.h>
#include <string.h>

/* Half the side of the squares. */
#define RADIUS 8

/* Differences and their number, over all pixels of a column of a square or of
 * the whole square. */
typedef struct {
  double sums[ACTIVITY_CHANNELS];
  int counts[ACTIVITY_CHANNELS];
} Tally;

/* Adds the differences of pixel @i to those to the right of it and below it,
 * @times 1 or -1. */
static void
tally_pixel (Tally *tally, const Region *region, int x, int y, int times)
{
  gsize n = (gsize) region->channels, width = (gsize) region->width;
  gsize i = (gsize) y * width + (gsize) x;
  gsize next[ACTIVITY_CHANNELS] = { i + 1, i + width };
  gboolean inside[ACTIVITY_CHANNELS] = { x + 1 < region->width,
                                         y + 1 < region->height };

  for (int k = 0; k < ACTIVITY_CHANNELS && !region->missing[i]; k++) {
    float sum = 0;

    if (!inside[k] || region->missing[next[k]])
      continue;
    for (gsize c = 0; c < n; c++)
      sum +=
        fabsf (region->values[next[k] * n + c] - region->values[i * n + c]);
    tally->sums[k] += times * (double) (sum / (float) n);
    tally->counts[k] += times;
  }
}

static void
tally_add (Tally *tally, const Tally *column, int times)
{
  for (int k = 0; k < ACTIVITY_CHANNELS; k++) {
    tally->sums[k] += times * column->sums[k];
    tally->counts[k] += times * column->counts[k];
  }
}

/* Moves the columns of squares down to row @y. */
static void
move_columns (Tally *columns, const Region *region, int y)
{
  int enters = y + RADIUS, leaves = y - RADIUS - 1;

  for (int x = 0; x < region->width; x++) {
    if (enters < region->height)
      tally_pixel (&columns[x], region, x, enters, 1);
    if (leaves >= 0)
      tally_pixel (&columns[x], region, x, leaves, -1);
  }
}

/* Means over the squares around the pixels of row @y; @unknown where such a
 * square has nothing known.  Returns whether some square has. */
static gboolean
measure_row (const Tally *columns, const Region *region, int y,
             float *activity, guint8 *unknown)
{
  Tally square = { 0 };
  gboolean any = FALSE;

  for (int x = 0; x < MIN (RADIUS, region->width); x++)
    tally_add (&square, &columns[x], 1);
  for (int x = 0; x < region->width; x++) {
    gsize i = (gsize) y * (gsize) region->width + (gsize) x;

    if (x + RADIUS < region->width)
      tally_add (&square, &columns[x + RADIUS], 1);
    if (x > RADIUS)
      tally_add (&square, &columns[x - RADIUS - 1], -1);
    for (int k = 0; k < ACTIVITY_CHANNELS; k++)
      if (square.counts[k] > 0) {
        activity[i * ACTIVITY_CHANNELS + (gsize) k] =
          (float) (square.sums[k] / square.counts[k]);
        any = TRUE;
      } else
        unknown[i] |= MASK_CHANNEL (k);
  }
  return any;
}

gboolean
region_measure_activity (const Region *region, float *activity,
                         const Progress *progress, GError **error)
{
  g_autofree guint8 *unknown = g_try_malloc0 (region_pixels (region));
  g_autofree Tally *columns = g_try_new0 (Tally, (gsize) region->width);
  Region itself = { .width = region->width,
                    .height = region->height,
                    .channels = ACTIVITY_CHANNELS,
                    .values = activity,
                    .missing = unknown };
  gboolean any = FALSE;

  if (unknown == NULL || columns == NULL)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory to fill a hole");
  memset (activity, 0,
          region_pixels (region) * ACTIVITY_CHANNELS * sizeof (float));
  for (int y = 0; y < MIN (RADIUS, region->height); y++)
    for (int x = 0; x < region->width; x++)
      tally_pixel (&columns[x], region, x, y, 1);
  for (int y = 0; y < region->height; y++) {
    move_columns (columns, region, y);
    any |= measure_row (columns, region, y, activity, unknown);
  }
  return !any || region_lay_ground (&itself, progress, error);
}
