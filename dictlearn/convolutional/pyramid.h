/* pyramid.h - all levels of a convolutional dictionary, the smallest first
 *
 * Each halving takes the mean of the known samples among two by two, and the
 * share that is known, until the smallest size is reached.  There the ground
 * is a blur of what is known; at each other size it is the restored picture of
 * the next smaller one, enlarged.
 */
#pragma once

#include "dictlearn/convolutional/coder.h"

/* A damaged picture; planes as in CoderInput. */
typedef struct {
  const float *y;
  const float *known;
  const float *noise; /* NULL for none */
} Damaged;

/* A workspace for pictures of one size. */
typedef struct Pyramid Pyramid;

/* As coder_new(). */
Pyramid *pyramid_new (const ConvShape *shape, int width, int height,
                      gboolean gradient, GError **error);
void pyramid_free (Pyramid *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pyramid, pyramid_free)

/* Restores @damaged with the numbers of a model, conv_length() of them, and
 * returns planes that belong to the pyramid and stay until the next call.
 * @progress may be NULL.  NULL only when it was cancelled. */
const float *pyramid_forward (Pyramid *self, float *numbers,
                              const Damaged *damaged,
                              const Progress *progress, GError **error);

/* Adds to @gradient, as long as the numbers, that of a function whose gradient
 * over the restored planes is @change.  After pyramid_forward(), whose input
 * must still be there. */
void pyramid_backward (Pyramid *self, float *numbers, const float *change,
                       float *gradient);
