/* damage.c - the table of kinds, and what they have in common */
#include "imaging/damage/damage.h"

#include "base/error.h"
#include "base/random.h"

#define DAMAGE_KIND(name) &damage_##name,
const DamageKind *const damage_kinds[] = { DAMAGE_KINDS (DAMAGE_KIND) NULL };
#undef DAMAGE_KIND

gboolean
damage_parse_number (const char *text, double most, double *value)
{
  char *end;

  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && *value > 0 && *value <= most;
}

gboolean
damage_check_fraction (double fraction, const char *of_what, GError **error)
{
  return (fraction >= 0 && fraction <= 1)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "the fraction of missing %s is %g: give one from 0 "
                          "to 1",
                          of_what, fraction);
}

/* This is Floyd's method: when all sets among the first j bytes are equally
 * likely, then so are those among the first j + 1 after a draw among them,
 * where a byte that is marked already stands for byte j, which is not.
 * J. Bentley, R. W. Floyd, "A sample of brilliance", 1987. */
void
damage_draw (guint8 *marks, gsize n, gsize count, guint64 seed, guint64 stream)
{
  for (gsize j = n - count; j < n; j++) {
    gsize drawn = random_below (seed, stream, j, j + 1);

    marks[marks[drawn] != 0 ? j : drawn] = 1;
  }
}

static gboolean
check_options (const Image *image, const DamageOptions *options,
               GError **error)
{
  for (int i = 0; damage_kinds[i] != NULL; i++)
    if (damage_kinds[i]->check != NULL
        && !damage_kinds[i]->check (image, options, error))
      return FALSE;
  return TRUE;
}

/* Makes the mask of all that goes missing. */
static Mask *
draw_mask (const Image *image, const DamageOptions *options, GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);

  for (int i = 0; mask != NULL && damage_kinds[i] != NULL; i++) {
    g_autoptr (Mask) lost = NULL;

    if (damage_kinds[i]->lose == NULL)
      continue;
    lost = mask_new (image->width, image->height, error);
    if (lost == NULL || !damage_kinds[i]->lose (lost, image, options, error))
      return NULL;
    mask_add (mask, lost);
  }
  return g_steal_pointer (&mask);
}

/* A copy with all changes and nothing lost. */
static Image *
make_changed (const Image *image, const DamageOptions *options, GError **error)
{
  g_autoptr (Image) copy = image_copy (image, error);

  if (copy == NULL)
    return NULL;
  image_drop_palette (copy);
  image_forget_compression (copy);
  for (int i = 0; damage_kinds[i] != NULL; i++)
    if (damage_kinds[i]->change != NULL
        && !damage_kinds[i]->change (&copy, options, error))
      return NULL;
  return g_steal_pointer (&copy);
}

static void
paint_black (Image *image, const Mask *mask)
{
  for (gsize i = 0; i < image_pixels (image); i++)
    for (int c = 0; c < image_colours (image); c++)
      if (mask_hides (mask->missing[i], c))
        image->samples[i * (gsize) image->channels + (gsize) c] = 0;
}

Image *
image_damage (const Image *image, const DamageOptions *options, Mask **mask,
              GError **error)
{
  g_autoptr (Mask) missing = NULL;
  g_autoptr (Image) damaged = NULL;

  if (!check_options (image, options, error))
    return NULL;
  missing = draw_mask (image, options, error);
  if (missing == NULL)
    return NULL;
  damaged = make_changed (image, options, error);
  if (damaged == NULL)
    return NULL;
  paint_black (damaged, missing);
  if (mask != NULL)
    *mask = g_steal_pointer (&missing);
  return g_steal_pointer (&damaged);
}
