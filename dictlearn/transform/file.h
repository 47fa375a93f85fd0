/* file.h - a transform in a file of a dictionary
 *
 * Beside the tensor "atoms" of every dictionary, which other programs read as
 * usual, the file has
 *
 *     levels   rounds x 3 x n     u, v and w of model.h
 *     paces    rounds x 4         step, return, sparse and holes
 *
 * and in its metadata the spacing and the number of rounds.
 */
#pragma once

#include "dictlearn/transform/model.h"

#include <json-glib/json-glib.h>

/* @metadata is that of the dictionary, to which ours is added.  NULL with
 * @error set: MEMORY. */
GBytes *transform_model_to_bytes (const TransformModel *model,
                                  JsonObject *metadata, GError **error);

/* Whether the metadata of a dictionary say that it has these tensors. */
gboolean transform_model_in (JsonObject *metadata);

/* Reads them; @atoms, of patches of @side x @side x @channels, are copied.
 * NULL with @error set: INPUT for a broken file and for numbers beyond the
 * bounds of model.h, LIMIT for a shape beyond them, MEMORY. */
TransformModel *transform_model_from_bytes (GBytes *bytes,
                                            JsonObject *metadata,
                                            const MatF *atoms, int side,
                                            int channels, GError **error);
