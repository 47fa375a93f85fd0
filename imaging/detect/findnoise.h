/* findnoise.h - find out which noise a picture has, from the picture alone
 *
 * White noise is found by noise.h; any other by noiseprofile.h.  Clean
 * pictures have something like noise too: the grain of a film, dithering, fine
 * texture.  So noise is reported only where it is strong enough and enough
 * brightnesses agree; the limits come from photographs with noise and without.
 */
#pragma once

#include "imaging/denoise/noisemodel.h"
#include "imaging/mask.h"

typedef enum {
  NOISE_NONE,
  NOISE_WHITE,    /* the same in all pixels, independently */
  NOISE_COLOURED, /* depends on brightness, or is correlated between
                     neighbours */
  NOISE_JPEG,     /* what the coarse steps of a JPEG took away, and what may be
                     noise if there is any */
} NoiseKind;

typedef struct {
  NoiseKind kind;
  gboolean is_sure; /* else it may be texture */
  gboolean is_within_steps; /* a JPEG whose steps made all of it */
  gboolean is_even; /* over all frequencies, as white noise is */
  double sigma; /* root mean square, where white is 255; 0 for none */
  double neighbours; /* how much a pixel shares with the one beside it, -1 .. 1 */
  double share; /* of the brightnesses that agree, 0 .. 1 */
  int jpeg_quality; /* of the file, as libjpeg counts; 0 if it was no JPEG */
  NoiseModel model;
  NoiseModel coarse[NOISE_SCALES - 1]; /* at 1/2, 1/4 of the size */
  int coarse_count; /* of these that are known; none of white noise */
} FoundNoise;

/* How much harder than it was measured noise is removed from differences of
 * colours, unless it is white.  They are smoother than a block in most pictures
 * that a camera or a JPEG made, so that too little of them is seen; and eyes
 * mind spots of colour more than they miss fine colours. */
#define COLOUR_FACTOR 1.6

/* Noise of one level, where white is 255, in every sample; 0 for none. */
FoundNoise found_white_noise (int colours, double sigma);

/* The same noise, @factor times as strong, up to SIGMA_MAX of
 * restoreoptions.h. */
FoundNoise found_noise_scaled (const FoundNoise *noise, double factor);

/* The same noise, @factor times as strong in its differences of colours. */
FoundNoise found_noise_coloured (const FoundNoise *noise, double factor);

/* Looks for noise in the visible pixels that are not in @ignore, which may be
 * NULL.  FALSE with @error set: MEMORY. */
gboolean image_find_noise (const Image *image, const Mask *ignore,
                           FoundNoise *found, GError **error);

/* Whether the colours are so few that the picture was drawn or dithered. */
gboolean image_has_few_colours (const Image *image);
