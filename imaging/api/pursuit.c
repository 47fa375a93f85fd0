/* pursuit.c - orthogonal matching pursuit on arrays of the caller */
#include "omp/pursuit.h"

#include "imaging/api/api.h"

#include <math.h>

/* How far the length of an atom may be from one. */
#define UNIT_TOLERANCE 1e-3

struct TesseraPursuit {
  TesseraContext *context;
  MatF D;
  Pursuit *pursuit;
};

/* ---- objects ---- */

static gboolean
check_lengths (const MatF *D, GError **error)
{
  for (int j = 0; j < D->cols; j++) {
    const float *atom = matf_at (D, 0, j);
    double sum = 0;

    for (int i = 0; i < D->rows; i++)
      sum += (double) atom[i] * atom[i];
    if (!(fabs (sqrt (sum) - 1) <= UNIT_TOLERANCE))
      return tessera_fail (error, TESSERA_ERROR_INPUT,
                           "the length of atom %d is %g, not 1", j,
                           sqrt (sum));
  }
  return TRUE;
}

TesseraPursuit *
tessera_pursuit_new (TesseraContext *context, const TesseraMatrix *atoms,
                     GError **error)
{
  g_auto (FloatColumns) columns = { 0 };
  const MatF *D = &columns.mat;
  TesseraPursuit *self;
  MatF copy;

  g_return_val_if_fail (atoms != NULL, NULL);

  if (!float_columns_init (&columns, atoms, atoms->rows, "the atoms", error))
    return NULL;
  if (D->rows < 1 || D->cols < 1) {
    tessera_fail (error, TESSERA_ERROR_INPUT,
                  "a dictionary of %d x %d numbers is empty", D->rows,
                  D->cols);
    return NULL;
  }
  if (!check_lengths (D, error)
      || !matf_try_new (&copy, D->rows, D->cols, error))
    return NULL;
  self = g_new0 (TesseraPursuit, 1);
  self->context = context_ref (context);
  self->D = copy;
  for (int j = 0; j < D->cols; j++)
    for (int i = 0; i < D->rows; i++)
      *matf_at (&self->D, i, j) = *matf_at (D, i, j);
  self->pursuit = pursuit_new (D, error);
  if (self->pursuit != NULL)
    return self;
  tessera_pursuit_free (self);
  return NULL;
}

void
tessera_pursuit_free (TesseraPursuit *pursuit)
{
  if (pursuit == NULL)
    return;
  pursuit_free (pursuit->pursuit);
  matf_clear (&pursuit->D);
  tessera_context_free (pursuit->context);
  g_free (pursuit);
}

/* ---- coding ---- */

static gboolean
read_options (const TesseraPursuit *self, const TesseraPursuitOptions *o,
              const TesseraCodes *codes, PursuitOptions *own, GError **error)
{
  own->max_atoms =
    o->max_atoms != 0 ? o->max_atoms : MIN (codes->capacity, self->D.cols);
  own->max_error = o->max_error;
  own->ridge = o->ridge;
  if (own->max_atoms < 1 || own->max_atoms > self->D.cols)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "max_atoms is %d: give 1 to %d", own->max_atoms,
                         self->D.cols);
  if (codes->capacity < own->max_atoms)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "the capacity of the codes is %d, less than "
                         "max_atoms, %d",
                         codes->capacity, own->max_atoms);
  if (!(own->max_error >= 0 && isfinite (own->max_error)))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "max_error is %g: give 0 or more", own->max_error);
  for (int j = 0; own->ridge != NULL && j < self->D.cols; j++)
    if (!(own->ridge[j] >= 0 && isfinite (own->ridge[j])))
      return tessera_fail (error, TESSERA_ERROR_USAGE,
                           "ridge %d is %g: give 0 or more", j,
                           (double) own->ridge[j]);
  return TRUE;
}

/* Codes signals that were checked. */
static gboolean
encode (const TesseraPursuit *self, const MatF *Y, const MatF *weights,
        const TesseraPursuitOptions *o, const PursuitOptions *options,
        const TesseraCodes *codes, GError **error)
{
  SparseMat X = { .rows = self->D.cols,
                  .cols = Y->cols,
                  .capacity = codes->capacity,
                  .count = codes->counts,
                  .index = codes->indices,
                  .value = codes->values };
  Call call;
  const Progress *progress =
    call_begin (&call, self->context, o->progress, o->progress_data);
  gboolean ok =
    pursuit_encode (self->pursuit, Y, weights, options, &X, progress, error);

  if (ok)
    call_complete (&call);
  call_end (&call);
  return ok;
}

gboolean
tessera_pursuit_encode (const TesseraPursuit *pursuit,
                        const TesseraMatrix *signals,
                        const TesseraMatrix *weights,
                        const TesseraPursuitOptions *options,
                        const TesseraCodes *codes, GError **error)
{
  TesseraPursuitOptions o = { 0 };
  PursuitOptions own;
  g_auto (FloatColumns) Y = { 0 };
  g_auto (FloatColumns) w = { 0 };

  g_return_val_if_fail (pursuit != NULL && signals != NULL, FALSE);
  g_return_val_if_fail (codes != NULL, FALSE);

  if (!options_read (options, &o, sizeof o, error)
      || !read_options (pursuit, &o, codes, &own, error)
      || !float_columns_init (&Y, signals, pursuit->D.rows, "the signals",
                              error))
    return FALSE;
  if (weights == NULL)
    return encode (pursuit, &Y.mat, NULL, &o, &own, codes, error);
  return matrix_check (weights, signals->rows, signals->columns, "the weights",
                       error)
         && float_columns_init (&w, weights, pursuit->D.rows, "the weights",
                                error)
         && encode (pursuit, &Y.mat, &w.mat, &o, &own, codes, error);
}

/* ---- decoding ---- */

static gboolean
check_codes (const TesseraCodes *codes, int signal_count, int atoms,
             GError **error)
{
  for (int j = 0; j < signal_count; j++) {
    const int *index = codes->indices + (gsize) j * (gsize) codes->capacity;

    if (codes->counts[j] < 0 || codes->counts[j] > codes->capacity)
      return tessera_fail (error, TESSERA_ERROR_INPUT,
                           "the code of signal %d has %d entries, not 0 to %d",
                           j, codes->counts[j], codes->capacity);
    for (int s = 0; s < codes->counts[j]; s++)
      if (index[s] < 0 || index[s] >= atoms)
        return tessera_fail (error, TESSERA_ERROR_INPUT,
                             "the code of signal %d names atom %d, not one of "
                             "0 to %d",
                             j, index[s], atoms - 1);
  }
  return TRUE;
}

gboolean
tessera_pursuit_decode (const TesseraPursuit *pursuit,
                        const TesseraCodes *codes,
                        const TesseraMatrix *signals, GError **error)
{
  g_autofree float *y = NULL;
  SparseMat X;

  g_return_val_if_fail (pursuit != NULL && codes != NULL, FALSE);
  g_return_val_if_fail (signals != NULL, FALSE);

  if (!matrix_check (signals, pursuit->D.rows, signals->columns,
                     "the place for signals", error)
      || !check_codes (codes, signals->columns, pursuit->D.cols, error))
    return FALSE;
  X = (SparseMat){ .rows = pursuit->D.cols,
                   .cols = signals->columns,
                   .capacity = codes->capacity,
                   .count = codes->counts,
                   .index = codes->indices,
                   .value = codes->values };
  y = g_new (float, pursuit->D.rows);
  for (int j = 0; j < X.cols; j++) {
    sparse_apply (&pursuit->D, &X, j, y);
    matrix_set_column (signals, j, y);
  }
  return TRUE;
}
