/* denoiseprivate.h - the work in progress, shared by the files of denoise.c */
#pragma once

#include "imaging/convolutional/recode.h"
#include "imaging/denoise/denoise.h"
#include "imaging/denoise/nlbayes.h"
#include "imaging/detect/clipping.h"
#include "imaging/planes.h"

/* Passes with Gaussian models, each guided by the one before. */
#define MOST_PASSES 2

typedef struct {
  int cosines, step; /* side of the patches of the guide, and their distance */
  NlBayesSettings passes[MOST_PASSES];
  int pass_count;
  int extra; /* more similar patches in the last pass of small pictures */
} Effort;

/* From that many pixels on white noise is removed with less work; and it, and
 * other noise that is even over all frequencies, without the dictionary that was
 * learned for it.  Both but for the best quality. */
#define LARGE_WHITE 2000000

/* efforts.c: for a picture of 1 or 3 @colours and @pixels. */
Effort denoise_effort (NoiseKind kind, int colours, gsize pixels,
                       RestoreQuality quality);

/* The share of extra work that a picture of @pixels gets if those of @most and
 * more get none: 1 from a fourth of @most down. */
double denoise_extra_share (gsize pixels, gsize most);

/* A picture of half the size, before and after its noise was removed; NULL
 * where there is none. */
typedef struct {
  Image *noisy, *clean;
} Half;

/* What is done to a picture. */
typedef struct {
  const Image *from;
  Image *to;
  int halvings; /* how often it was halved before */
  gboolean in_scales; /* first at half the size */
  Half half;
  Image *coarse; /* the result at half the size, to be mixed in, or NULL */
  NoiseKind kind;
  gboolean is_even; /* the noise, over all frequencies */
  double sigma; /* where white is 1 */
  const NoiseModel *noise;
  float grain; /* share of it to leave */
  int colours; /* to work on: 1 where all pixels are grey */
  float *unclipping; /* clipping.h */
  float hidden[3]; /* takes the place of invisible pixels */
  const Dictionary *named;
  Planes *coded; /* the whole picture by a convolutional dictionary, or NULL */
  float coded_part; /* its share of the result if there are passes */
  gboolean by_threshold; /* with the one that was named; else by pursuit */
  Effort effort;
  int step; /* for the one that was named */
  int halo;
  int least; /* a picture must have this many pixels per side */
  gsize patches;
} Denoise;

/* The pixels of a tile. */
typedef struct {
  int left, top, right, bottom; /* the tile itself */
  int x, y;                     /* upper left corner with its halo */
  Planes *noisy, *clean;
} Tile;

/* A coordinate beyond the edge is reflected at it. */
static inline int
reflected (int i, int length)
{
  int period = 2 * length;

  i %= period;
  return i < length ? i : period - 1 - i;
}

/* tile.c: the samples of @tile and its halo; of a small picture, mirrored
 * until it is as large as a patch. */
gboolean tile_init (Tile *tile, const Denoise *d, int channels,
                    GError **error);
void tile_clear (Tile *tile);

/* Writes the tile itself, without its halo, to d->to. */
void tile_write (const Denoise *d, const Tile *tile);

/* Pixel @from_x, @from_y of d->from, without what was removed at half the
 * size, to @planes. */
void tile_read_pixel (const Denoise *d, Planes *planes, int x, int y,
                      int from_x, int from_y);

/* coded.c: lets @coder restore the whole picture into d->coded. */
gboolean denoise_code_picture (Denoise *d, const Recoder *coder, int turns,
                               const Progress *progress, GError **error);

/* mixhalf.c: mixes d->coarse into the low frequencies of @tile.  Pixels further
 * than MIX_HALF_REACH from the tile itself may become anything. */
#define MIX_HALF_REACH 2
gboolean tile_mix_half (const Denoise *d, const Tile *tile, GError **error);
