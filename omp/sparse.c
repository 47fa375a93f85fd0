#include "omp/sparse.h"

#include "base/error.h"

#include <string.h>

SparseMat
sparse_new (int rows, int cols, int capacity)
{
  gsize entries = MAX (1, (gsize) cols * (gsize) capacity);

  return (SparseMat){
    .rows = rows,
    .cols = cols,
    .capacity = capacity,
    .count = g_new0 (int, MAX (1, cols)),
    .index = g_new (int, entries),
    .value = g_new (float, entries),
  };
}

gboolean
sparse_try_new (SparseMat *X, int rows, int cols, int capacity, GError **error)
{
  gsize entries = (gsize) cols * (gsize) capacity;

  *X = (SparseMat){ .rows = rows, .cols = cols, .capacity = capacity };
  X->count = tessera_try_new (int, cols, "sparse codes", error);
  if (X->count != NULL)
    X->index = tessera_try_new (int, entries, "sparse codes", error);
  if (X->index != NULL)
    X->value = tessera_try_new (float, entries, "sparse codes", error);
  if (X->value != NULL) {
    memset (X->count, 0, (gsize) cols * sizeof (int));
    return TRUE;
  }
  sparse_clear (X);
  return FALSE;
}

void
sparse_clear (SparseMat *X)
{
  g_clear_pointer (&X->count, g_free);
  g_clear_pointer (&X->index, g_free);
  g_clear_pointer (&X->value, g_free);
  X->rows = X->cols = X->capacity = 0;
}

void
sparse_apply (const MatF *D, const SparseMat *X, int col, float *y)
{
  const int *index = sparse_index (X, col);
  const float *value = sparse_value (X, col);

  memset (y, 0, (gsize) D->rows * sizeof (float));
  for (int s = 0; s < X->count[col]; s++) {
    const float *atom = matf_at (D, 0, index[s]);

    for (int i = 0; i < D->rows; i++)
      y[i] += value[s] * atom[i];
  }
}
