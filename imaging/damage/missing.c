/* missing.c - pixels at random places become black */
#include "imaging/damage/damage.h"

#include <math.h>

#define STREAM 0x64616d01 /* "dam" and a number */
#define MOST 0.99

static gboolean
parse (const char *text, DamageOptions *options)
{
  return damage_parse_number (text, MOST, &options->missing);
}

static char *
describe (const DamageOptions *options)
{
  return g_strdup_printf ("%.4g %% of the pixels missing",
                          100 * options->missing);
}

static gboolean
check (const Image *image, const DamageOptions *options, GError **error)
{
  (void) image;
  return damage_check_fraction (options->missing, "pixels", error);
}

static gboolean
lose (Mask *mask, const Image *image, const DamageOptions *options,
      GError **error)
{
  gsize n = image_pixels (image);

  (void) error;
  damage_draw (mask->missing, n,
               (gsize) floor (options->missing * (double) n + 0.5),
               options->seed, STREAM);
  return TRUE;
}

const DamageKind damage_missing = { .name = "missing",
                                    .form = "FRACTION",
                                    .range = "above 0 and at most 0.99",
                                    .parse = parse,
                                    .describe = describe,
                                    .check = check,
                                    .lose = lose };
