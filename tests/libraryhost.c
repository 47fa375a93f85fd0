/* libraryhost.c - a program that uses the library, for tests/check_oom.sh
 *
 *     libraryhost TASK PICTURE DICTIONARY
 *
 * Does one task through the public interface.  Exit code 0 when it is done, 4
 * when there was not enough memory; that is an error of the library, whose host
 * goes on: so any other end is a failure.
 */
#include "include/tessera.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  const char *path;
  TesseraImage *image;
  TesseraDictionary *dictionary; /* NULL unless the task is about it */
  TesseraRestoreOptions options;
} Host;

/* Every 16th pixel in rows and columns, and a square of @side pixels that is too
 * thick for patches. */
static TesseraMask *
make_mask (const TesseraImage *image, int side, GError **error)
{
  int width = tessera_image_width (image);
  int height = tessera_image_height (image);
  TesseraMask *mask = tessera_mask_new (width, height, error);
  guint8 *bytes =
    mask != NULL ? g_try_malloc0 ((gsize) (width * height)) : NULL;

  if (bytes == NULL) {
    if (mask != NULL)
      g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY, "the host");
    tessera_mask_free (mask);
    return NULL;
  }
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      bytes[y * width + x] =
        (x % 16 == 0 && y % 16 == 0)
        || (x >= 40 && x < 40 + side && y >= 40 && y < 40 + side);
  tessera_mask_set (mask, bytes, width);
  g_free (bytes);
  return mask;
}

/* With a hole of @side, or none for 0. */
static gboolean
restore (Host *host, int side, GError **error)
{
  TesseraRestoreReport report = { .size = sizeof report };
  TesseraMask *mask = side > 0 ? make_mask (host->image, side, error) : NULL;
  gboolean ok = side == 0 || mask != NULL;

  host->options.size = sizeof host->options;
  host->options.dictionary = host->dictionary;
  ok = ok
       && tessera_restore (NULL, host->image, mask, &host->options, &report,
                           error);
  tessera_mask_free (mask);
  return ok;
}

/* ---- tasks ---- */

static gboolean
inpaint (Host *host, GError **error)
{
  host->options.quality = TESSERA_QUALITY_FAST;
  return restore (host, 24, error);
}

static gboolean
inpaint_thick (Host *host, GError **error)
{
  host->options.quality = TESSERA_QUALITY_FAST;
  return restore (host, 180, error);
}

static gboolean
inpaint_paper (Host *host, GError **error)
{
  host->options.paper_protocol = 1;
  return restore (host, 24, error);
}

static gboolean
see_through (Host *host, GError **error)
{
  host->options.quality = TESSERA_QUALITY_FAST;
  host->options.see_through = 1;
  host->options.grow = 1;
  host->options.grain = 1;
  return restore (host, 24, error);
}

static gboolean
denoise (Host *host, GError **error)
{
  host->options.quality = TESSERA_QUALITY_FAST;
  host->options.noise = TESSERA_NOISE_GIVEN;
  host->options.sigma = 20;
  return restore (host, 0, error);
}

static gboolean
denoise_found (Host *host, GError **error)
{
  host->options.quality = TESSERA_QUALITY_FAST;
  host->options.noise = TESSERA_NOISE_ESTIMATE;
  host->options.strength = 1;
  return restore (host, 0, error);
}

static gboolean
find_noise (Host *host, GError **error)
{
  TesseraNoiseReport report = { .size = sizeof report };

  return tessera_find_noise (NULL, host->image, NULL, &report, error)
         && tessera_noise_level (NULL, host->image, NULL, error) >= 0;
}

static gboolean
find_kinds (Host *host, const char *kinds, GError **error)
{
  TesseraFindOptions options = { .size = sizeof options, .kinds = kinds };
  TesseraMask *mask =
    tessera_find_damage (NULL, host->image, &options, error);
  TesseraImage *image =
    mask != NULL ? tessera_mask_to_image (mask, error) : NULL;
  gboolean ok = image != NULL;

  tessera_image_free (image);
  tessera_mask_free (mask);
  return ok;
}

static gboolean
find_damage (Host *host, GError **error)
{
  return find_kinds (host, "blocks,dead", error);
}

static gboolean
find_marks (Host *host, GError **error)
{
  return find_kinds (host, "scratches,dust,border,stamp,blocks", error);
}

static gboolean
score (Host *host, GError **error)
{
  TesseraDamageOptions options = { .size = sizeof options,
                                   .missing = 0.1,
                                   .block_side = 10,
                                   .block_count = 5,
                                   .noise = 10 };
  TesseraScore result = { .size = sizeof result };
  TesseraMask *missing = NULL;
  TesseraImage *damaged =
    tessera_damage (host->image, &options, &missing, error);
  gboolean ok = damaged != NULL
                && tessera_score (host->image, damaged, missing, &result,
                                  error);

  tessera_image_free (damaged);
  tessera_mask_free (missing);
  return ok;
}

