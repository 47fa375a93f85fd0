/* area.h - work on a part of a picture
 *
 * A part is cut out together with its surroundings, worked on like a picture
 * of its own, and put back without them.
 */
#pragma once

#include "imaging/mask.h"

/* FALSE with @error set (INPUT) if @area is empty or reaches beyond a picture
 * of that size. */
gboolean area_check (const ImageArea *area, int width, int height,
                     GError **error);

/* @area with @margin more pixels on all sides, as far as the picture goes. */
ImageArea area_widened (const ImageArea *area, int margin, int width,
                        int height);

/* @area with what is needed around it to restore it: half as much again on all
 * sides, within bounds.  The distances to the edges of the picture are
 * multiples of 16 pixels, so that the blocks of a JPEG lie in the part as they
 * do in the whole. */
ImageArea area_with_surroundings (const ImageArea *area, int width,
                                  int height);

/* The pixels of @area, with the palette and the metadata of @image.  Fails like
 * image_new(). */
Image *image_cut (const Image *image, const ImageArea *area, GError **error);

/* Replaces the pixels of @area by those of @part, whose first pixel is the one
 * at @x, @y. */
void image_paste (Image *image, const ImageArea *area, const Image *part,
                  int x, int y);

/* The same for masks. */
Mask *mask_cut (const Mask *mask, const ImageArea *area, GError **error);
void mask_paste (Mask *mask, const ImageArea *area, const Mask *part, int x,
                 int y);

/* Adds @part, a mask of @area alone, to @mask, as mask_add() does. */
void mask_add_part (Mask *mask, const ImageArea *area, const Mask *part);

/* Number of missing pixels in @area. */
gsize mask_count_in (const Mask *mask, const ImageArea *area);

/* Forgets what is missing outside of @area. */
void mask_keep (Mask *mask, const ImageArea *area);
