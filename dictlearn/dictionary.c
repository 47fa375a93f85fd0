#include "dictlearn/dictionary.h"

#include "dictlearn/convolutional/file.h"
#include "dictlearn/tensor.h"
#include "dictlearn/transform/file.h"

#include "base/error.h"
#include "base/orderedgemm.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

/* An atom this near to length one is left as it is, so that reading and
 * writing a file keeps its bytes. */
#define UNIT_TOLERANCE 1e-5

#define ORTHONORMAL_TOLERANCE 1e-4f

Dictionary *
dictionary_new (int patch, int channels, int atoms, GError **error)
{
  Dictionary *dictionary = g_new0 (Dictionary, 1);

  dictionary->patch = patch;
  dictionary->channels = channels;
  if (matf_try_new (&dictionary->atoms, patch * patch * channels, atoms, error))
    return dictionary;
  dictionary_free (dictionary);
  return NULL;
}

void
dictionary_free (Dictionary *dictionary)
{
  if (dictionary == NULL)
    return;
  matf_clear (&dictionary->atoms);
  g_free (dictionary->algorithm);
  g_free (dictionary->options);
  conv_model_free (dictionary->convolutional);
  transform_model_free (dictionary->transform);
  g_free (dictionary);
}

char *
dictionary_describe (const Dictionary *dictionary)
{
  return g_strdup_printf ("%s, %d atoms of %dx%dx%d",
                          dictionary->algorithm != NULL ? dictionary->algorithm
                                                        : "unnamed",
                          dictionary->atoms.cols, dictionary->patch,
                          dictionary->patch, dictionary->channels);
}

gboolean
dictionary_is_orthonormal (const Dictionary *dictionary)
{
  const MatF *D = &dictionary->atoms;
  g_auto (MatF) gram = { 0 };

  if (D->cols > D->rows)
    return FALSE;
  gram = matf_new (D->cols, D->cols);
  ordered_multiply (1, D, TRANSPOSED, D, PLAIN, &gram);
  for (int j = 0; j < gram.cols; j++)
    for (int i = 0; i < gram.rows; i++)
      if (fabsf (*matf_at (&gram, i, j) - (i == j)) > ORTHONORMAL_TOLERANCE)
        return FALSE;
  return TRUE;
}

/* ---- writing ---- */

static void
shape_of (const Dictionary *dictionary, Tensor *tensor)
{
  tensor->dimensions = 4;
  tensor->shape[0] = dictionary->atoms.cols;
  tensor->shape[1] = dictionary->channels;
  tensor->shape[2] = tensor->shape[3] = dictionary->patch;
  tensor->data = dictionary->atoms.data;
}

/* Metadata values are strings in this format. */
static JsonObject *
metadata_of (const Dictionary *dictionary)
{
  JsonObject *meta = json_object_new ();
  g_autofree char *patch = g_strdup_printf ("%d", dictionary->patch);
  g_autofree char *channels = g_strdup_printf ("%d", dictionary->channels);
  g_autofree char *seed =
    g_strdup_printf ("%" G_GUINT64_FORMAT, dictionary->seed);
  g_autofree char *samples =
    g_strdup_printf ("%" G_GUINT64_FORMAT, dictionary->samples);

  json_object_set_string_member (meta, "format", "tessera-dictionary");
  json_object_set_string_member (meta, "version", "1");
  json_object_set_string_member (meta, "patch", patch);
  json_object_set_string_member (meta, "channels", channels);
  json_object_set_string_member (meta, "seed", seed);
  json_object_set_string_member (meta, "samples", samples);
  if (dictionary->algorithm != NULL)
    json_object_set_string_member (meta, "algorithm", dictionary->algorithm);
  if (dictionary->options != NULL)
    json_object_set_string_member (meta, "options", dictionary->options);
  return meta;
}

GBytes *
dictionary_to_safetensors (const Dictionary *dictionary, GError **error)
{
  g_autoptr (JsonObject) meta = metadata_of (dictionary);
  Tensor tensor = { 0 };

  if (dictionary->convolutional != NULL)
    return conv_model_to_bytes (dictionary->convolutional, NULL, error);
  if (dictionary->transform != NULL)
    return transform_model_to_bytes (dictionary->transform, meta, error);
  shape_of (dictionary, &tensor);
  return tensor_to_safetensors (&tensor, "atoms", meta, error);
}

GBytes *
dictionary_to_npy (const Dictionary *dictionary, GError **error)
{
  Tensor tensor = { 0 };

  shape_of (dictionary, &tensor);
  return tensor_to_npy (&tensor, error);
}

/* ---- reading ---- */

