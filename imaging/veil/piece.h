/* piece.h - a piece of a mark, and what it says of its cover and colour
 *
 * A mark of colour b and cover a lets 1 - a of the picture x through:
 *
 *     y = (1 - a) x + a b .
 *
 * A piece is a whole speck, or what lies within PIECE_RADIUS of one of its
 * pixels and hangs together.  There the cover is A s (covershape.h), and with
 * the fill x0 for x
 *
 *     y - x0 = s (o - A x0) + error,    o = A b :
 *
 * a regression on s and s x0, with one slope -A for all colours.  It has no
 * bias from errors of the fill: these do not depend on x0, as they would be
 * part of it otherwise.
 */
#pragma once

#include "base/list.h"
#include "imaging/inpaint/region.h"
#include "imaging/mask.h"
#include "imaging/veil/covershape.h"

#define PIECE_RADIUS 9

/* What is given. */
typedef struct {
  const Image *damaged;       /* y */
  const Image *filled;        /* x0 */
  const Mask *missing;        /* of which MASK_THROUGH is looked at */
  const Thickness *thickness; /* of that */
  int colours;
  double grain; /* variance of the noise of y, in levels of 8 bits, squared */
  double noise; /* the same with rounding and what is not white */
} VeilScene;

/* A pixel of a piece. */
typedef struct {
  gsize index;    /* in the picture */
  float share;    /* s */
  float depth;    /* below the outline, in pixels */
  float variance; /* of A s */
  float error;    /* expected square of the error of the fill */
} PiecePixel;

typedef struct {
  int x, y;           /* the pixel it was made for */
  guint first, count; /* its pixels */
  gboolean is_line;
  double dx, dy;           /* direction of a line */
  double ground[3];        /* mean of x0, weighted as in the regression */
  double contrast[3];      /* A (b - ground) */
  double square, product;  /* sums for the slope A = product / square */
  double around;           /* mean square of the differences of neighbours that
                              are known, near it */
  gboolean is_opaque;      /* its inside is of one colour but for noise */
} Piece;

/* Levels of 8 bits of pixel @i. */
void veil_colours (const VeilScene *scene, const Image *image, gsize i,
                   double out[3]);

/* What is given: @filled is the filled @damaged, and @noise the standard
 * deviation of its noise. */
VeilScene veil_scene (const Image *damaged, const Mask *missing, double noise,
                      const Thickness *thickness, const Image *filled);

/* Makes the piece at @x, @y, and appends its pixels to @pixels, a list of
 * PiecePixel.  FALSE if it is too small, or hardly differs from the fill, and
 * nothing can be said, or if the list is short. */
gboolean piece_init (Piece *piece, const VeilScene *scene, int x, int y,
                     List *pixels);

/* The same with all of the speck at @x, @y, of which @colour may be known, or
 * else NULL.  FALSE also if it is no speck. */
gboolean piece_init_speck (Piece *piece, const VeilScene *scene, int x, int y,
                           const double *colour, List *pixels);
