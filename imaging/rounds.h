/* rounds.h - improve a filled picture by rounds of sparse coding
 *
 * A first fill sees only known samples, one patch at a time.  A round codes
 * every patch that touches a wanted sample as it stands, known and filled
 * samples alike, keeps what is large,
 *
 *     x = HT_t (D' y),     y <- D x,
 *
 * averages the overlapping patches, and writes the mean into the wanted
 * samples only.  The weight of a patch is n / non-zeros times the share of its
 * samples that are known: one that lies in a hole has nothing new to say.  The
 * threshold t falls from round to round: first the coarse structure settles,
 * with the known samples pulling it, then the fine.  Dictionaries of several
 * patch sizes vote together.
 */
#pragma once

#include "base/progress.h"
#include "dictlearn/dictionary.h"
#include "imaging/planes.h"

typedef struct {
  int rounds;
  double first, last; /* threshold of the first and the last round; geometric
                         in between; white is 1 */
  double step;        /* distance of patches as a share of their side */
} RoundSettings;

/* Improves the samples of @planes where @wanted is nonzero, by all of the
 * @count orthonormal @dictionaries together.  Patches that hold a sample with
 * @trust 0, of which nothing is known, are left out.
 *
 * @patches is set to the number of patches coded, over all rounds.  @progress
 * may be NULL.  Returns FALSE with @error set: LIMIT, CANCELLED. */
gboolean planes_improve (Planes *planes, const Planes *trust,
                         const guint8 *wanted, Dictionary *const *dictionaries,
                         int count, const RoundSettings *settings,
                         gsize *patches, const Progress *progress,
                         GError **error);
