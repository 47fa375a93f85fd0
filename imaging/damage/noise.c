/* noise.c - white Gaussian noise, clipped to the range of the picture or not */
#include "imaging/damage/damage.h"

#include "base/error.h"
#include "base/random.h"

#include <math.h>

#define STREAM 0x64616d00 /* "dam" and a number */
#define MOST 255

/* Standard deviations of unclipped noise for which there is room beyond black
 * and beyond white: one sample in two million is clipped after all. */
#define ROOM 5.0

/* Adds noise of standard deviation @sigma where white is 255. */
static void
add_noise (Image *image, double sigma, guint64 seed)
{
  int colours = image_colours (image), peak = image_peak (image);
  guint16 *pixel = image->samples;
  guint64 index = 0; /* of the colour sample */

  sigma = sigma * peak / 255;
  for (gsize i = 0; i < image_pixels (image); i++) {
    for (int c = 0; c < colours; c++) {
      double noisy = pixel[c] + sigma * random_normal (seed, STREAM, index++);

      pixel[c] = (guint16) CLAMP (floor (noisy + 0.5), 0, peak);
    }
    pixel += image->channels;
  }
}

/* ---- clipped ---- */

static gboolean
parse (const char *text, DamageOptions *options)
{
  return damage_parse_number (text, MOST, &options->noise);
}

static char *
describe (const DamageOptions *options)
{
  return g_strdup_printf ("noise of standard deviation %.4g", options->noise);
}

static gboolean
check (const Image *image, const DamageOptions *options, GError **error)
{
  (void) image;
  return (options->noise >= 0 && isfinite (options->noise))
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "the noise is %g: give a standard deviation of 0 or "
                          "more",
                          options->noise);
}

static gboolean
change (Image **image, const DamageOptions *options, GError **error)
{
  (void) error;
  if (options->noise > 0 && !options->unclipped)
    add_noise (*image, options->noise, options->seed);
  return TRUE;
}

const DamageKind damage_noise = { .name = "noise",
                                  .form = "DEVIATION",
                                  .range = "above 0 and at most 255",
                                  .parse = parse,
                                  .describe = describe,
                                  .check = check,
                                  .change = change };

/* ---- unclipped ---- */

double
damage_unclipped_scale (const DamageOptions *options)
{
  return 255 / (255 + 2 * ROOM * options->noise);
}

/* A copy of @depth bits, whose samples are  @scale x + @offset,  where x is
 * from 0 to 1. */
static Image *
map_range (const Image *image, double scale, double offset, int depth,
           GError **error)
{
  Image *copy = image_new (image->width, image->height, image->channels, depth,
                           error);
  int colours = image_colours (image);
  double from, to;

  if (copy == NULL)
    return NULL;
  from = image_peak (image);
  to = image_peak (copy);
  for (gsize i = 0; i < image_pixels (image); i++)
    for (int c = 0; c < image->channels; c++) {
      gsize place = i * (gsize) image->channels + (gsize) c;
      double x = image->samples[place] / from;
      double mapped = c < colours ? scale * x + offset : x;

      copy->samples[place] =
        (guint16) CLAMP (floor (mapped * to + 0.5), 0, to);
    }
  return copy;
}

Image *
damage_restore_range (const Image *image, const DamageOptions *options,
                      int depth, GError **error)
{
  double s = damage_unclipped_scale (options);

  return map_range (image, 1 / s, -(1 - s) / (2 * s), depth, error);
}

static gboolean
parse_unclipped (const char *text, DamageOptions *options)
{
  options->unclipped = TRUE;
  return parse (text, options);
}

static char *
describe_unclipped (const DamageOptions *options)
{
  return g_strdup_printf ("noise of standard deviation %.4g, not clipped",
                          options->noise);
}

static gboolean
change_unclipped (Image **image, const DamageOptions *options, GError **error)
{
  double scale = damage_unclipped_scale (options);
  Image *moved;

  if (!options->unclipped)
    return TRUE;
  moved = map_range (*image, scale, (1 - scale) / 2, 16, error);
  if (moved == NULL)
    return FALSE;
  image_free (*image);
  *image = moved;
  if (options->noise > 0)
    add_noise (moved, scale * options->noise, options->seed);
  return TRUE;
}

const DamageKind damage_unclipped = { .name = "unclipped",
                                      .form = "DEVIATION",
                                      .range = "above 0 and at most 255",
                                      .parse = parse_unclipped,
                                      .describe = describe_unclipped,
                                      .change = change_unclipped };
