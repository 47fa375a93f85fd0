/* finders.c - learns what the finders of damage judge by
 *
 *     finders dust|flats|spots|likely|scratches FOLDER > TREES
 *
 * Puts stars or wires, which are to be kept, and damage on the pictures of a
 * folder, as they are and at half their size, looks for candidates as the
 * finder does, and learns which of them are damage.  One
 * picture in HELD_OUT is kept apart; how well the trees do there is printed.
 * For `make finders`.
 */
#include "data/finders/boost.h"
#include "data/finders/simulate.h"
#include "data/photograph.h"
#include "imaging/codec/codec.h"
#include "imaging/detect/flats.h"
#include "imaging/detect/likely.h"
#include "imaging/detect/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 1
#define HELD_OUT 20

/* Pixels that are covered by more than this are damaged. */
#define DAMAGED 0.3f

/* A candidate with this share of damaged pixels is damage, one with less than
 * that is none; what lies between teaches nothing. */
#define DAMAGE_SHARE 0.7
#define NONE_SHARE 0.35

/* Of candidates that are no damage, one in that many is kept. */
#define NONE_KEPT 4

/* A spot that is to be damage has this part of its mark at least: of spots that
 * overlap one is marked, and a piece of a mark is not to be the one. */
#define LEAST_PART 0.6

/* Of spots that are no damage, one in that many is kept. */
#define NO_SPOT_KEPT 2

static void
add_sample (TrainingSet *set, const float *f, double share)
{
  static gsize none = 0;

  if (share >= DAMAGE_SHARE)
    training_set_add (set, f, TRUE, 1);
  else if (share <= NONE_SHARE && none++ % NONE_KEPT == 0)
    training_set_add (set, f, FALSE, NONE_KEPT);
}

/* ---- kinds ---- */

/* What damage is drawn from. */
typedef struct {
  guint64 seed, stream;
} Luck;

static gboolean
add_specks (Image *image, const Luck *luck, TrainingSet *set, GError **error)
{
  g_auto (Cover) cover = { 0 };
  g_auto (SpeckScene) scene = { 0 };
  g_autoptr (List) found = list_new (sizeof (Speck), NULL);
  g_autoptr (List) features = list_new (sizeof (float), NULL);
  const Specks specks = { found, features };

  cover_init (&cover, image);
  simulate_stars (image, luck->seed, luck->stream);
  simulate_dust (image, luck->seed, luck->stream, &cover);
  if (!speck_scene_init (&scene, image, NULL, error)
      || !specks_find (&scene, NULL, 0, &specks, NULL, error))
    return FALSE;
  for (guint i = 0; i < found->len; i++) {
    gsize pixels[SPECK_PIXELS];
    int count =
      speck_pixels (&scene, &list_at (found, Speck, i), pixels);
    int damaged = 0;

    for (int k = 0; k < count; k++)
      damaged += cover.cover[pixels[k]] > DAMAGED;
    add_sample (set, &list_at (features, float, i *SPECK_FEATURES),
                (double) damaged / count);
  }
  return TRUE;
}

static gboolean
add_flats (Image *image, const Luck *luck, TrainingSet *set, GError **error)
{
  g_auto (Cover) cover = { 0 };
  g_auto (SpeckScene) scene = { 0 };
  g_auto (FlatScene) flat_scene = { 0 };
  g_auto (Flats) flats = { 0 };

  cover_init (&cover, image);
  simulate_stars (image, luck->seed, luck->stream);
  simulate_dust (image, luck->seed, luck->stream, &cover);
  flats_init (&flats, TRUE);
  if (!speck_scene_init (&scene, image, NULL, error)
      || !flat_scene_init (&flat_scene, &scene, error)
      || !flats_find (&flat_scene, NULL, 0, &flats, NULL, error))
    return FALSE;
  for (guint i = 0; i < flats.flats->len; i++) {
    const Flat *flat = &list_at (flats.flats, Flat, i);
    int damaged = 0;

    for (guint k = 0; k < flat->count; k++)
      damaged +=
        cover.cover[list_at (flats.pixels, gsize, flat->start + k)]
        > DAMAGED;
    add_sample (set, &list_at (flats.features, float, i *FLAT_FEATURES),
                (double) damaged / flat->count);
  }
  return TRUE;
}

