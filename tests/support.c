#include "tests/support.h"

#include "base/parallel.h"
#include "base/random.h"

#include <math.h>

void
test_start (int *argc, char ***argv)
{
  g_test_init (argc, argv, NULL);
  parallel_init (2);
}

Mat
random_mat (int rows, int cols, guint64 seed)
{
  Mat A = mat_new (rows, cols);

  for (int i = 0; i < rows * cols; i++)
    A.data[i] = random_normal (seed, 0, (guint64)i);
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
mat_distance (const Mat *A, const Mat *B)
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
