/* fill.h - fill missing samples by masked pursuit, growing inward
 *
 * Patches that touch an unfilled sample are coded by a pursuit that sees only
 * samples it may trust; the code times the whole dictionary predicts the rest,
 * and overlapping patches are averaged.  Patches that know most come first;
 * what they fill is then trusted a little by those further inside a hole, and
 * by all of them if there are further passes.
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/dictionary.h"
#include "imaging/inpaint/canvas.h"

/* Trust in what was filled, in passes over all of it.  Half of the pixels
 * lost: 0.3 is better than 0.1 by 0.02 dB; half of the samples lost one by one:
 * it is worse by 0.16 dB, since what is known of a pixel says more than what
 * was filled of it. */
#define FILL_LATER_TRUST 0.15f

typedef struct {
  int step;         /* from one patch to the next */
  int max_atoms;    /* a patch */
  double max_error; /* mean squared residual of a patch that is good enough */
  double ridge;     /* penalty of rough atoms; 0 for plain least squares */
  int again;        /* passes over all that is filled, after the first */
  gboolean bounded; /* patches stay near the range of their known samples */
  double least_share; /* a patch is coded if it knows this share of what the
                         best one knows, 0 .. 1 */
} FillSettings;

/* The penalty of each atom of @dictionary for settings->ridge = @factor, an
 * array that the caller owns.  NULL with @error set: MEMORY. */
float *fill_make_ridge (const Dictionary *dictionary, double factor,
                        GError **error);

/* Gives every missing sample of @canvas a value.  The channels of @canvas are
 * a multiple of those of @dictionary, and are coded in groups of that size.
 *
 * @patches is set to the number of patches that were coded.  @progress may be
 * NULL.  Returns FALSE with @error set: INPUT when nothing is known, MEMORY,
 * CANCELLED. */
gboolean canvas_fill (Canvas *canvas, const Dictionary *dictionary,
                      const FillSettings *settings, gsize *patches,
                      const Progress *progress, GError **error);
