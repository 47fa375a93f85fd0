#include "dictlearn/dictionary.h"

#include "dictlearn/builtin.h"
#include "dictlearn/initial.h"
#include "imaging/api/api.h"
#include "imaging/mosaic.h"

#include <math.h>

/* The name of a dictionary in memory, for messages. */
#define IN_MEMORY "dictionary"

/* Larger pixels would show nothing more. */
#define MOST_ZOOM 64

/* ---- files ---- */

TesseraDictionary *
tessera_dictionary_read (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (path != NULL, NULL);

  bytes = read_whole_file (path, error);
  return bytes != NULL ? dictionary_from_bytes (bytes, path, error) : NULL;
}

TesseraDictionary *
tessera_dictionary_decode (const void *data, size_t size, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (data != NULL || size == 0, NULL);

  bytes = g_bytes_new_static (data, size);
  return dictionary_from_bytes (bytes, IN_MEMORY, error);
}

gboolean
tessera_dictionary_write (const TesseraDictionary *dictionary,
                          const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (dictionary != NULL && path != NULL, FALSE);

  if (g_str_has_suffix (path, ".safetensors"))
    bytes = dictionary_to_safetensors (dictionary, error);
  else if (g_str_has_suffix (path, ".npy"))
    bytes = dictionary_to_npy (dictionary, error);
  else
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "%s: the ending must name a format: .safetensors or "
                         ".npy",
                         path);
  return bytes != NULL && write_whole_file (path, bytes, error);
}

void *
tessera_dictionary_encode (const TesseraDictionary *dictionary, size_t *size,
                           GError **error)
{
  GBytes *bytes;

  g_return_val_if_fail (dictionary != NULL && size != NULL, NULL);

  bytes = dictionary_to_safetensors (dictionary, error);
  return bytes != NULL ? g_bytes_unref_to_data (bytes, size) : NULL;
}

/* ---- objects ---- */

gboolean
check_patch (int patch, int channels, GError **error)
{
  return (patch >= 1 && patch <= DICTIONARY_MAX_PATCH
          && (channels == 1 || channels == 3))
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "patches of %dx%dx%d: give a side of 1 to %d, and 1 "
                          "or 3 channels",
                          patch, patch, channels, DICTIONARY_MAX_PATCH);
}

TesseraDictionary *
tessera_dictionary_dct (int patch, int channels, GError **error)
{
  return check_patch (patch, channels, error)
           ? dictionary_dct (patch, channels, error)
           : NULL;
}

TesseraDictionary *
tessera_dictionary_learned (void)
{
  return dictionary_learned (NULL);
}

/* Copies @from to @atom with length one; FALSE if it has none. */
static gboolean
copy_atom (const double *from, int n, float *atom)
{
  double sum = 0, scale;

  for (int i = 0; i < n; i++)
    sum += from[i] * from[i];
  scale = 1 / sqrt (sum);
  if (!isfinite (sum) || !isfinite (scale))
    return FALSE;
  for (int i = 0; i < n; i++)
    atom[i] = (float) (from[i] * scale);
  return TRUE;
}

TesseraDictionary *
tessera_dictionary_from_atoms (const TesseraMatrix *atoms, int patch,
                               int channels, GError **error)
{
  g_autoptr (Dictionary) dictionary = NULL;
  g_auto (DoubleColumns) columns = { 0 };
  int n;

  g_return_val_if_fail (atoms != NULL, NULL);

  if (!check_patch (patch, channels, error))
    return NULL;
  n = patch * patch * channels;
  if (!double_columns_init (&columns, atoms, n, "the atoms", error))
    return NULL;
  if (atoms->columns < 1 || atoms->columns > DICTIONARY_MAX_ATOMS) {
    tessera_fail (error, TESSERA_ERROR_LIMIT,
                  "%d atoms: a dictionary has 1 to %d", atoms->columns,
                  DICTIONARY_MAX_ATOMS);
    return NULL;
  }
  dictionary = dictionary_new (patch, channels, atoms->columns, error);
  if (dictionary == NULL)
    return NULL;
  for (int j = 0; j < atoms->columns; j++)
    if (!copy_atom (mat_at (&columns.mat, 0, j), n,
                    matf_at (&dictionary->atoms, 0, j))) {
      tessera_fail (error, TESSERA_ERROR_INPUT,
                    "atom %d is zero or not finite", j);
      return NULL;
    }
  return g_steal_pointer (&dictionary);
}

void
tessera_dictionary_free (TesseraDictionary *dictionary)
{
  dictionary_free (dictionary);
}

int
tessera_dictionary_patch (const TesseraDictionary *dictionary)
{
  g_return_val_if_fail (dictionary != NULL, 0);

  return dictionary->patch;
}

int
tessera_dictionary_channels (const TesseraDictionary *dictionary)
{
  g_return_val_if_fail (dictionary != NULL, 0);

  return dictionary->channels;
}

int
tessera_dictionary_atoms (const TesseraDictionary *dictionary)
{
  g_return_val_if_fail (dictionary != NULL, 0);

  return dictionary->atoms.cols;
}

const char *
tessera_dictionary_algorithm (const TesseraDictionary *dictionary)
{
  g_return_val_if_fail (dictionary != NULL, NULL);

  return dictionary->algorithm;
}

gboolean
tessera_dictionary_get_atoms (const TesseraDictionary *dictionary,
                              const TesseraMatrix *atoms, GError **error)
{
  const MatF *own;

  g_return_val_if_fail (dictionary != NULL && atoms != NULL, FALSE);

  own = &dictionary->atoms;
  if (!matrix_check (atoms, own->rows, own->cols, "the place for atoms",
                     error))
    return FALSE;
  for (int j = 0; j < own->cols; j++)
    matrix_set_column (atoms, j, matf_at (own, 0, j));
  return TRUE;
}

TesseraImage *
tessera_dictionary_mosaic (const TesseraDictionary *dictionary, int zoom,
                           GError **error)
{
  g_return_val_if_fail (dictionary != NULL, NULL);

  if (zoom >= 1 && zoom <= MOST_ZOOM)
    return dictionary_mosaic (dictionary, zoom, error);
  tessera_fail (error, TESSERA_ERROR_USAGE,
                "a zoom of %d: give one from 1 to %d", zoom, MOST_ZOOM);
  return NULL;
}
