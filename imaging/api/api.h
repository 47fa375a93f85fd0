/* api.h - what the files of the public interface share; for imaging/api only
 *
 * Image, Mask and Dictionary are TesseraImage, TesseraMask and
 * TesseraDictionary themselves.  Every other type of the interface belongs to
 * the file that implements it.
 */
#pragma once

#include "base/error.h"
#include "base/matrix.h"
#include "base/parallel.h"
#include "imaging/detect/findnoise.h"
#include "include/tessera.h"

/* ---- structs that can grow (options.c) ---- */

/* Copies @given, a struct of options that begins with its size, to @own of
 * @size bytes, which is zeroed.  Copies nothing if @given is NULL.  USAGE if
 * its size is not set, or if it sets a field that @own does not have. */
gboolean options_read (gconstpointer given, gpointer own, gsize size,
                       GError **error);

/* Copies as much of @own, @size bytes, to @wanted as that has room for, but
 * not its size.  USAGE if the size of @wanted is not set. */
gboolean report_write (gconstpointer own, gsize size, gpointer wanted,
                       GError **error);

/* ---- calls (context.c) ---- */

/* A call of a public function: its threads, and its progress. */
typedef struct {
  ParallelScope scope;
  TesseraProgressFunc func;
  void *data;
  double done;
  GCancellable *cancellable;
  Progress progress;
} Call;

/* Both may be called with @func NULL.  Returns the Progress to pass to
 * internal functions, or NULL, which they accept. */
const Progress *call_begin (Call *call, TesseraContext *context,
                            TesseraProgressFunc func, void *data);
void call_end (Call *call);

/* Before call_end(), when all is done: reports completion to the progress
 * function and ignores its result. */
void call_complete (Call *call);

/* @context may be NULL. */
TesseraContext *context_ref (TesseraContext *context);

/* ---- arrays (matrix.c) ---- */

/* A matrix of the caller, viewed or copied as columns. */
typedef struct {
  MatF mat;
  gboolean copied;
} FloatColumns;

typedef struct {
  Mat mat;
  gboolean copied;
} DoubleColumns;

/* INPUT when @matrix, called @name in messages, does not have @rows rows or is
 * not of a floating-point type; MEMORY. */
gboolean float_columns_init (FloatColumns *columns,
                             const TesseraMatrix *matrix, int rows,
                             const char *name, GError **error);
gboolean double_columns_init (DoubleColumns *columns,
                              const TesseraMatrix *matrix, int rows,
                              const char *name, GError **error);

void float_columns_clear (FloatColumns *columns);
void double_columns_clear (DoubleColumns *columns);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FloatColumns, float_columns_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DoubleColumns, double_columns_clear)

/* Whether @matrix can hold @rows x @columns numbers; INPUT if not. */
gboolean matrix_check (const TesseraMatrix *matrix, int rows, int columns,
                       const char *name, GError **error);

/* Writes column @column of @matrix, which was checked. */
void matrix_set_column (const TesseraMatrix *matrix, int column,
                        const float *values);

/* ---- files (file.c) ---- */

/* INPUT or MEMORY. */
GBytes *read_whole_file (const char *path, GError **error);

/* FAILED. */
gboolean write_whole_file (const char *path, GBytes *bytes, GError **error);

/* ---- noise (find.c) ---- */

TesseraNoiseKind noise_kind_of (const FoundNoise *noise);

/* ---- patches (dictionary.c) ---- */

/* Whether a dictionary may have such patches; USAGE if not. */
gboolean check_patch (int patch, int channels, GError **error);
