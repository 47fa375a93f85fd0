/* specknet.h - how likely each pixel is covered by a speck
 *
 * A convolutional network that sees a picture at half, a quarter and an eighth
 * of its size and goes back to the full one (Ronneberger, Fischer and Brox,
 * "U-Net", 2015), small enough for large pictures.  Layer k has at each of its
 * places a vector
 *
 *     y_k = max (0, W_k * x_k + up (V_k y_c) + b_k).
 *
 *     x_k   an earlier layer of the same size, or of twice the size, from which
 *           the largest number of each 2 x 2 square is taken
 *     W_k   weights of 3 x 3 places
 *     y_c   an earlier layer of half the size, if there is one
 *     up    repeats each place four times
 *
 * The picture enters as squares of 2 x 2 pixels, 12 numbers each, and the last
 * layer, which is not cut off at zero, has the logits of the four pixels of
 * each square.  `make finders` learns the weights.
 */
#pragma once

#include "base/matrix.h"
#include "base/progress.h"
#include "imaging/detect/marks.h"

#define SPECKNET_LAYERS 11

/* The layer that stands for the picture. */
#define SPECKNET_PICTURE (-1)
#define SPECKNET_NONE (-2)

/* What comes in and out for a square of 2 x 2 pixels. */
#define SPECKNET_INPUTS 12
#define SPECKNET_OUTPUTS 4

/* Sides of what is looked at are multiples of this. */
#define SPECKNET_STEP 8

typedef struct {
  int channels; /* length of y_k */
  int halvings; /* of the size of the picture: 1, 2 or 3 */
  int fine;     /* the layer x_k is made of */
  int coarse;   /* the layer y_c, or SPECKNET_NONE */
} SpeckLayer;

extern const SpeckLayer specknet_layers[SPECKNET_LAYERS];

/* The weights of all layers, one after the other. */
typedef struct {
  float *weights;
  MatF W[SPECKNET_LAYERS]; /* channels x 9 channels of x: places row by row */
  MatF V[SPECKNET_LAYERS]; /* channels x channels of y_c; may be empty */
  float *b[SPECKNET_LAYERS];
} SpeckNet;

/* How many there are. */
gsize specknet_size (void);

/* Weights of zero. */
void specknet_init (SpeckNet *net);
void specknet_clear (SpeckNet *net);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SpeckNet, specknet_clear)

/* The one inside the program.  FALSE with @error set (MEMORY). */
gboolean specknet_load (SpeckNet *net, GError **error);

/* A file of weights; writing gives NULL without memory. */
GBytes *specknet_to_bytes (const SpeckNet *net);
gboolean specknet_from_bytes (GBytes *bytes, SpeckNet *net, GError **error);

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

/* All numbers of a look at a square of @side x @side pixels. */
typedef struct {
  int side;
  NetPlane picture;
  NetPlane pooled[SPECKNET_LAYERS]; /* x_k where it is not a layer itself */
  NetPlane layer[SPECKNET_LAYERS];
  NetPlane lifted[SPECKNET_LAYERS]; /* V_k y_c */
  MatF gathered;                    /* x_k of one row: 3 x 3 places each */
} SpeckPass;

/* @side is a multiple of SPECKNET_STEP.  FALSE with @error set (MEMORY). */
gboolean speck_pass_init (SpeckPass *pass, int side, GError **error);
void speck_pass_clear (SpeckPass *pass);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SpeckPass, speck_pass_clear)

/* Loads the square of @image whose first pixel is (@left, @top); what is
 * outside of the picture is its mirror image. */
void speck_pass_load (SpeckPass *pass, const Image *image, int left, int top);

/* The layers of what was loaded. */
void specknet_run (const SpeckNet *net, SpeckPass *pass);

/* x_k, and the same of each place of row @y with its neighbours in the columns
 * of @columns. */
const NetPlane *speck_pass_input (const SpeckPass *pass, int k);
void net_plane_gather (const NetPlane *plane, int y, MatF *columns);

/* The logit of a pixel. */
static inline float
speck_pass_logit (const SpeckPass *pass, int x, int y)
{
  return net_plane_at (&pass->layer[SPECKNET_LAYERS - 1], x / 2,
                       y / 2)[2 * (y % 2) + x % 2];
}

/* Sets @scores to the logits of all pixels of @image: SCORE_ZERO + SCORE_UNIT
 * times the logit, as far as that is in a byte. */
#define SCORE_ZERO 128
#define SCORE_UNIT 10
gboolean specknet_score (const SpeckNet *net, const Image *image,
                         BytePlane *scores, const Progress *progress,
                         GError **error);
