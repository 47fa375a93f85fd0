/* patchsearch.h - patches on a canvas that look like a given one
 *
 * Searched near it, by the means of their channels (similar.h).
 */
#pragma once

#include "imaging/inpaint/patches.h"
#include "imaging/similar.h"

#define MOST_SIMILAR 32 /* patches that are looked for */
#define MOST_RADIUS 16

/* The mean of the channels of the rows of a window, NAN where nothing is
 * known. */
typedef struct {
  const RowWindow *window;
  GreyRows grey;
} PatchSearch;

/* @window may change what it holds, but not its size.  FALSE with @error set
 * (MEMORY) when there is not enough. */
gboolean patch_search_init (PatchSearch *self, const RowWindow *window,
                            GError **error);
void patch_search_clear (PatchSearch *self);

/* Copies rows @top .. @bottom - 1 of the window. */
void patch_search_update (PatchSearch *self, int top, int bottom);

/* Sets @found to the @count places within @radius of @place whose patches are
 * most like the one there, best first; it is itself the first.  Repeats that
 * one if there are fewer.  Only rows that patch_search_update() knows are
 * looked at: the caller updates @radius rows above and below its patches. */
void patch_search_find (const PatchSearch *self, Place place, int patch,
                        int radius, Place *found, int count);
