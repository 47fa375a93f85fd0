/* restore.h - fill the missing pixels of a picture
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
 * Known pixels are not touched, and what stands in missing ones has no
 * influence.  Wholly transparent pixels count as unknown.
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/dictionary.h"
#include "imaging/mask.h"

typedef enum { QUALITY_FAST, QUALITY_NORMAL, QUALITY_BEST } RestoreQuality;

typedef struct {
  const Dictionary *dictionary; /* NULL for the built-in one */
  RestoreQuality quality;
  gboolean paper_protocol; /* separate patches, 30 atoms, plain pursuit */
  int max_atoms;           /* a patch, for the first fill; 0 for as usual */
} RestoreOptions;

#define RESTORE_DEFAULTS ((RestoreOptions){ .quality = QUALITY_NORMAL })

typedef struct {
  gsize masked_pixels;
  gsize patches;    /* that were coded, over all rounds */
  char *dictionary; /* what dictionary_describe() says of the one used */
} RestoreReport;

void restore_report_clear (RestoreReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (RestoreReport, restore_report_clear)

/* Fills the pixels of @image that @missing names.  A dictionary of another
 * number of channels is used channel by channel, or on repeated grey.
 *
 * @report is filled in and cleared by the caller.  @progress may be NULL.
 * Returns FALSE with @error set, and @image as it was: INPUT when sizes differ
 * or nothing is known, LIMIT for lack of memory, CANCELLED. */
gboolean image_restore (Image *image, const Mask *missing,
                        const RestoreOptions *options, RestoreReport *report,
                        const Progress *progress, GError **error);
