/* collaborative.h - improve a filled picture by rounds of sparse coding
 *
 * A first fill sees only known samples, one patch at a time.  A round codes
 * every patch that touches a missing sample as it stands, known and filled
 * samples alike, together with patches nearby that look like it.  Of their
 * cosines X, one column per patch, it keeps what is large,
 *
 *     X <- HT_t (X H) H',     H orthonormal, the first column constant,
 *
 * where H adds up what the patches have in common and so lifts it above the
 * threshold.  Averaged over all patches, that becomes the new value of the
 * missing samples.  The weight of a patch is numbers / numbers kept, times the
 * share of its samples that are known: one that lies in a hole adds nothing
 * new.
 *
 * The threshold t falls from round to round: first the coarse structure
 * settles, with the known samples pulling it, then the fine.  Patches of
 * several sizes vote together.
 */
#pragma once

#include "base/progress.h"
#include "imaging/inpaint/canvas.h"

#define MOST_SCALES 4

/* Patches of one size. */
typedef struct {
  int side;    /* 6, 10 or 16; 0 ends a list of them */
  int step;    /* from one to the next */
  int similar; /* patches that are coded together: 1, 2, 4 or 8 */
} CollaborativeScale;

typedef struct {
  int rounds;
  int coarse; /* the first so many take only every other patch across and down:
                 coarse structure needs no more */
  double first, last; /* threshold of the first and the last round; geometric
                         in between; white is 1 */
  CollaborativeScale scales[MOST_SCALES + 1];
} CollaborativeSettings;

/* How far apart samples are that have to do with each other in a round: the
 * reach that a canvas needs. */
int collaborative_reach (const CollaborativeSettings *settings);

/* Improves the missing samples of @canvas, which all have a value.
 *
 * @patches is set to the number of patches coded, over all rounds.  @progress
 * may be NULL.  Returns FALSE with @error set: MEMORY, CANCELLED. */
gboolean canvas_improve (Canvas *canvas, const CollaborativeSettings *settings,
                         gsize *patches, const Progress *progress,
                         GError **error);
