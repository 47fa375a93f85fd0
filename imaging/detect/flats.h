/* flats.h - what may be dust: small regions of one colour
 *
 * A speck that touches something of its own shade, or lies among things that
 * stand out as much, has no peak of its own for specks.h.  But it covers the
 * picture: its pixels are alike, and where it ends there is a step.  Pixels
 * are connected if no colour differs by more than a level; for each of some
 * levels the regions of few pixels are the candidates.
 *
 * Their features say what is known of dust, as in specks.h, with all colours
 * at once: how flat they are inside and how rough the picture is around them,
 * how large the steps are at their rims, on how many sides they end, how
 * compact they are, and how many there are of their kind.
 */
#pragma once

#include "imaging/detect/specks.h"

#define FLAT_FEATURES 28

/* The largest steps within a region. */
#define FLAT_LEVELS 5
extern const int flat_levels[FLAT_LEVELS];

/* A candidate. */
typedef struct {
  guint start, count; /* of its pixels in @pixels */
  ImageArea box;
  int level; /* its number in flat_levels */
  int score;
} Flat;

typedef struct {
  List *flats;    /* of Flat */
  List *pixels;   /* of gsize: numbers of pixels */
  List *features; /* of float [FLAT_FEATURES] each; NULL if not wanted */
} Flats;

void flats_init (Flats *flats, gboolean with_features);
void flats_clear (Flats *flats);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Flats, flats_clear)

/* The colours of a picture in bytes, and the largest steps of a colour to the
 * next pixel in its row and its column. */
typedef struct {
  const SpeckScene *scene;
  guint8 *colours; /* three for each pixel */
  BytePlane right, down;
} FlatScene;

gboolean flat_scene_init (FlatScene *flat, const SpeckScene *scene,
                          GError **error);
void flat_scene_clear (FlatScene *flat);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (FlatScene, flat_scene_clear)

/* Adds the candidates of @scene to @flats, in an order that does not depend on
 * threads.  With a @judge only those of at least @least. */
gboolean flats_find (const FlatScene *scene, const Judge *judge, int least,
                     Flats *flats, const Progress *progress, GError **error);
