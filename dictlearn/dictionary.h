/* dictionary.h - a set of atoms, and what is known about where they come from
 *
 * An atom is a small picture of patch x patch pixels: the red plane row after
 * row, then green, then blue (or one plane of grey).  It is a column of length
 * one with n = patch * patch * channels entries; a dictionary has k of them.
 */
#pragma once

#include "dictlearn/convolutional/model.h"
#include "dictlearn/transform/model.h"

/* Bounds of what a file may claim.  A pursuit holds the products of all pairs
 * of atoms: with so many atoms, 1 GB. */
#define DICTIONARY_MAX_PATCH 64
#define DICTIONARY_MAX_ATOMS 16384

typedef struct TesseraDictionary {
  int patch;    /* side of a patch in pixels */
  int channels; /* 1 grey, 3 colour */
  MatF atoms;   /* n x k, columns of length one */

  /* Where it comes from; NULL or 0 where unknown. */
  char *algorithm;
  char *options;
  guint64 seed;
  guint64 samples;

  /* The convolutional dictionary whose atoms for the full size, scaled, are
   * those above; else NULL.  Owned. */
  ConvModel *convolutional;

  /* The transform whose atoms are those above, with the numbers of its rounds;
   * else NULL.  Owned. */
  TransformModel *transform;
} Dictionary;

/* A dictionary with zero atoms to be filled in, which the caller owns.  NULL
 * with @error set: MEMORY. */
Dictionary *dictionary_new (int patch, int channels, int atoms,
                            GError **error);

/* @dictionary may be NULL. */
void dictionary_free (Dictionary *dictionary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Dictionary, dictionary_free)

/* A dictionary for @model, which is taken over in any case.  NULL with @error
 * set: MEMORY. */
Dictionary *dictionary_from_model (ConvModel *model, GError **error);
Dictionary *dictionary_from_transform (TransformModel *model, GError **error);

/* A human-readable name: the algorithm and the sizes. */
char *dictionary_describe (const Dictionary *dictionary);

/* Whether the atoms are orthonormal, to float accuracy. */
gboolean dictionary_is_orthonormal (const Dictionary *dictionary);

/* The safetensors layout: eight bytes of header length, a JSON header, the
 * F32 tensor "atoms" of shape k x channels x patch x patch.  For those of a
 * convolutional dictionary see dictlearn/convolutional/file.h, and for what a
 * transform has beside them dictlearn/transform/file.h. */
GBytes *dictionary_to_safetensors (const Dictionary *dictionary,
                                   GError **error);

/* numpy's .npy, an array of the same shape. */
GBytes *dictionary_to_npy (const Dictionary *dictionary, GError **error);

/* What the rows and columns of a matrix are. */
typedef enum {
  LAYOUT_AUTO,    /* whichever fits a square patch, if only one does */
  LAYOUT_ROWS,    /* each row is an atom, as in scikit-learn */
  LAYOUT_COLUMNS, /* each column is one, as in papers */
} DictionaryLayout;

/* Reads either format.  Arrays may be matrices too, k x n or n x k, if n fits
 * a square patch of one or three channels; .npy may be float32 or float64.
 * Atoms are scaled to length one.  @name is for messages.
 * Returns NULL with @error set: INPUT for a broken file and for a matrix that
 * could be read both ways, LIMIT for one that claims more than the bounds
 * above. */
Dictionary *dictionary_from_bytes (GBytes *bytes, const char *name,
                                   GError **error);

/* The same for a matrix whose layout is known. */
Dictionary *dictionary_from_layout (GBytes *bytes, const char *name,
                                    DictionaryLayout layout, GError **error);
