/* specks.h - what may be dust: small spots that stand out
 *
 * Dust is grey, so light specks are looked for in the least of the colours and
 * dark ones in the negative of the largest, where the colours of a picture do
 * not hide them; coloured specks in the difference of the two.  On such a plane
 * the top-hat says how much a pixel stands out.  From each of its peaks a
 * region is flooded downwards until it meets something higher; the pixels
 * above some parts of the height of the peak are the candidates.
 *
 * What is known of dust makes their features:
 *   1. it covers the picture: inside it is flatter than around;
 *   2. it ends at once, on all sides: the pixels 2 away are background;
 *   3. it is compact;
 *   4. it is rare: where the picture is full of small spots, leaves or
 *      glitter, these belong to it.
 */
#pragma once

#include "base/progress.h"
#include "imaging/detect/judge.h"
#include "imaging/detect/marks.h"

enum { SPECK_LIGHT, SPECK_DARK, SPECK_COLOUR, SPECK_PLANES };

#define SPECK_FEATURES 25

/* A candidate. */
typedef struct {
  int x, y; /* its peak */
  guint8 plane;
  guint8 level; /* the least top-hat of its pixels */
  int score;
} Speck;

/* A picture, and what stands out of it. */
typedef struct {
  const Image *image;
  BytePlane shade[SPECK_PLANES], hat[SPECK_PLANES], usual[SPECK_PLANES];
} SpeckScene;

gboolean speck_scene_init (SpeckScene *scene, const Image *image,
                           const Progress *progress, GError **error);
void speck_scene_clear (SpeckScene *scene);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SpeckScene, speck_scene_clear)

/* Candidates, those of a peak one after the other, the smallest first. */
typedef struct {
  List *specks;   /* of Speck */
  List *features; /* of float [SPECK_FEATURES] each; NULL if not wanted */
} Specks;

/* Adds the candidates of @scene to @specks, in an order that does not depend
 * on threads.  With a @judge only those of at least @least. */
gboolean specks_find (const SpeckScene *scene, const Judge *judge, int least,
                      const Specks *specks, const Progress *progress,
                      GError **error);

/* The numbers of the pixels of @speck, at most SPECK_PIXELS; returns how many
 * there are. */
#define SPECK_PIXELS 180
int speck_pixels (const SpeckScene *scene, const Speck *speck,
                  gsize pixels[SPECK_PIXELS]);
