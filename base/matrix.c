#include "base/matrix.h"

#include "base/cpudispatch.h"
#include "base/error.h"
#include "base/lapackstatus.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One cache line: no two matrices share one, and vector loads are aligned. */
#define ALIGNMENT 64

static gpointer
new_block (int rows, int cols, gsize size)
{
  g_return_val_if_fail (rows >= 0 && cols >= 0, NULL);

  return g_aligned_alloc0 (MAX (1, (gsize) rows * (gsize) cols), size,
                           ALIGNMENT);
}

Mat
mat_new (int rows, int cols)
{
  return (Mat){ new_block (rows, cols, sizeof (double)), rows, cols,
                MAX (1, rows) };
}

MatF
matf_new (int rows, int cols)
{
  return (MatF){ new_block (rows, cols, sizeof (float)), rows, cols,
                 MAX (1, rows) };
}

/* Zero, at an address that new_block() would choose; NULL with @error set. */
static gpointer
try_new_block (int rows, int cols, gsize size, GError **error)
{
  gsize count = MAX (1, (gsize) rows * (gsize) cols), bytes;
  gpointer block = NULL;

  if (g_size_checked_mul (&bytes, count, size)
      && posix_memalign (&block, ALIGNMENT, bytes) == 0)
    return memset (block, 0, bytes);
  tessera_fail (error, TESSERA_ERROR_MEMORY,
                "not enough memory for %d x %d numbers", rows, cols);
  return NULL;
}

gboolean
mat_try_new (Mat *A, int rows, int cols, GError **error)
{
  double *data = try_new_block (rows, cols, sizeof (double), error);

  *A = data != NULL ? (Mat){ data, rows, cols, MAX (1, rows) }
                    : (Mat){ NULL, 0, 0, 1 };
  return data != NULL;
}

gboolean
matf_try_new (MatF *A, int rows, int cols, GError **error)
{
  float *data = try_new_block (rows, cols, sizeof (float), error);

  *A = data != NULL ? (MatF){ data, rows, cols, MAX (1, rows) }
                    : (MatF){ NULL, 0, 0, 1 };
  return data != NULL;
}

void
mat_clear (Mat *A)
{
  g_aligned_free (A->data);
  *A = (Mat){ NULL, 0, 0, 1 };
}

void
matf_clear (MatF *A)
{
  g_aligned_free (A->data);
  *A = (MatF){ NULL, 0, 0, 1 };
}

void
mat_copy (const Mat *from, Mat *to)
{
  g_return_if_fail (from->rows == to->rows && from->cols == to->cols);

  for (int j = 0; j < from->cols; j++)
    memcpy (mat_at (to, 0, j), mat_at (from, 0, j),
            (gsize) from->rows * sizeof (double));
}

void
mat_to_float (const Mat *from, MatF *to)
{
  g_return_if_fail (from->rows == to->rows && from->cols == to->cols);

  for (int j = 0; j < from->cols; j++)
    for (int i = 0; i < from->rows; i++)
      *matf_at (to, i, j) = (float) *mat_at (from, i, j);
}

void
mat_from_float (const MatF *from, Mat *to)
{
  g_return_if_fail (from->rows == to->rows && from->cols == to->cols);

  for (int j = 0; j < from->cols; j++)
    for (int i = 0; i < from->rows; i++)
      *mat_at (to, i, j) = *matf_at (from, i, j);
}

static CBLAS_TRANSPOSE
blas_op (MatOp op)
{
  return op == TRANSPOSED ? CblasTrans : CblasNoTrans;
}

/* Rows of op(A) where A is rows x cols. */
static int
op_rows (int rows, int cols, MatOp op)
{
  return op == TRANSPOSED ? cols : rows;
}

void
mat_multiply (double alpha, const Mat *A, MatOp op_a, const Mat *B, MatOp op_b,
              double beta, Mat *C)
{
  int inner = op_rows (A->cols, A->rows, op_a);

  g_return_if_fail (op_rows (A->rows, A->cols, op_a) == C->rows);
  g_return_if_fail (op_rows (B->rows, B->cols, op_b) == inner);
  g_return_if_fail (op_rows (B->cols, B->rows, op_b) == C->cols);

  cblas_dgemm (CblasColMajor, blas_op (op_a), blas_op (op_b), C->rows, C->cols,
               inner, alpha, A->data, A->ld, B->data, B->ld, beta, C->data,
               C->ld);
}

