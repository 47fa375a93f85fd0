/* finecolours.h - fine colours for a JPEG that keeps them at half the size
 *
 * Most JPEGs keep the brightness Y of each pixel, but of its colours
 * C = B - Y and C = R - Y only the means of 2 x 2 pixels, between which a decoder
 * interpolates.  Where brightness changes, colours mostly change with it.  So
 * with H for halving, U for linear interpolation, and moments over a window of
 * 5 x 5 pixels of half the size,
 *
 *     a  =  cov (H Y, H C) / (var (H Y) + e)
 *     C  <-  C + g (U a) (Y - U H Y).
 *
 * How far that can be trusted depends on the picture: cameras and earlier JPEGs
 * often have smoothed the colours before.  At half the size the colours are
 * known, so g is known there: the least-squares factor g1 between the colours
 * that halving once more would lose and their prediction; likewise g2 at a
 * quarter of the size.  Colours that were smoothed agree less and less with
 * brightness the finer they are, so that the next factor is taken to be
 *
 *     g  =  min (1, g1) min (1, g1 / g2),
 *
 * and 0 if one of them is negative.
 */
#pragma once

#include "imaging/image.h"

/* Adds fine colours to @image, which has the colours of such a JPEG; its
 * brightness stays, but for rounding and clipping.  Pictures that are too small for g to be
 * known stay as they are.  FALSE with @error set, and @image as it was:
 * MEMORY. */
gboolean image_add_fine_colours (Image *image, GError **error);
