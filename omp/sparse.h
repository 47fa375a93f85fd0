/* sparse.h - codes: few non-zeros in each column
 *
 * Column j holds count[j] <= capacity entries, at index[j * capacity] and
 * value[j * capacity] on, in the order in which a coder chose them.
 */
#pragma once

#include "base/matrix.h"

typedef struct {
  int rows, cols;
  int capacity; /* most non-zeros per column */
  int *count;
  int *index;
  float *value;
} SparseMat;

/* All columns empty; the caller owns it. */
SparseMat sparse_new (int rows, int cols, int capacity);

/* The same for sizes that come from data.  FALSE with @error set (MEMORY) and
 * @X empty when there is not enough. */
gboolean sparse_try_new (SparseMat *X, int rows, int cols, int capacity,
                         GError **error);
void sparse_clear (SparseMat *X);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SparseMat, sparse_clear)

static inline int *
sparse_index (const SparseMat *X, int col)
{
  return X->index + (gsize) col * (gsize) X->capacity;
}

static inline float *
sparse_value (const SparseMat *X, int col)
{
  return X->value + (gsize) col * (gsize) X->capacity;
}

/* A view of columns @first .. @first + @count - 1; not to be cleared. */
static inline SparseMat
sparse_columns (const SparseMat *X, int first, int count)
{
  return (SparseMat){ X->rows,
                      count,
                      X->capacity,
                      X->count + first,
                      sparse_index (X, first),
                      sparse_value (X, first) };
}

/* y = D x, where x is column @col of @X. */
void sparse_apply (const MatF *D, const SparseMat *X, int col, float *y);
