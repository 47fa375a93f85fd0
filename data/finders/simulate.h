/* simulate.h - damage to learn from
 *
 * Specks and scratches as they are found on scanned photographs.  A mark of
 * cover a, 0 .. 1, and colour s turns a pixel b into (1 - a) b + a s.
 */
#pragma once

#include "imaging/image.h"

/* How much of each pixel is covered, 0 .. 1. */
typedef struct {
  int width, height;
  float *cover;
  int *mark; /* number of the mark that covers a pixel most, from 1 on */
  int marks; /* that there are */
} Cover;

void cover_init (Cover *cover, const Image *image);
void cover_clear (Cover *cover);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cover, cover_clear)

/* Put on @image what belongs to a picture and is to be kept: stars or falling
 * snow, or wires.  Two pictures in three get none. */
void simulate_stars (Image *image, guint64 seed, guint64 stream);
void simulate_wires (Image *image, guint64 seed, guint64 stream);

/* Put marks on @image, whose cover is added to @cover.  They are drawn from
 * @seed and @stream, which is to be another one for each picture. */
void simulate_dust (Image *image, guint64 seed, guint64 stream, Cover *cover);
void simulate_scratches (Image *image, guint64 seed, guint64 stream,
                         Cover *cover);
