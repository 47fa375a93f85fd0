/* damagenet.h - how likely each pixel is covered or lost, by a network
 *
 * A U-Net (Ronneberger, Fischer and Brox, 2015) on squares of 2 x 2 pixels.
 * Layer k has at each of its places a vector
 *
 *     y_k = max (0, W_k * x_k + up (V_k y_c) + G_k m + b_k).
 *
 *     x_k   an earlier layer of the same size, or of twice the size, from which
 *           the largest number of each 2 x 2 square is taken
 *     W_k   weights of 3 x 3 places
 *     y_c   an earlier layer of half the size, if there is one
 *     up    repeats each place four times
 *     m     the mean of x_k over the whole picture, in one layer: it tells a
 *           cracked print from a sound one
 *
 * The last layer is not cut off at zero.  For each square it has the logits of
 * damage of its four pixels, the logits of their opacity, and one number for
 * each kind of damage, of which the largest counts.  `make detector` learns
 * the weights.
 */
#pragma once

#include "base/matrix.h"
#include "base/progress.h"

#define DAMAGENET_LAYERS 18

/* What comes in and out for a square of 2 x 2 pixels, outputs in this order. */
#define DAMAGENET_INPUTS 12
#define DAMAGENET_KINDS 5
#define DAMAGENET_OUTPUTS (4 + 4 + DAMAGENET_KINDS)

/* Length of the mean m. */
#define DAMAGENET_CONTEXT 128

/* Sides of what is looked at are multiples of this. */
#define DAMAGENET_STEP 32

/* The weights of all layers, one after the other. */
typedef struct {
  float *weights;
  MatF W[DAMAGENET_LAYERS]; /* channels x 9 channels of x: places row by row */
  MatF V[DAMAGENET_LAYERS]; /* channels x channels of y_c; may be empty */
  MatF G[DAMAGENET_LAYERS]; /* channels x channels of x; may be empty */
  float *b[DAMAGENET_LAYERS];
} DamageNet;

/* How many there are. */
gsize damagenet_size (void);

/* The one inside the library.  FALSE with @error set (MEMORY). */
gboolean damagenet_load (DamageNet *net, GError **error);
gboolean damagenet_from_bytes (GBytes *bytes, DamageNet *net, GError **error);

/* The network that gives for a transposed picture what @net gives for the
 * picture, transposed.  FALSE with @error set (MEMORY). */
gboolean damagenet_transpose (const DamageNet *net, DamageNet *transposed,
                              GError **error);
void damagenet_clear (DamageNet *net);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DamageNet, damagenet_clear)

/* Vectors of @channels numbers for each place, row after row, with a frame of
 * zeros that is one place wide. */
typedef struct {
  int width, height, channels;
  float *data;
} NetPlane;

/* The vector of a place; -1 and the size are in the frame. */
static inline float *
net_plane_at (const NetPlane *plane, int x, int y)
{
  return plane->data
         + ((gsize) (y + 1) * (gsize) (plane->width + 2) + (gsize) (x + 1))
             * (gsize) plane->channels;
}

/* All numbers of a look at @width x @height pixels. */
typedef struct {
  int width, height;
  NetPlane picture;                 /* squares: blue, green, red of each pixel,
                                       -0.5 .. 0.5 */
  NetPlane pooled[DAMAGENET_LAYERS]; /* x_k where it is not a layer itself */
  NetPlane layer[DAMAGENET_LAYERS];
  NetPlane lifted[DAMAGENET_LAYERS]; /* V_k y_c */
} DamagePass;

/* Sides are multiples of DAMAGENET_STEP.  FALSE with @error set (MEMORY). */
gboolean damage_pass_init (DamagePass *pass, int width, int height,
                           GError **error);
void damage_pass_clear (DamagePass *pass);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DamagePass, damage_pass_clear)

/* The three numbers of a pixel of the picture. */
static inline float *
damage_pass_pixel (const DamagePass *pass, int x, int y)
{
  return net_plane_at (&pass->picture, x / 2, y / 2) + 3 * (2 * (y % 2) + x % 2);
}

/* Computes the layers that the mean is taken of, and adds to @sum,
 * DAMAGENET_CONTEXT numbers, that of the places of the first @width x @height
 * pixels from (@left, @top).  Returns how many places these are. */
gsize damagenet_add_context (const DamageNet *net, DamagePass *pass, int left,
                             int top, int width, int height, double *sum);

/* Computes all layers.  @context is the mean m. */
void damagenet_run (const DamageNet *net, DamagePass *pass,
                    const float *context);

/* The outputs for the square of a pixel. */
static inline const float *
damage_pass_square (const DamagePass *pass, int x, int y)
{
  return net_plane_at (&pass->layer[DAMAGENET_LAYERS - 1], x / 2, y / 2);
}

