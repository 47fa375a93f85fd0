#include "imaging/noisecode.h"

#include "base/error.h"
#include "imaging/patches.h"
#include "omp/pursuit.h"

#include <string.h>

/* Of the deviation, what a patch may leave. */
#define NOISE_FACTOR 1.15

/* Patches coded at a time. */
#define BATCH 1024

/* Noise that takes more than this share of n atoms is no picture. */
#define MOST_ATOMS 4

typedef struct {
  const Dictionary *dictionary;
  PursuitOptions options;
  Pursuit *pursuit;
  Planes *noisy, *trust, *sum, *weights;
  GArray *places;
  MatF Y, W;
  SparseMat X;
} Coder;

static void
coder_clear (Coder *c)
{
  pursuit_free (c->pursuit);
  planes_free (c->noisy);
  planes_free (c->trust);
  planes_free (c->sum);
  planes_free (c->weights);
  if (c->places != NULL)
    g_array_unref (c->places);
  matf_clear (&c->Y);
  matf_clear (&c->W);
  sparse_clear (&c->X);
}

/* Planes of the size of @image, or NULL. */
static Planes *
planes_like (const Image *image, const Dictionary *dictionary, GError **error)
{
  return planes_new (image->width, image->height,
                     MAX (image_colours (image), dictionary->channels), error);
}

static void
read_colours (const Image *image, Planes *planes)
{
  gsize pixels = image_pixels (image);
  float scale = 1 / (float) image_peak (image);

  for (int c = 0; c < planes->channels; c++) {
    const guint16 *from = image->samples + c % image_colours (image);

    for (gsize i = 0; i < pixels; i++)
      planes->data[(gsize) c * pixels + i] =
        (float) from[i * (gsize) image->channels] * scale;
  }
}

static gboolean
coder_init (Coder *c, const Image *image, int step, GError **error)
{
  const Dictionary *d = c->dictionary;
  PlaceGrid grid = { .patch = d->patch, .step = step };
  g_autofree guint8 *everywhere = g_try_malloc (image_pixels (image));

  if (image->width < d->patch || image->height < d->patch) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                         "smaller than a patch");
    return FALSE;
  }
  if (everywhere == NULL) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                         "not enough memory to restore the picture");
    return FALSE;
  }
  c->noisy = planes_like (image, d, error);
  c->trust = c->noisy != NULL ? planes_like (image, d, error) : NULL;
  c->sum = c->trust != NULL ? planes_like (image, d, error) : NULL;
  c->weights = c->sum != NULL ? planes_like (image, d, error) : NULL;
  if (c->weights == NULL)
    return FALSE;
  read_colours (image, c->noisy);
  for (gsize i = 0; i < planes_samples (c->trust); i++)
    c->trust->data[i] = 1;
  memset (everywhere, 1, image_pixels (image));
  c->places = patch_places (everywhere, image->width, image->height, &grid);
  c->pursuit = pursuit_new (&d->atoms);
  c->Y = matf_new (d->atoms.rows, BATCH);
  c->W = matf_new (d->atoms.rows, BATCH);
  c->X = sparse_new (d->atoms.cols, BATCH, c->options.max_atoms);
  return TRUE;
}

/* Codes channels @first on of @count patches from @start on. */
static gboolean
code_batch (Coder *c, guint start, int count, int first,
            const Progress *progress, GError **error)
{
  const Dictionary *d = c->dictionary;
  const Place *places = &g_array_index (c->places, Place, start);
  MatF Y = matf_columns (&c->Y, 0, count);
  SparseMat X = c->X;

  X.cols = count;
  for (int p = 0; p < count; p++)
    patch_get (c->noisy, c->trust, places[p], d->patch, first, d->channels,
               matf_at (&Y, 0, p), matf_at (&c->W, 0, p));
  if (!pursuit_encode (c->pursuit, &Y, NULL, &c->options, &X, progress, error))
    return FALSE;
  for (int p = 0; p < count; p++) {
    sparse_apply (&d->atoms, &X, p, matf_at (&Y, 0, p));
    patch_add (c->sum, c->weights, places[p], d->patch, first, d->channels,
               matf_at (&Y, 0, p), 1);
  }
  return TRUE;
}

static gboolean
code_all (Coder *c, const Progress *progress, GError **error)
{
  Progress inner = { .cancellable = progress ? progress->cancellable : NULL };

  for (guint start = 0; start < c->places->len; start += BATCH) {
    int count = (int) MIN (BATCH, c->places->len - start);

    if (!progress_step (progress, (double) start / c->places->len, error))
      return FALSE;
    for (int first = 0; first < c->noisy->channels;
         first += c->dictionary->channels)
      if (!code_batch (c, start, count, first, &inner, error))
        return FALSE;
  }
  return TRUE;
}

/* Grey stands in several planes, whose mean it becomes. */
static void
write_colours (Image *image, const Coder *c)
{
  gsize pixels = image_pixels (image);
  int colours = image_colours (image);
  int repeats = c->sum->channels / colours;

  for (gsize i = 0; i < pixels; i++)
    for (int colour = 0; colour < colours; colour++) {
      float value = 0;

      for (int r = 0; r < repeats; r++) {
        gsize at = (gsize) (colour + r) * pixels + i;

        value += c->sum->data[at] / c->weights->data[at];
      }
      image->samples[i * (gsize) image->channels + (gsize) colour] =
        planes_to_sample (image, value / (float) repeats);
    }
}

gboolean
image_remove_noise (Image *image, const Dictionary *dictionary, double sigma,
                    int step, const Progress *progress, GError **error)
{
  double deviation = NOISE_FACTOR * sigma / 255;
  int most = MAX (1, dictionary->atoms.rows / MOST_ATOMS);
  Coder c = { .dictionary = dictionary,
              .options = { .max_atoms = MIN (most, dictionary->atoms.cols),
                           .max_error = deviation * deviation } };
  gboolean ok =
    coder_init (&c, image, step, error) && code_all (&c, progress, error);

  if (ok) {
    image_drop_palette (image);
    write_colours (image, &c);
  }
  coder_clear (&c);
  return ok;
}
