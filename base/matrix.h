/* matrix.h - views of column-major matrices, and products of them
 *
 * A matrix is a view: a pointer, sizes and the distance between columns.
 * Views of parts are made by filling in the struct.  Only matrices made by
 * *_new() own their memory and may be cleared.
 *
 * Mat is double, for factors and solves; MatF is float, for products of
 * patches with dictionaries, where speed matters and six digits are enough.
 */
#pragma once

#include <glib.h>

typedef struct {
  double *data;
  int rows, cols;
  int ld; /* from one column to the next, >= rows */
} Mat;

typedef struct {
  float *data;
  int rows, cols;
  int ld;
} MatF;

typedef enum { PLAIN, TRANSPOSED } MatOp;

/* Zero matrices that the caller owns. */
Mat mat_new (int rows, int cols);
MatF matf_new (int rows, int cols);

/* The same for sizes that come from data.  FALSE with @error set (MEMORY) and
 * @A empty when there is not enough. */
gboolean mat_try_new (Mat *A, int rows, int cols, GError **error);
gboolean matf_try_new (MatF *A, int rows, int cols, GError **error);

/* Frees what *_new() returned and makes the view empty. */
void mat_clear (Mat *A);
void matf_clear (MatF *A);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Mat, mat_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (MatF, matf_clear)

static inline double *
mat_at (const Mat *A, int row, int col)
{
  return A->data + (gsize) col * (gsize) A->ld + row;
}

static inline float *
matf_at (const MatF *A, int row, int col)
{
  return A->data + (gsize) col * (gsize) A->ld + row;
}

/* Columns @first .. @first + @count - 1 of @A. */
static inline Mat
mat_columns (const Mat *A, int first, int count)
{
  return (Mat){ mat_at (A, 0, first), A->rows, count, A->ld };
}

static inline MatF
matf_columns (const MatF *A, int first, int count)
{
  return (MatF){ matf_at (A, 0, first), A->rows, count, A->ld };
}

/* Copies between matrices of equal size. */
void mat_copy (const Mat *from, Mat *to);
void mat_to_float (const Mat *from, MatF *to);
void mat_from_float (const MatF *from, Mat *to);

/* C = alpha op(A) op(B) + beta C. */
void mat_multiply (double alpha, const Mat *A, MatOp op_a, const Mat *B,
                   MatOp op_b, double beta, Mat *C);
void matf_multiply (float alpha, const MatF *A, MatOp op_a, const MatF *B,
                    MatOp op_b, float beta, MatF *C);

/* y += alpha x, for vectors of length @n that do not overlap.  The first
 * rounds each product and each sum by itself, on any processor. */
void matf_axpy (int n, float alpha, const float *x, float *y);

/* The product of two vectors of length @n. */
float matf_dot (int n, const float *x, const float *y);

/* y += the columns of @A in @list, which has four, each times its entry in
 * @x. */
void matf_axpy4 (const MatF *A, const float *x, const int *list, float *y);
void vector_axpy (int n, double alpha, const double *x, double *y);

/* B = alpha op(U)^-1 B  and  B = alpha U B,  U upper triangular. */
void mat_solve_upper (double alpha, const Mat *U, MatOp op, Mat *B);
void mat_multiply_upper (double alpha, const Mat *U, Mat *B);

/* A = A^-1.  FALSE, with @A undefined, if it is singular. */
gboolean mat_invert (Mat *A);

/* Eigenvalues, ascending, of the symmetric matrix @A (lower triangle read),
 * which is replaced by its eigenvectors.  FALSE if LAPACK did not converge. */
gboolean mat_eigen (Mat *A, double *values);

/* Sum of products of entries of two matrices of equal size, and |A - B|_F. */
double mat_dot (const Mat *A, const Mat *B);
double mat_distance (const Mat *A, const Mat *B);

/* Scales each column to length one; a zero column stays zero. */
void mat_normalise_columns (Mat *A);
