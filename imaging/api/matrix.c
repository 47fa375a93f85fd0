/* matrix.c - arrays of the caller, with any strides, as columns */
#include "imaging/api/api.h"

#include <string.h>

static gsize
type_size (TesseraType type)
{
  return type == TESSERA_FLOAT64 ? sizeof (double) : sizeof (float);
}

static gpointer
entry (const TesseraMatrix *matrix, int row, int column)
{
  return (guint8 *) matrix->data + row * matrix->row_stride
         + column * matrix->column_stride;
}

/* Entries need not be aligned. */
static double
get (const TesseraMatrix *matrix, int row, int column)
{
  gconstpointer at = entry (matrix, row, column);
  double number;
  float single;

  if (matrix->type == TESSERA_FLOAT64) {
    memcpy (&number, at, sizeof number);
    return number;
  }
  memcpy (&single, at, sizeof single);
  return single;
}

gboolean
matrix_check (const TesseraMatrix *matrix, int rows, int columns,
              const char *name, GError **error)
{
  if (matrix->type != TESSERA_FLOAT32 && matrix->type != TESSERA_FLOAT64)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "%s must be of type FLOAT32 or FLOAT64", name);
  if (matrix->rows != rows || matrix->columns != columns || rows < 0
      || columns < 0)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "the size of %s is %d x %d, not %d x %d", name,
                         matrix->rows, matrix->columns, rows, columns);
  if (matrix->data == NULL && matrix->columns > 0)
    return tessera_fail (error, TESSERA_ERROR_INPUT, "%s has no data", name);
  return TRUE;
}

/* Whether columns of numbers of @type have the memory layout of BLAS; @ld is
 * then set. */
static gboolean
is_plain (const TesseraMatrix *matrix, TesseraType type, int *ld)
{
  ptrdiff_t size = (ptrdiff_t) type_size (type);
  ptrdiff_t distance = matrix->column_stride / size;

  *ld = (int) distance;
  return matrix->type == type && matrix->row_stride == size
         && matrix->column_stride % size == 0
         && distance >= MAX (1, matrix->rows) && distance <= G_MAXINT
         && (guintptr) matrix->data % (gsize) size == 0;
}

gboolean
float_columns_init (FloatColumns *columns, const TesseraMatrix *matrix,
                    int rows, const char *name, GError **error)
{
  MatF *to = &columns->mat;

  *to = (MatF){ matrix->data, matrix->rows, matrix->columns, 0 };
  columns->copied = FALSE;
  if (!matrix_check (matrix, rows, matrix->columns, name, error))
    return FALSE;
  if (is_plain (matrix, TESSERA_FLOAT32, &to->ld))
    return TRUE;
  if (!matf_try_new (to, rows, matrix->columns, error))
    return FALSE;
  columns->copied = TRUE;
  for (int j = 0; j < to->cols; j++)
    for (int i = 0; i < rows; i++)
      *matf_at (to, i, j) = (float) get (matrix, i, j);
  return TRUE;
}

gboolean
double_columns_init (DoubleColumns *columns, const TesseraMatrix *matrix,
                     int rows, const char *name, GError **error)
{
  Mat *to = &columns->mat;

  *to = (Mat){ matrix->data, matrix->rows, matrix->columns, 0 };
  columns->copied = FALSE;
  if (!matrix_check (matrix, rows, matrix->columns, name, error))
    return FALSE;
  if (is_plain (matrix, TESSERA_FLOAT64, &to->ld))
    return TRUE;
  if (!mat_try_new (to, rows, matrix->columns, error))
    return FALSE;
  columns->copied = TRUE;
  for (int j = 0; j < to->cols; j++)
    for (int i = 0; i < rows; i++)
      *mat_at (to, i, j) = get (matrix, i, j);
  return TRUE;
}

void
float_columns_clear (FloatColumns *columns)
{
  if (columns->copied)
    matf_clear (&columns->mat);
}

void
double_columns_clear (DoubleColumns *columns)
{
  if (columns->copied)
    mat_clear (&columns->mat);
}

void
matrix_set_column (const TesseraMatrix *matrix, int column,
                   const float *values)
{
  for (int i = 0; i < matrix->rows; i++) {
    double number = values[i];

    if (matrix->type == TESSERA_FLOAT64)
      memcpy (entry (matrix, i, column), &number, sizeof number);
    else
      memcpy (entry (matrix, i, column), &values[i], sizeof values[i]);
  }
}
