/* coder.h - one level of a convolutional dictionary: codes, picture, gradient
 *
 * See model.h for what is computed.  A Coder is the workspace for pictures of
 * one size.  Planes are padded: a frame of side - stride pixels, of which
 * nothing is known, lets every pixel be covered by as many atoms as any other.
 * A position is the place of an atom; their patches are columns of matrices,
 * so that a round is two large products.
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/convolutional/model.h"

/* What a level is given.  Planes are width x height, channel after channel;
 * the noise has one plane. */
typedef struct {
  const float *y;      /* anything where nothing is known */
  const float *known;  /* 0 .. 1 for each sample */
  const float *noise;  /* standard deviation, where white is 1; may be NULL */
  const float *ground; /* the picture so far */
} CoderInput;

typedef struct Coder Coder;

/* @gradient: coder_backward() will be called, for which all rounds are kept.
 * For loops with as many threads as parallel_threads() says now.  NULL with
 * @error set: MEMORY. */
Coder *coder_new (const ConvShape *shape, int width, int height,
                  gboolean gradient, GError **error);
void coder_free (Coder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Coder, coder_free)

/* Writes the restored planes to @out; all samples, known ones too.
 * The input must stay as it is until coder_backward().  @progress may be NULL;
 * it is asked after every few hundred positions.  FALSE only when it was
 * cancelled. */
gboolean coder_forward (Coder *self, const ConvLevel *level,
                        const CoderInput *input, float *out,
                        const Progress *progress, GError **error);

/* Adds to @gradient the gradient over the numbers of the level, and writes to
 * @ground that over the ground, given that over the output, @out. */
void coder_backward (Coder *self, const ConvLevel *level, const float *out,
                     const ConvLevel *gradient, float *ground);