void
matf_multiply (float alpha, const MatF *A, MatOp op_a, const MatF *B,
               MatOp op_b, float beta, MatF *C)
{
  int inner = op_rows (A->cols, A->rows, op_a);

  g_return_if_fail (op_rows (A->rows, A->cols, op_a) == C->rows);
  g_return_if_fail (op_rows (B->rows, B->cols, op_b) == inner);
  g_return_if_fail (op_rows (B->cols, B->rows, op_b) == C->cols);

  cblas_sgemm (CblasColMajor, blas_op (op_a), blas_op (op_b), C->rows, C->cols,
               inner, alpha, A->data, A->ld, B->data, B->ld, beta, C->data,
               C->ld);
}

CPU_DISPATCH void
matf_axpy (int n, float alpha, const float *restrict x, float *restrict y)
{
  for (int i = 0; i < n; i++)
    y[i] += alpha * x[i];
}

float
matf_dot (int n, const float *x, const float *y)
{
  return cblas_sdot (n, x, 1, y, 1);
}

CPU_DISPATCH void
matf_axpy4 (const MatF *A, const float *x, const int *list, float *restrict y)
{
  const float *a = matf_at (A, 0, list[0]), *b = matf_at (A, 0, list[1]);
  const float *c = matf_at (A, 0, list[2]), *d = matf_at (A, 0, list[3]);
  float xa = x[list[0]], xb = x[list[1]], xc = x[list[2]], xd = x[list[3]];

  for (int i = 0; i < A->rows; i++)
    y[i] += (xa * a[i] + xb * b[i]) + (xc * c[i] + xd * d[i]);
}

void
vector_axpy (int n, double alpha, const double *x, double *y)
{
  cblas_daxpy (n, alpha, x, 1, y, 1);
}

void
mat_solve_upper (double alpha, const Mat *U, MatOp op, Mat *B)
{
  g_return_if_fail (U->rows == U->cols && U->rows == B->rows);

  if (B->cols == 1) { /* no copy of U is made */
    cblas_dtrsv (CblasColMajor, CblasUpper, blas_op (op), CblasNonUnit,
                 B->rows, U->data, U->ld, B->data, 1);
    cblas_dscal (B->rows, alpha, B->data, 1);
    return;
  }
  cblas_dtrsm (CblasColMajor, CblasLeft, CblasUpper, blas_op (op),
               CblasNonUnit, B->rows, B->cols, alpha, U->data, U->ld, B->data,
               B->ld);
}

void
mat_multiply_upper (double alpha, const Mat *U, Mat *B)
{
  g_return_if_fail (U->rows == U->cols && U->rows == B->rows);

  cblas_dtrmm (CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans,
               CblasNonUnit, B->rows, B->cols, alpha, U->data, U->ld, B->data,
               B->ld);
}

gboolean
mat_invert (Mat *A)
{
  g_autofree lapack_int *pivots = g_new (lapack_int, MAX (1, A->rows));

  g_return_val_if_fail (A->rows == A->cols, FALSE);

  return LAPACKE_dgetrf (LAPACK_COL_MAJOR, A->rows, A->rows, A->data, A->ld,
                         pivots)
           == 0
         && lapack_succeeded (LAPACKE_dgetri (LAPACK_COL_MAJOR, A->rows,
                                              A->data, A->ld, pivots));
}

gboolean
mat_eigen (Mat *A, double *values)
{
  g_return_val_if_fail (A->rows == A->cols, FALSE);

  return lapack_succeeded (LAPACKE_dsyevd (
    LAPACK_COL_MAJOR, 'V', 'L', A->rows, A->data, A->ld, values));
}

double
mat_dot (const Mat *A, const Mat *B)
{
  double sum = 0;

  for (int j = 0; j < A->cols; j++)
    sum += cblas_ddot (A->rows, mat_at (A, 0, j), 1, mat_at (B, 0, j), 1);
  return sum;
}

double
mat_distance (const Mat *A, const Mat *B)
{
  double sum = 0;

  for (int j = 0; j < A->cols; j++)
    for (int i = 0; i < A->rows; i++) {
      double difference = *mat_at (A, i, j) - *mat_at (B, i, j);

      sum += difference * difference;
    }
  return sqrt (sum);
}

void
mat_normalise_columns (Mat *A)
{
  for (int j = 0; j < A->cols; j++) {
    double norm = cblas_dnrm2 (A->rows, mat_at (A, 0, j), 1);

    if (norm > 0)
      cblas_dscal (A->rows, 1 / norm, mat_at (A, 0, j), 1);
  }
}
