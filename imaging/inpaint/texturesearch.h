/* texturesearch.h - which known patch each patch of a hole looks like
 *
 * Places are upper left corners of patches of TEXTURE_SIDE x TEXTURE_SIDE
 * pixels, numbered row after row.  Targets are the places whose patches hold
 * a wanted pixel, sources those whose patches are known.  The field has a
 * source for each target.
 */
#pragma once

#include "base/progress.h"
#include "imaging/inpaint/texturelevel.h"

#define TEXTURE_SIDE 8

/* Fewer sources than this are too few for a texture. */
#define LEAST_SOURCES 64

typedef struct {
  const TextureLevel *level;
  guint64 seed;
  guint64 turn; /* number of the turn, over all levels */
  int radius;   /* of the first square of the random search */

  guint8 *is_source; /* one byte per place */
  int *sources;      /* places */
  int source_count;
  int *targets; /* places, in rising order */
  int target_count;
  int *target_at; /* number of the target at each place, or -1 */

  int *field, *next;  /* source of each target, before and after a turn */
  float *cost;        /* of the field */
  float *next_cost;   /* after a turn */
  float *vote_weight; /* of each target */
} TextureSearch;

/* Lists the places of @level, which is as large as a patch or larger and must
 * outlive @s; seed and turn of @s stay.  FALSE for lack of memory; @s is then
 * still to be cleared. */
gboolean texture_search_init (TextureSearch *s, const TextureLevel *level);

/* A search of zeros may be cleared too. */
void texture_search_clear (TextureSearch *s);

/* Sets the field: to random sources, of which there must be some; or to those
 * of the next coarser level, @coarser. */
void texture_search_start_at_random (TextureSearch *s);
void texture_search_start_from (TextureSearch *s,
                                const TextureSearch *coarser);

/* Rounds of search and votes, which set the wanted samples of the level.
 * FALSE, with @error set, when cancelled. */
gboolean texture_search_run (TextureSearch *s, gboolean is_coarsest,
                             const Progress *progress, GError **error);
