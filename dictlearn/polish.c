#include "dictlearn/polish.h"

#include "base/cholesky.h"
#include "base/parallelgemm.h"
#include "dictlearn/thresholding.h"

/* Samples coded at a time. */
#define BLOCK 1024

struct Polish {
  double z;
  Mat A;
  Mat inverse; /* A^-1, empty when it must be recomputed */
  Mat YX, XX;  /* Y X' and X X' of the current pass */
};

Polish *
polish_new (const Mat *A, double z)
{
  Polish *self = g_new0 (Polish, 1);
  int n = A->rows;

  g_return_val_if_fail (A->cols == n, NULL);

  self->z = z;
  self->A = mat_new (n, n);
  mat_copy (A, &self->A);
  self->YX = mat_new (n, n);
  self->XX = mat_new (n, n);
  return self;
}

void
polish_free (Polish *self)
{
  if (self == NULL)
    return;
  mat_clear (&self->A);
  mat_clear (&self->inverse);
  mat_clear (&self->YX);
  mat_clear (&self->XX);
  g_free (self);
}

static gboolean
make_inverse (Polish *self)
{
  if (self->inverse.data != NULL)
    return TRUE;
  self->inverse = mat_new (self->A.rows, self->A.rows);
  mat_copy (&self->A, &self->inverse);
  if (mat_invert (&self->inverse))
    return TRUE;
  mat_clear (&self->inverse);
  return FALSE;
}

void
polish_feed (Polish *self, const Mat *Y)
{
  g_auto (Mat) X = mat_new (Y->rows, MIN (BLOCK, Y->cols));

  if (!make_inverse (self))
    return; /* XX stays zero, which polish_end_pass() notices */
  for (int first = 0; first < Y->cols; first += BLOCK) {
    Mat block = mat_columns (Y, first, MIN (BLOCK, Y->cols - first));
    Mat codes = mat_columns (&X, 0, block.cols);

    parallel_gemm (1, &self->inverse, PLAIN, &block, PLAIN, 0, &codes);
    threshold_apply (&codes, self->z, &codes);
    parallel_gemm (1, &block, PLAIN, &codes, TRANSPOSED, 1, &self->YX);
    parallel_gemm (1, &codes, PLAIN, &codes, TRANSPOSED, 1, &self->XX);
  }
}

/* Transposed copy. */
static void
transpose (const Mat *from, Mat *to)
{
  for (int j = 0; j < from->cols; j++)
    for (int i = 0; i < from->rows; i++)
      *mat_at (to, j, i) = *mat_at (from, i, j);
}

gboolean
polish_end_pass (Polish *self)
{
  int n = self->A.rows;
  g_auto (Mat) solution = mat_new (n, n);
  gboolean ok = cholesky_factor (&self->XX);

  /* A' = (X X')^-1 (Y X')'. */
  if (ok) {
    transpose (&self->YX, &solution);
    cholesky_solve_columns (&self->XX, &solution);
    transpose (&solution, &self->A);
  }
  mat_clear (&self->inverse);
  mat_clear (&self->YX);
  mat_clear (&self->XX);
  self->YX = mat_new (n, n);
  self->XX = mat_new (n, n);
  return ok;
}

void
polish_dictionary (const Polish *self, Mat *A)
{
  mat_copy (&self->A, A);
}