/* The pixels that each mark of @cover damages. */
static int *
sizes_of (const Cover *cover)
{
  int *sizes = g_new0 (int, cover->marks + 1);

  for (int i = 0; i < cover->width * cover->height; i++)
    if (cover->cover[i] > DAMAGED)
      sizes[cover->mark[i]]++;
  return sizes;
}

/* Of the pixels of a spot those that are damaged, and of the mark that has
 * most of them the part that is in the spot. */
static double
share_of_spot (const Spots *spots, const Spot *spot, const Cover *cover,
               const int *sizes, double *part)
{
  g_autofree int *counts = g_new0 (int, cover->marks + 1);
  int damaged = 0, most = 0;

  for (guint k = 0; k < spot->count; k++) {
    gsize i = list_at (spots->pixels, gsize, spot->start + k);

    if (cover->cover[i] <= DAMAGED)
      continue;
    damaged++;
    if (++counts[cover->mark[i]] > counts[most])
      most = cover->mark[i];
  }
  *part = (double) counts[most] / MAX (1, sizes[most]);
  return (double) damaged / spot->count;
}

/* Damages @image and adds its spots, with what the network says of them or
 * without. */
static gboolean
add_all_spots (Image *image, const Luck *luck, gboolean with_network,
               TrainingSet *set, GError **error)
{
  g_auto (Cover) cover = { 0 };
  g_auto (SpeckScene) scene = { 0 };
  g_auto (Spots) spots = { 0 };
  g_autofree int *sizes = NULL;

  cover_init (&cover, image);
  simulate_stars (image, luck->seed, luck->stream);
  simulate_dust (image, luck->seed, luck->stream, &cover);
  sizes = sizes_of (&cover);
  spots_init (&spots, &scene);
  if (!speck_scene_init (&scene, image, NULL, error)
      || !spots_find_specks (&spots, NULL, error)
      || !spots_find_flats (&spots, NULL, error)
      || (with_network && !likely_find (&spots, NULL, error))
      || !spots_examine (&spots, NULL, 0, NULL, error))
    return FALSE;
  for (guint i = 0; i < spots.spots->len; i++) {
    const Spot *spot = &list_at (spots.spots, Spot, i);
    const float *f = &list_at (spots.features, float, i *SPOT_FEATURES);
    double part, share = share_of_spot (&spots, spot, &cover, sizes, &part);

    if (share >= DAMAGE_SHARE)
      training_set_add (set, f, part >= LEAST_PART, 1);
    else if (share <= NONE_SHARE && i % NO_SPOT_KEPT == 0)
      training_set_add (set, f, FALSE, NO_SPOT_KEPT);
  }
  return TRUE;
}

static gboolean
add_spots (Image *image, const Luck *luck, TrainingSet *set, GError **error)
{
  return add_all_spots (image, luck, FALSE, set, error);
}

static gboolean
add_likely (Image *image, const Luck *luck, TrainingSet *set, GError **error)
{
  return add_all_spots (image, luck, TRUE, set, error);
}

static gboolean
add_lines (Image *image, const Luck *luck, TrainingSet *set, GError **error)
{
  g_auto (Cover) cover = { 0 };
  g_autoptr (List) segments = NULL;

  cover_init (&cover, image);
  simulate_wires (image, luck->seed, luck->stream);
  simulate_scratches (image, luck->seed, luck->stream, &cover);
  segments = lines_find (image, NULL, error);
  if (segments == NULL)
    return FALSE;
  for (guint i = 0; i < segments->len; i++) {
    const Segment *segment = &list_at (segments, Segment, i);
    int damaged = 0;

    for (int k = 0; k < segment->rows; k++)
      damaged +=
        cover.cover[segment_place (segment, image, k, segment->core[k])]
        > DAMAGED;
    add_sample (set, segment->features, (double) damaged / segment->rows);
  }
  return TRUE;
}