/* Finds patch and channels with n = patch^2 channels.  There is at most one
 * way: patch^2 = 3 q^2 has no solution in whole numbers. */
static gboolean
split_length (gint64 n, int *patch, int *channels)
{
  for (*channels = 1; *channels <= 3; *channels += 2) {
    *patch = (int) lround (sqrt ((double) n / *channels));
    if ((gint64) *patch * *patch * *channels == n)
      return TRUE;
  }
  return FALSE;
}

/* Makes the columns of a matrix its rows. */
static gboolean
transpose (Tensor *tensor, GError **error)
{
  gint64 rows = tensor->shape[0], columns = tensor->shape[1];
  float *turned = tessera_try_new (float, (gsize) rows * (gsize) columns,
                                   "the atoms", error);

  if (turned == NULL)
    return FALSE;
  for (gint64 i = 0; i < rows; i++)
    for (gint64 j = 0; j < columns; j++)
      turned[j * rows + i] = tensor->data[i * columns + j];
  g_free (tensor->data);
  tensor->data = turned;
  tensor->shape[0] = columns;
  tensor->shape[1] = rows;
  return TRUE;
}

/* Turns a matrix so that its rows are atoms. */
static gboolean
arrange_matrix (Tensor *tensor, DictionaryLayout layout, GError **error)
{
  gint64 k = tensor->shape[0], n = tensor->shape[1];
  int patch, channels, patch2, channels2;
  gboolean rows = split_length (n, &patch, &channels);
  gboolean columns = split_length (k, &patch2, &channels2);

  if (layout == LAYOUT_AUTO && rows && columns)
    return tessera_fail (
      error, TESSERA_ERROR_INPUT,
      "its %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
      " numbers may be %" G_GINT64_FORMAT
      " rows of %dx%dx%d or %" G_GINT64_FORMAT
      " columns of %dx%dx%d; save it as atoms x channels x side x side, or "
      "convert it with \"tessera dict --layout rows\" or \"columns\"",
      k, n, k, patch, patch, channels, n, patch2, patch2, channels2);
  if (layout == LAYOUT_AUTO)
    layout = columns ? LAYOUT_COLUMNS : LAYOUT_ROWS;
  return layout != LAYOUT_COLUMNS || transpose (tensor, error);
}

static gboolean
read_shape (const Tensor *tensor, int *patch, int *channels, GError **error)
{
  const gint64 *shape = tensor->shape;

  if (tensor->dimensions == 2 && split_length (shape[1], patch, channels))
    return TRUE;
  if (tensor->dimensions == 4 && shape[2] == shape[3]
      && (shape[1] == 1 || shape[1] == 3)) {
    *channels = (int) shape[1];
    *patch = (int) shape[2];
    return TRUE;
  }
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                       "its shape is not atoms x channels x side x side with "
                       "1 or 3 channels");
  return FALSE;
}

static gboolean
check_bounds (const Tensor *tensor, int patch, GError **error)
{
  if (patch <= DICTIONARY_MAX_PATCH
      && tensor->shape[0] <= DICTIONARY_MAX_ATOMS)
    return TRUE;
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
               "%" G_GINT64_FORMAT " atoms of side %d are more than %d of "
               "side %d",
               tensor->shape[0], patch, DICTIONARY_MAX_ATOMS,
               DICTIONARY_MAX_PATCH);
  return FALSE;
}

static gboolean
normalise_atom (float *atom, int n)
{
  double norm = 0;

  for (int i = 0; i < n; i++)
    norm += (double) atom[i] * atom[i];
  norm = sqrt (norm);
  if (!isfinite (norm) || norm == 0)
    return FALSE;
  if (fabs (norm - 1) > UNIT_TOLERANCE)
    for (int i = 0; i < n; i++)
      atom[i] = (float) (atom[i] / norm);
  return TRUE;
}

static guint64
metadata_number (JsonObject *meta, const char *key)
{
  return g_ascii_strtoull (
    json_object_get_string_member_with_default (meta, key, "0"), NULL, 10);
}

static void
read_metadata (Dictionary *dictionary, JsonObject *meta)
{
  dictionary->algorithm = g_strdup (
    json_object_get_string_member_with_default (meta, "algorithm", NULL));
  dictionary->options = g_strdup (
    json_object_get_string_member_with_default (meta, "options", NULL));
  dictionary->seed = metadata_number (meta, "seed");
  dictionary->samples = metadata_number (meta, "samples");
}

