/* predict.c - learn a dictionary, and predict hidden samples with it
 *
 *     predict PICTURE...
 *
 * Learns 300 atoms from all pictures by K-SVD.  Then cuts the last picture
 * into patches of 10 x 10 x 3 samples, hides half of the samples of each,
 * codes the others by masked orthogonal matching pursuit, and predicts the
 * hidden ones from the codes.  Prints the mean squared error where they were
 * hidden, and that of predicting each by the mean of the visible samples.
 *
 * Build:  cc predict.c -o predict $(pkg-config --cflags --libs tessera)
 */
#include <stdio.h>
#include <tessera.h>

enum { SIDE = 10, CHANNELS = 3, LENGTH = SIDE * SIDE * CHANNELS, ATOMS = 20 };

/* Column after column of floats. */
static TesseraMatrix
columns_of (float *data, int rows, int columns)
{
  return (TesseraMatrix){ data,           TESSERA_FLOAT32,
                          rows,           columns,
                          sizeof (float), (ptrdiff_t) sizeof (float) * rows };
}

/* The patches of @image side by side; *@count is set to their number. */
static float *
cut_patches (const TesseraImage *image, int *count, GError **error)
{
  int width = tessera_image_width (image);
  int height = tessera_image_height (image);
  int across = width / SIDE, down = height / SIDE;
  float *plane = g_new (float, width *height *CHANNELS);
  float *patches = g_new (float, across *down *LENGTH), *to = patches;
  TesseraPixels pixels = { plane, TESSERA_FLOAT32, .row_stride = 4 * width,
                           .pixel_stride = 4,
                           .channel_stride = 4 * width * height };

  if (tessera_image_channels (image) != CHANNELS
      || !tessera_image_get_pixels (image, &pixels, error)) {
    g_clear_pointer (&patches, g_free);
    if (error != NULL && *error == NULL)
      g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                   "the picture is not RGB");
  }
  for (int i = 0; patches != NULL && i < across * down; i++)
    for (int c = 0; c < CHANNELS; c++)
      for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
          *to++ = plane[(c * height + i / across * SIDE + y) * width
                        + i % across * SIDE + x];
  *count = across * down;
  g_free (plane);
  return patches;
}

static double
square (double x)
{
  return x * x;
}

/* Prints how well hidden samples are predicted. */
static void
print_errors (const float *truth, const float *weights, const float *predicted,
              int count)
{
  double by_atoms = 0, by_mean = 0;
  int hidden = 0;

  for (int j = 0; j < count * LENGTH; j += LENGTH) {
    double mean = 0, visible = 0;

    for (int i = j; i < j + LENGTH; i++) {
      mean += weights[i] * truth[i];
      visible += weights[i];
    }
    for (int i = j; i < j + LENGTH; i++)
      if (weights[i] == 0) {
        by_atoms += square (truth[i] - predicted[i]);
        by_mean += square (truth[i] - mean / visible);
        hidden++;
      }
  }
  printf ("error %.6f, by the mean %.6f\n", by_atoms / hidden,
          by_mean / hidden);
}

static gboolean
predict (const TesseraPursuit *pursuit, float *patches, int count,
         GError **error)
{
  float *weights = g_new (float, count *LENGTH);
  float *predicted = g_new (float, count *LENGTH);
  TesseraMatrix signals = columns_of (patches, LENGTH, count);
  TesseraMatrix seen = columns_of (weights, LENGTH, count);
  TesseraMatrix result = columns_of (predicted, LENGTH, count);
  TesseraCodes codes = { ATOMS, g_new (int, count), g_new (int, count *ATOMS),
                         g_new (float, count *ATOMS) };
  TesseraPursuitOptions options = { .size = sizeof options,
                                    .max_error = 1e-4 };
  GRand *random = g_rand_new_with_seed (1);
  gboolean ok;

  for (int i = 0; i < count * LENGTH; i++)
    weights[i] = (float) g_rand_boolean (random);
  ok =
    tessera_pursuit_encode (pursuit, &signals, &seen, &options, &codes, error)
    && tessera_pursuit_decode (pursuit, &codes, &result, error);
  if (ok)
    print_errors (patches, weights, predicted, count);
  g_rand_free (random);
  g_free (codes.counts);
  g_free (codes.indices);
  g_free (codes.values);
  g_free (weights);
  g_free (predicted);
  return ok;
}

/* A pursuit with the atoms of @dictionary. */
static TesseraPursuit *
make_pursuit (TesseraContext *context, const TesseraDictionary *dictionary,
              GError **error)
{
  int atoms = tessera_dictionary_atoms (dictionary);
  float *data = g_new (float, LENGTH *atoms);
  TesseraMatrix D = columns_of (data, LENGTH, atoms);
  TesseraPursuit *pursuit = NULL;

  if (tessera_dictionary_get_atoms (dictionary, &D, error))
    pursuit = tessera_pursuit_new (context, &D, error);
  g_free (data);
  return pursuit;
}

int
main (int argc, char **argv)
{
  TesseraLearnOptions options = { .size = sizeof options,
                                  .algorithm = "ksvd",
                                  .patch = SIDE,
                                  .iterations = 5,
                                  .max_patches = 5000 };
  TesseraContext *context;
  TesseraDictionary *dictionary;
  TesseraImage *image = NULL;
  TesseraPursuit *pursuit = NULL;
  float *patches = NULL;
  GError *error = NULL;
  gboolean ok;
  int count;

  if (argc < 2) {
    fprintf (stderr, "usage: predict PICTURE...\n");
    return 2;
  }
  context = tessera_context_new (0);
  dictionary =
    tessera_learn_from_files (context, (const char *const *) argv + 1,
                              (size_t) argc - 1, &options, &error);
  if (dictionary != NULL)
    pursuit = make_pursuit (context, dictionary, &error);
  if (pursuit != NULL)
    image = tessera_image_read (argv[argc - 1], NULL, &error);
  if (image != NULL)
    patches = cut_patches (image, &count, &error);
  ok = patches != NULL && predict (pursuit, patches, count, &error);
  if (!ok) {
    fprintf (stderr, "predict: %s\n", error->message);
    g_error_free (error);
  }
  g_free (patches);
  tessera_image_free (image);
  tessera_pursuit_free (pursuit);
  tessera_dictionary_free (dictionary);
  tessera_context_free (context);
  return ok ? 0 : 1;
}