typedef struct {
  const char *name;
  int features, trees;
  guint rounds; /* of other damage on each picture */
  guint step; /* of so many pictures one is used: specks are frequent */
  gboolean is_second; /* the others are used: what judges the candidates that
                         are left is to see them as they are elsewhere */
  /* Damages @image and adds what is found there. */
  gboolean (*add) (Image *image, const Luck *luck, TrainingSet *set,
                   GError **error);
} Kind;

static const Kind kinds[] = {
  { "dust", SPECK_FEATURES, 240, 1, 3, FALSE, add_specks },
  { "flats", FLAT_FEATURES, 240, 1, 3, FALSE, add_flats },
  { "spots", SPOT_PLAIN_FEATURES, 1000, 8, 3, TRUE, add_spots },
  { "likely", SPOT_FEATURES, 1000, 4, 3, TRUE, add_likely },
  { "scratches", LINE_FEATURES, 240, 1, 1, FALSE, add_lines },
};

/* ---- the work ---- */

static gboolean
add_picture (const Kind *kind, const char *path, Luck luck, TrainingSet *set,
             GError **error)
{
  g_autoptr (Image) image = photograph_read (path, error);
  g_autoptr (Image) half = NULL;

  if (image == NULL)
    return FALSE;
  half = photograph_halve (image, error);
  if (half == NULL || !kind->add (image, &luck, set, error))
    return FALSE;
  luck.stream++;
  return kind->add (half, &luck, set, error);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The pictures of @folder in order. */
static GPtrArray *
list_pictures (const char *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  GPtrArray *paths;
  const char *name;

  if (dir == NULL)
    return NULL;
  paths = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".jpg") || g_str_has_suffix (name, ".png"))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, by_name);
  return paths;
}

/* Says how many of the damaged ones are found, and how many of those found
 * are damaged. */
static void
report (const TrainingSet *set, const Judge *judge)
{
  double right = 0, damaged = 0, found = 0;

  for (guint i = 0; i < set->labels->len; i++) {
    const float *f =
      &g_array_index (set->values, float, i *(guint) set->features);
    double weight = g_array_index (set->weights, float, i);
    int label = g_array_index (set->labels, guint8, i);
    int is_found = judge_score (judge, f) > 0;

    right += weight * (label && is_found);
    damaged += weight * label;
    found += weight * is_found;
  }
  fprintf (stderr, "held out: %.0f candidates of damage, recall %.3f, "
                   "precision %.3f\n",
           damaged, right / fmax (1, damaged), right / fmax (1, found));
}

static gboolean
learn (const Kind *kind, const char *folder, GError **error)
{
  g_autoptr (GPtrArray) paths = list_pictures (folder, error);
  g_auto (TrainingSet) set = { 0 };
  g_auto (TrainingSet) held_out = { 0 };
  g_autofree JudgeTree *trees = g_new0 (JudgeTree, kind->trees);
  const Judge judge = { .trees = kind->trees, .tree = trees };

  if (paths == NULL)
    return FALSE;
  training_set_init (&set, kind->features);
  training_set_init (&held_out, kind->features);
  for (guint n = 0; n < kind->rounds * paths->len; n++) {
    guint i = n % paths->len;
    Luck luck = { SEED + n / paths->len, 2 * i };

    if ((i % kind->step == 0) != kind->is_second
        && !add_picture (kind, paths->pdata[i], luck,
                         i % HELD_OUT == 0 ? &held_out : &set, error))
      return FALSE;
  }
  fprintf (stderr, "%s: %u pictures, %u candidates\n", kind->name, paths->len,
           set.labels->len);
  boost_learn (&set, kind->trees, SEED, trees);
  report (&held_out, &judge);
  boost_write (trees, kind->trees, stdout);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  for (gsize k = 0; argc == 3 && k < G_N_ELEMENTS (kinds); k++)
    if (g_str_equal (argv[1], kinds[k].name)) {
      if (learn (&kinds[k], argv[2], &error))
        return 0;
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
  fputs ("usage: finders KIND FOLDER > TREES\n", stderr);
  return 2;
}
