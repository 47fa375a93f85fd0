/* inpaint.h - fill the missing pixels of a picture
 *
 * First every patch that touches a missing pixel is coded by a pursuit that
 * sees only its known samples; the code times the whole dictionary predicts
 * the missing ones, overlapping patches are averaged, and large holes grow
 * shut from their edge (fill.h).
 *
 * With the built-in dictionary, rounds follow in which all patches around are
 * coded as they stand, coarse structure first, by cosines of several sizes
 * (collaborative.h).  A dictionary that is named does the first part alone and
 * more thoroughly, so that dictionaries can be compared.
 *
 * Parts of a hole that are thicker than a patch reaches are filled before, but
 * for a rim: with a membrane (ground.h) and texture from elsewhere in the
 * picture (texture.h).  Everything that was filled stays within the range of
 * what is known nearby (bounds.h).
 *
 * Known pixels are not touched, and what stands in missing ones has no
 * influence.  Wholly transparent pixels count as unknown.
 */
#pragma once

#include "base/progress.h"
#include "imaging/mask.h"
#include "imaging/restoreoptions.h"

/* How a dictionary that is named codes patches: atoms per patch, mean squared
 * residual at which a patch is done, and ridge (see fill.h). */
typedef struct {
  int max_atoms;
  double max_error, ridge;
} InpaintCoder;

/* That of normal quality, and that of the paper's protocol. */
extern const InpaintCoder inpaint_coder, inpaint_paper_coder;

/* Fills the pixels of @image that @missing, of the same size, names.  A
 * dictionary of another number of channels is used channel by channel, or on
 * repeated grey.
 *
 * Adds the number of patches coded to @patches.  @progress may be NULL.
 * Returns FALSE with @error set, and @image as it was: INPUT when nothing is
 * known, LIMIT for lack of memory, CANCELLED. */
gboolean image_inpaint (Image *image, const Mask *missing,
                        const RestoreOptions *options, gsize *patches,
                        const Progress *progress, GError **error);
