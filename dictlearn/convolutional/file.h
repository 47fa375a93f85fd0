/* file.h - a convolutional dictionary as a safetensors file
 *
 * For each level L = 0, 1, ..., with n = channels x side x side samples per
 * atom:
 *
 *     levelL.analysis    sets * atoms x channels x side x side      C
 *     levelL.synthesis   sets * atoms x channels x side x side      D
 *     levelL.atoms       atoms x channels x side x side             W
 *     levelL.knobs       rounds x 5 x atoms                  see model.h
 *
 * as F16, or as F32 where learning is not finished; both and others are read.
 * The metadata has the shape and how the file was made.  A file of learning
 * that is not finished also has what is needed to go on: "adam.first",
 * "adam.second" and numbers in the metadata.
 */
#pragma once

#include "dictlearn/convolutional/trainer.h"

/* Whether a file claims to be one of these; it may still be broken. */
gboolean conv_model_in_bytes (GBytes *bytes);

/* @model must be bounded.  @state may be NULL.  NULL with @error set: MEMORY. */
GBytes *conv_model_to_bytes (const ConvModel *model,
                             const ConvTrainerState *state, GError **error);

/* @name is for messages.  If @state is not NULL, it is filled in, and the
 * caller frees its arrays; they are NULL if the file has no such state.
 * Returns NULL with @error set: INPUT for a broken file and for numbers beyond
 * the bounds of model.h, LIMIT for a shape beyond them. */
ConvModel *conv_model_from_bytes (GBytes *bytes, const char *name,
                                  ConvTrainerState *state, GError **error);
