#include "tests/support.h"

#include "app/system/restart.h"
#include "base/parallel.h"
#include "base/random.h"
#include "imaging/codec/codec.h"
#include "imaging/metric.h"

#include <math.h>
#include <string.h>

void
test_start (int *argc, char ***argv)
{
  restart_if_needed (*argv);
  g_test_init (argc, argv, NULL);
  parallel_init (2);
}

Mat
random_mat (int rows, int cols, guint64 seed)
{
  Mat A = mat_new (rows, cols);

  for (int i = 0; i < rows * cols; i++)
    A.data[i] = random_normal (seed, 0, (guint64) i);
  return A;
}

MatF
random_matf (int rows, int cols, guint64 seed)
{
  g_auto (Mat) A = random_mat (rows, cols, seed);
  MatF B = matf_new (rows, cols);

  mat_to_float (&A, &B);
  return B;
}

MatF
random_dictionary (int rows, int cols, guint64 seed)
{
  g_auto (Mat) A = random_mat (rows, cols, seed);
  MatF D = matf_new (rows, cols);

  mat_normalise_columns (&A);
  mat_to_float (&A, &D);
  return D;
}

double
largest_difference (const Mat *A, const Mat *B)
{
  double worst = 0;

  for (int j = 0; j < A->cols; j++)
    for (int i = 0; i < A->rows; i++)
      worst = fmax (worst, fabs (*mat_at (A, i, j) - *mat_at (B, i, j)));
  return worst;
}

char *
shared_path (const char *relative)
{
  char *path = g_build_filename ("..", "shared", relative, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_test_skip ("../shared is not here");
  g_free (path);
  return NULL;
}

Image *
load_image (const char *path)
{
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  Image *image;
  char *data;
  gsize size;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  bytes = g_bytes_new_take (data, size);
  image = image_decode (bytes, path, &limits, &error);
  g_assert_no_error (error);
  return image;
}

Image *
load_photo (const char *name)
{
  g_autofree char *path = g_strdup_printf ("data/photos/%s.png", name);

  return load_image (path);
}

Image *
load_photo_middle (const char *name, int width, int height)
{
  g_autoptr (Image) photo = load_photo (name);
  Image *middle = image_new (width, height, photo->channels, 8, NULL);
  int left = (photo->width - width) / 2, top = (photo->height - height) / 2;

  g_assert_true (left >= 0 && top >= 0);
  for (int y = 0; y < height; y++)
    memcpy (image_pixel (middle, 0, y), image_pixel (photo, left, top + y),
            (gsize) (width * photo->channels) * sizeof (guint16));
  return middle;
}

double
psnr (const Image *reference, const Image *result)
{
  ImageScore score;

  g_assert_true (image_score (reference, result, NULL, &score, NULL));
  return score.psnr;
}
