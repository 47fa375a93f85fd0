/* restore.c - from a picture with a mask to a picture without holes */
#include "imaging/restore.h"

#include "base/error.h"
#include "dictlearn/builtin.h"
#include "imaging/fill.h"
#include "imaging/planes.h"

/* Variance of what rounding to 8 bits adds; to explain less is to explain
 * noise. */
#define ROUNDING_ERROR (1. / 255 / 255 / 12)

/* The paper codes separate patches with a tenth of 300 atoms. */
#define PAPER_ATOMS 30

/* One row a quality; DCT, mean PSNR in dB of the landscape test pictures. */
static const FillSettings settings_of_quality[] = {
  [QUALITY_FAST] = { .step = 4,
                     .max_atoms = 12,
                     .ridge = 0.02,
                     .least_share = 0.3 },
  [QUALITY_NORMAL] = { .step = 2,
                       .max_atoms = 20,
                       .ridge = 0.02,
                       .least_share = 0.3 },
  [QUALITY_BEST] = { .step = 1,
                     .max_atoms = 24,
                     .ridge = 0.02,
                     .least_share = 0.3 },
};

void
restore_report_clear (RestoreReport *report)
{
  g_clear_pointer (&report->dictionary, g_free);
}

static FillSettings
choose_settings (const RestoreOptions *options, const Dictionary *dictionary)
{
  FillSettings settings = settings_of_quality[options->quality];

  settings.max_error = ROUNDING_ERROR;
  if (options->paper_protocol)
    settings =
      (FillSettings){ .step = dictionary->patch, .max_atoms = PAPER_ATOMS };
  settings.max_atoms = MIN (settings.max_atoms, dictionary->atoms.cols);
  return settings;
}

/* The colours of @image.  For a colour dictionary, grey is repeated. */
static Planes *
working_planes (const Image *image, const Dictionary *dictionary,
                GError **error)
{
  int channels = MAX (image_colours (image), dictionary->channels);
  float scale = 1 / (float) image_peak (image);
  Planes *planes = planes_new (image->width, image->height, channels, error);

  if (planes == NULL)
    return NULL;
  for (int c = 0; c < channels; c++) {
    const guint16 *from = image->samples + c % image_colours (image);
    float *to = planes_at (planes, c, 0, 0);

    for (gsize i = 0; i < image_pixels (image); i++)
      to[i] = (float) from[i * (gsize) image->channels] * scale;
  }
  return planes;
}

/* Trust 1 in every sample that is known and can be seen. */
static Planes *
working_trust (const Image *image, const Mask *missing, int channels,
               GError **error)
{
  Planes *trust = planes_new (image->width, image->height, channels, error);
  gsize pixels = image_pixels (image);

  if (trust == NULL)
    return NULL;
  for (gsize i = 0; i < planes_samples (trust); i++)
    trust->data[i] = !missing->missing[i % pixels]
                     && !image_is_transparent (image, i % pixels);
  return trust;
}

static guint8 *
working_wanted (const Mask *missing, int channels, GError **error)
{
  gsize pixels = (gsize) missing->width * (gsize) missing->height;
  guint8 *wanted = g_try_malloc_n (pixels, (gsize) channels);

  if (wanted == NULL) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                         "not enough memory to restore the picture");
    return NULL;
  }
  for (gsize i = 0; i < pixels * (gsize) channels; i++)
    wanted[i] = missing->missing[i % pixels] != 0;
  return wanted;
}

/* Mean of what the planes that stand for colour @c of @image say. */
static float
read_back (const Image *image, const Planes *planes, int c, gsize i)
{
  gsize pixels = image_pixels (image);
  int repeats = planes->channels / image_colours (image);
  float sum = 0;

  for (int r = 0; r < repeats; r++)
    sum += planes->data[(gsize) (c + r) * pixels + i];
  return sum / (float) repeats;
}

static void
write_missing (Image *image, const Mask *missing, const Planes *planes)
{
  for (gsize i = 0; i < image_pixels (image); i++) {
    guint16 *pixel = image->samples + i * (gsize) image->channels;

    if (!missing->missing[i])
      continue;
    for (int c = 0; c < image_colours (image); c++)
      pixel[c] = planes_to_sample (image, read_back (image, planes, c, i));
    image_avoid_key (image, i);
    /* Entries of a palette may repeat; which one stood here is no clue. */
    if (image->palette != NULL)
      image->palette->index[i] = 0;
  }
}

static gboolean
restore_with (Image *image, const Mask *missing, const Dictionary *dictionary,
              const RestoreOptions *options, RestoreReport *report,
              const Progress *progress, GError **error)
{
  FillSettings settings = choose_settings (options, dictionary);
  g_autoptr (Planes) planes = working_planes (image, dictionary, error);
  g_autoptr (Planes) trust = NULL;
  g_autofree guint8 *wanted = NULL;

  if (planes == NULL)
    return FALSE;
  trust = working_trust (image, missing, planes->channels, error);
  if (trust == NULL)
    return FALSE;
  wanted = working_wanted (missing, planes->channels, error);
  if (wanted == NULL)
    return FALSE;
  if (!planes_fill (planes, trust, wanted, dictionary, &settings,
                    &report->patches, progress, error))
    return FALSE;
  write_missing (image, missing, planes);
  report->masked_pixels = mask_count (missing);
  report->dictionary = dictionary_describe (dictionary);
  return TRUE;
}

gboolean
image_restore (Image *image, const Mask *missing,
               const RestoreOptions *options, RestoreReport *report,
               const Progress *progress, GError **error)
{
  g_autoptr (Dictionary) builtin = NULL;
  const Dictionary *dictionary = options->dictionary;

  if (missing->width != image->width || missing->height != image->height) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "the mask has %d x %d pixels, the picture %d x %d",
                 missing->width, missing->height, image->width, image->height);
    return FALSE;
  }
  if (dictionary == NULL)
    dictionary = builtin = dictionary_builtin (image_colours (image));
  return restore_with (image, missing, dictionary, options, report, progress,
                       error);
}
