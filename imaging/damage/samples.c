/* samples.c - colour samples are lost one by one: a pixel may lose its red and
 * keep the rest */
#include "imaging/damage/damage.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#define STREAM 0x64616d06 /* "dam" and a number */
#define MOST 0.99

static gboolean
parse (const char *text, DamageOptions *options)
{
  return damage_parse_number (text, MOST, &options->samples);
}

static char *
describe (const DamageOptions *options)
{
  return g_strdup_printf ("%.4g %% of the color samples missing",
                          100 * options->samples);
}

static gboolean
check (const Image *image, const DamageOptions *options, GError **error)
{
  (void) image;
  return damage_check_fraction (options->samples, "samples", error);
}

static gboolean
lose (Mask *mask, const Image *image, const DamageOptions *options,
      GError **error)
{
  gsize colours = (gsize) image_colours (image);
  gsize n = image_pixels (image) * colours;
  g_autofree guint8 *lost = NULL;

  if (options->samples == 0)
    return TRUE;
  lost = tessera_try_new (guint8, n, "the samples to lose", error);
  if (lost == NULL)
    return FALSE;
  memset (lost, 0, n);
  damage_draw (lost, n, (gsize) floor (options->samples * (double) n + 0.5),
               options->seed, STREAM);
  for (gsize i = 0; i < n; i++)
    if (lost[i] != 0)
      mask->missing[i / colours] |=
        (guint8) (colours == 1 ? MASK_PIXEL : MASK_CHANNEL (i % colours));
  return TRUE;
}

const DamageKind damage_samples = { .name = "samples",
                                    .form = "FRACTION",
                                    .range = "above 0 and at most 0.99",
                                    .parse = parse,
                                    .describe = describe,
                                    .check = check,
                                    .lose = lose };