static gboolean
encode (Host *host, GError **error)
{
  static const TesseraFormat formats[] = { TESSERA_PNG, TESSERA_JPEG,
                                           TESSERA_TIFF, TESSERA_WEBP };
  gboolean ok = TRUE;

  for (gsize i = 0; ok && i < G_N_ELEMENTS (formats); i++) {
    TesseraWriteOptions options = { .size = sizeof options,
                                    .format = formats[i] };
    TesseraImage *again = NULL;
    size_t size;
    void *file = tessera_image_encode (host->image, &options, &size, error);

    if (file != NULL)
      again = tessera_image_decode (file, size, NULL, error);
    ok = again != NULL;
    tessera_image_free (again);
    tessera_free (file);
  }
  return ok;
}

static gboolean
write_dictionary (Host *host, GError **error)
{
  TesseraImage *image = tessera_dictionary_mosaic (host->dictionary, 1, error);
  gboolean ok =
    image != NULL
    && tessera_dictionary_write (host->dictionary, "again.safetensors", error)
    && tessera_dictionary_write (host->dictionary, "again.npy", error);

  tessera_image_free (image);
  return ok;
}

static gboolean
read_only (Host *host, GError **error)
{
  (void) error;
  return tessera_image_width (host->image) > 0;
}

static gboolean
learn_convolutional (Host *host, GError **error)
{
  TesseraConvolutionalOptions options = { .size = sizeof options,
                                          .batch = 1,
                                          .iterations = 1 };
  TesseraDictionary *learned =
    tessera_learn_convolutional (NULL, &host->path, 1, &options, error);
  gboolean ok = learned != NULL;

  tessera_dictionary_free (learned);
  return ok;
}

static gboolean
learn_transform (Host *host, GError **error)
{
  TesseraTransformOptions options = { .size = sizeof options,
                                      .batch = 1,
                                      .iterations = 1 };
  TesseraDictionary *learned =
    tessera_learn_transform (NULL, &host->path, 1, &options, error);
  gboolean ok = learned != NULL;

  tessera_dictionary_free (learned);
  return ok;
}

static gboolean
learn_for_task (Host *host, GError **error)
{
  gboolean ok = TRUE;

  for (int separate = 0; ok && separate < 2; separate++) {
    TesseraTaskOptions options = { .size = sizeof options,
                                   .iterations = 1,
                                   .separate = separate,
                                   .max_patches = 2000 };
    TesseraDictionary *learned =
      tessera_learn_for_task (NULL, &host->path, 1, &options, error);

    ok = learned != NULL;
    tessera_dictionary_free (learned);
  }
  return ok;
}

static const struct {
  const char *name;
  gboolean (*run) (Host *host, GError **error);
  gboolean has_dictionary;
} tasks[] = {
  { "read", read_only, FALSE },
  { "encode", encode, FALSE },
  { "find-noise", find_noise, FALSE },
  { "find-damage", find_damage, FALSE },
  { "find-marks", find_marks, FALSE },
  { "score", score, FALSE },
  { "inpaint", inpaint, FALSE },
  { "inpaint-paper", inpaint_paper, FALSE },
  { "inpaint-thick", inpaint_thick, FALSE },
  { "inpaint-by", inpaint, TRUE },
  { "see-through", see_through, FALSE },
  { "denoise", denoise, FALSE },
  { "denoise-found", denoise_found, FALSE },
  { "denoise-by", denoise, TRUE },
  { "dictionary", write_dictionary, TRUE },
  { "learn-convolutional", learn_convolutional, FALSE },
  { "learn-transform", learn_transform, FALSE },
  { "learn-for-task", learn_for_task, FALSE },
};

static gboolean
run_task (Host *host, const char *name, const char *dictionary, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (tasks); i++) {
    if (strcmp (tasks[i].name, name) != 0)
      continue;
    if (tasks[i].has_dictionary) {
      host->dictionary = tessera_dictionary_read (dictionary, error);
      if (host->dictionary == NULL)
        return FALSE;
    }
    host->image = tessera_image_read (host->path, NULL, error);
    return host->image != NULL && tasks[i].run (host, error);
  }
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE, "no task %s", name);
  return FALSE;
}

int
main (int argc, char **argv)
{
  Host host = { 0 };
  GError *error = NULL;
  int code = 0;

  if (argc < 3)
    return 2;
  host.path = argv[2];
  if (!run_task (&host, argv[1], argc > 3 ? argv[3] : NULL, &error)) {
    fprintf (stderr, "libraryhost: %s\n", error->message);
    code = g_error_matches (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY) ? 4 : 1;
    g_error_free (error);
  }
  tessera_image_free (host.image);
  tessera_dictionary_free (host.dictionary);
  return code;
}