static Dictionary *
dictionary_from_tensor (Tensor *tensor, DictionaryLayout layout,
                        GError **error)
{
  g_autoptr (Dictionary) dictionary = NULL;
  int patch, channels;
  MatF *atoms;

  if ((tensor->dimensions == 2 && !arrange_matrix (tensor, layout, error))
      || !read_shape (tensor, &patch, &channels, error)
      || !check_bounds (tensor, patch, error))
    return NULL;
  dictionary =
    dictionary_new (patch, channels, (int) tensor->shape[0], error);
  if (dictionary == NULL)
    return NULL;
  atoms = &dictionary->atoms;
  memcpy (atoms->data, tensor->data,
          (gsize) atoms->rows * (gsize) atoms->cols * sizeof (float));
  for (int j = 0; j < atoms->cols; j++)
    if (!normalise_atom (matf_at (atoms, 0, j), atoms->rows)) {
      g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                   "atom %d is zero or not a number", j);
      return NULL;
    }
  return g_steal_pointer (&dictionary);
}

/* Reads what a transform has beside its atoms, if it is one. */
static gboolean
read_transform (Dictionary *dictionary, GBytes *bytes, JsonObject *meta,
                GError **error)
{
  TransformModel *model;

  if (meta == NULL || !transform_model_in (meta))
    return TRUE;
  dictionary->transform = model =
    transform_model_from_bytes (bytes, meta, &dictionary->atoms,
                                dictionary->patch, dictionary->channels,
                                error);
  if (model == NULL)
    return FALSE;
  model->options = g_strdup (dictionary->options);
  model->seed = dictionary->seed;
  model->samples = dictionary->samples;
  return TRUE;
}

/* One tensor of atoms, in either format. */
static Dictionary *
dictionary_from_tensors (GBytes *bytes, const char *name,
                         DictionaryLayout layout, GError **error)
{
  g_autoptr (JsonObject) meta = NULL;
  g_auto (Tensor) tensor = { 0 };
  g_autoptr (Dictionary) dictionary = NULL;

  if (tensor_is_npy (bytes)
        ? tensor_from_npy (bytes, &tensor, error)
        : tensor_from_safetensors (bytes, "atoms", &tensor, &meta, error))
    dictionary = dictionary_from_tensor (&tensor, layout, error);
  if (dictionary != NULL && meta != NULL)
    read_metadata (dictionary, meta);
  if (dictionary != NULL && read_transform (dictionary, bytes, meta, error))
    return g_steal_pointer (&dictionary);
  g_prefix_error (error, "%s: not a dictionary: ", name);
  return NULL;
}

Dictionary *
dictionary_from_transform (TransformModel *model, GError **error)
{
  const TransformShape *shape = &model->shape;
  Dictionary *dictionary = dictionary_new (
    shape->side, shape->channels, transform_length (shape), error);

  if (dictionary == NULL) {
    transform_model_free (model);
    return NULL;
  }
  memcpy (dictionary->atoms.data, model->atoms.data,
          (gsize) model->atoms.rows * (gsize) model->atoms.cols
            * sizeof (float));
  dictionary->algorithm = g_strdup ("transform");
  dictionary->options = g_strdup (model->options);
  dictionary->seed = model->seed;
  dictionary->samples = model->samples;
  dictionary->transform = model;
  return dictionary;
}

Dictionary *
dictionary_from_model (ConvModel *model, GError **error)
{
  const ConvShape *shape = &model->shape;
  ConvLevel level = conv_level (shape, model->numbers, 0);
  MatF W = conv_atoms (shape, level.W, 0);
  Dictionary *dictionary =
    dictionary_new (shape->side, shape->channels, shape->atoms, error);

  if (dictionary == NULL) {
    conv_model_free (model);
    return NULL;
  }
  memcpy (dictionary->atoms.data, W.data,
          (gsize) W.rows * (gsize) W.cols * sizeof (float));
  for (int j = 0; j < W.cols; j++)
    normalise_atom (matf_at (&dictionary->atoms, 0, j), W.rows);
  dictionary->algorithm = g_strdup ("convolutional");
  dictionary->options = g_strdup (model->options);
  dictionary->seed = model->seed;
  dictionary->samples = model->samples;
  dictionary->convolutional = model;
  return dictionary;
}

Dictionary *
dictionary_from_layout (GBytes *bytes, const char *name,
                        DictionaryLayout layout, GError **error)
{
  if (conv_model_in_bytes (bytes)) {
    ConvModel *model = conv_model_from_bytes (bytes, name, NULL, error);

    return model != NULL ? dictionary_from_model (model, error) : NULL;
  }
  return dictionary_from_tensors (bytes, name, layout, error);
}

Dictionary *
dictionary_from_bytes (GBytes *bytes, const char *name, GError **error)
{
  return dictionary_from_layout (bytes, name, LAYOUT_AUTO, error);
}
