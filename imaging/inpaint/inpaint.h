/* inpaint.h - fill the missing pixels of a picture
 *
 * First every patch that touches a missing pixel is coded by a pursuit that
 * sees only its known samples; the code times the whole dictionary predicts
 * the missing ones, overlapping patches are averaged, and large holes grow
 * shut from their edge (fill.h).
 *
 * With the built-in dictionaries, rounds follow in which all patches nearby
 * are coded, known and filled samples alike, coarse structure first, by
 * cosines of several sizes (collaborative.h); the result is mixed with that of
 * the convolutional dictionary (convolutional/recode.h), and models of similar
 * patches estimate each patch anew (gaussian.h).  At the lowest quality the
 * convolutional dictionary is all there is.  One that the user names takes the
 * place of the built-in one.  Any other dictionary that the user names does
 * the first part alone and more thoroughly, so that dictionaries can be
 * compared.
 *
 * Parts of a hole that are too thick for patches are filled first, except for
 * a rim: with a membrane (ground.h) and texture from elsewhere in the picture
 * (texture.h).  Everything that was filled stays within the range of what is
 * known nearby (bounds.h).
 *
 * Known pixels are not changed, and the values of missing ones never affect
 * the result.  Fully transparent pixels count as unknown.
 */
#pragma once

#include "base/progress.h"
#include "imaging/mask.h"
#include "imaging/restoreoptions.h"

/* How a dictionary that the user names codes patches: atoms per patch, mean
 * squared residual at which a patch is done, and ridge (see fill.h). */
typedef struct {
  int max_atoms;
  double max_error, ridge;
} InpaintCoder;

/* For normal quality, and for the paper's protocol. */
extern const InpaintCoder inpaint_coder, inpaint_paper_coder;

/* Fills the pixels of @image that @missing, of the same size, names.  A
 * dictionary of another number of channels is used channel by channel, or on
 * repeated grey.
 *
 * Adds the number of patches coded to @patches.  If @dictionary is not NULL, it
 * becomes dictionary_describe() of the one that the user named, or of the
 * built-in one that did most of the work.  @progress may be NULL.
 * Returns FALSE with @error set, and @image as it was: INPUT when nothing is
 * known, MEMORY, CANCELLED. */
gboolean image_inpaint (Image *image, const Mask *missing,
                        const RestoreOptions *options, gsize *patches,
                        char **dictionary, const Progress *progress,
                        GError **error);
