/* rounds.h - a picture restored by a transform, and the gradient
 *
 * See model.h for what is computed.  A Rounds is the workspace for pictures of
 * one size.  Around the picture there is a frame of half a patch of which
 * nothing is known, so that its edge is covered by more than a few patches.
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/convolutional/pyramid.h"
#include "dictlearn/transform/model.h"

typedef struct Rounds Rounds;

/* @gradient: rounds_backward() will be called, for which all rounds are kept.
 * For loops with as many threads as parallel_threads() says now.  NULL with
 * @error set: MEMORY. */
Rounds *rounds_new (const TransformShape *shape, int width, int height,
                    gboolean gradient, GError **error);
void rounds_free (Rounds *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Rounds, rounds_free)

/* Restores @damaged, whose samples are known or not, nothing in between, and
 * returns planes that belong to @self and stay until the next call.  Known
 * samples without noise are as given.  The same for any number of threads.
 * @progress may be NULL.  NULL only when it was cancelled. */
const float *rounds_forward (Rounds *self, const TransformModel *model,
                             const Damaged *damaged, const Progress *progress,
                             GError **error);

/* A gradient over the numbers of a model. */
typedef struct {
  MatF atoms; /* data NULL if it is not wanted */
  float *levels, *paces;
} TransformGradient;

/* Adds to @gradient that of a function whose gradient over the restored planes
 * is @change.  After rounds_forward() with the same model.  On one thread. */
void rounds_backward (Rounds *self, const TransformModel *model,
                      const float *change, const TransformGradient *gradient);
