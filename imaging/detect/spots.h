/* spots.h - candidates for dust, of all kinds, looked at again
 *
 * specks.h and flats.h each describe what they find by quick sums.  Most of it
 * is dismissed by them.  likely.h adds candidates where there is dust.  What is
 * left, a spot, is looked at more closely:
 *
 *   1. The spot and its soft edge are bridged over by a membrane x0.  Dust of
 *      cover a and shade b makes y = (1 - a) x0 + a b of it, with the same a
 *      and b for all colours of the spot; the regression of y on x0 says how
 *      well that holds.
 *   2. Along its edge, the share of the way from x0 to the colour of the spot
 *      falls from 1 to 0 within a pixel or two, on all sides.
 *   3. The same shape is put beside the spot, on eight sides.  Dust stands out
 *      by more than these places do, and is flatter.
 *   4. Its colour is found nowhere around.
 *   5. The network has found its pixels likely, and those around not.
 *   6. The finders agree on it: several regions have its outline, and it is
 *      likelier than the other spots around.
 */
#pragma once

#include "imaging/detect/flats.h"
#include "imaging/detect/specknet.h"

/* The first ones need no network. */
#define SPOT_FEATURES 56
#define SPOT_PLAIN_FEATURES 48

/* What finds candidates, besides the planes of specks.h. */
enum { SPOT_FLAT = SPECK_PLANES, SPOT_LIKELY };

/* A candidate. */
typedef struct {
  guint start, count; /* of its pixels in @pixels */
  ImageArea box;
  int kind;  /* a plane of specks.h, SPOT_FLAT or SPOT_LIKELY */
  int first; /* the score that its finder has given it */
  gint64 peak; /* number of its peak in the picture, -1 for no speck */
  int score;
} Spot;

typedef struct {
  const SpeckScene *scene;
  List *spots;      /* of Spot */
  List *pixels;     /* of gsize: numbers of pixels */
  List *features;   /* of float [SPOT_FEATURES] each; empty if not wanted */
  BytePlane scores; /* of specknet.h; may be empty */
} Spots;

void spots_init (Spots *spots, const SpeckScene *scene);
void spots_clear (Spots *spots);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Spots, spots_clear)

/* Adds @spot, which has these pixels.  Without memory it is left out, of which
 * spots_check() tells. */
void spots_add (Spots *spots, const gsize *pixels, int count, Spot spot);

/* FALSE if a spot was left out, with @error set (MEMORY). */
gboolean spots_check (const Spots *spots, GError **error);

/* Candidates that their finders give a smaller score are no spots. */
#define SPOT_LEAST (-5 * JUDGE_UNIT)

/* Add what a finder finds, as it judges.  @progress may be NULL; FALSE with
 * @error set: MEMORY, CANCELLED. */
gboolean spots_find_specks (Spots *spots, const Progress *progress,
                            GError **error);
gboolean spots_find_flats (Spots *spots, const Progress *progress,
                           GError **error);

/* How frequent dust is, as judge_share() has it, by these first scores.  FALSE
 * with @error set: MEMORY. */
gboolean spots_share (const Spots *spots, double strength, double *share,
                      GError **error);

/* Looks at all spots and keeps their features.  With a @judge they get their
 * scores instead; then those are left out whose first score is below @least,
 * or far below that of another one with the same outline.  @progress may be
 * NULL; FALSE with @error set: MEMORY, CANCELLED. */
gboolean spots_examine (Spots *spots, const Judge *judge, int least,
                        const Progress *progress, GError **error);

/* Of spots that overlap keeps the likeliest one, and sorts them by their
 * scores.  FALSE with @error set: MEMORY. */
gboolean spots_keep_best (Spots *spots, GError **error);
