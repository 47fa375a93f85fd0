#include "imaging/detect/detect.h"

#include "base/error.h"
#include "base/parallel.h"
#include "imaging/detect/marks.h"

#include <string.h>

#define ADDRESS(name) &detector_##name,
const Detector *const detectors[] = { DETECTORS (ADDRESS) NULL };

const Detector detector_areas = { .name = "areas",
                                  .noun = "lost areas and torn edges",
                                  .classes = DAMAGE_CLASS (DAMAGE_AREAS) };

/* Of its pixels, to be that kind's. */
#define SHARED 0.5

/* The network's marks reach this far beyond those of the rules, in pixels. */
#define HALO 6

const Detector *
detector_find (const char *name)
{
  for (gsize i = 0; detectors[i] != NULL; i++)
    if (g_str_equal (detectors[i]->name, name))
      return detectors[i];
  return NULL;
}

static gboolean
set_unknown (const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (int j = 0; detectors[j] != NULL; j++)
    g_string_append_printf (known, "%s%s", j > 0 ? ", " : "",
                            detectors[j]->name);
  return tessera_fail (error, TESSERA_ERROR_USAGE,
                       "there is no kind of damage called '%s'; there are %s",
                       name, known->str);
}

GPtrArray *
detectors_named (const char *names, GError **error)
{
  g_autoptr (GPtrArray) kinds = g_ptr_array_new ();
  gboolean all = names == NULL || g_str_equal (names, "all");
  g_auto (GStrv) list = g_strsplit (all ? "" : names, ",", -1);

  for (int i = 0; all && detectors[i] != NULL; i++)
    g_ptr_array_add (kinds, (gpointer) detectors[i]);
  for (int i = 0; list[i] != NULL; i++) {
    const Detector *detector = detector_find (list[i]);

    if (detector == NULL) {
      set_unknown (list[i], error);
      return NULL;
    }
    if (!g_ptr_array_find (kinds, detector, NULL))
      g_ptr_array_add (kinds, (gpointer) detector);
  }
  if (kinds->len > 0)
    return g_steal_pointer (&kinds);
  tessera_fail (error, TESSERA_ERROR_USAGE, "the kinds of damage are missing");
  return NULL;
}

/* ---- several kinds at once ---- */

typedef struct {
  const Mask *before; /* what earlier kinds have found */
  DamageCount *count;
} Adding;

/* Whether a mark is more than another view of what was found before. */
static gboolean
is_new (const Blob *blob, gpointer data)
{
  Adding *adding = data;
  gsize shared = 0;

  for (gsize k = 0; k < blob->count; k++)
    shared += adding->before->missing[blob->pixels[k]] != 0;
  if ((double) shared > SHARED * (double) blob->count)
    return FALSE;
  adding->count->marks++;
  adding->count->pixels += blob->count;
  return TRUE;
}

/* Adds the marks of @found, of one kind, to @mask; they may be seen through if
 * @are_overlays. */
static gboolean
add_marks (const Mask *found, gboolean are_overlays, DamageCount *count,
           Mask *mask, GError **error)
{
  const BytePlane marks = { found->width, found->height, found->missing };
  g_autoptr (Mask) fresh = NULL;
  Adding adding = { mask, count };

  if (mask_count (found) == 0)
    return TRUE;
  fresh = mask_new (found->width, found->height, error);
  if (fresh == NULL || !blobs_keep (&marks, is_new, &adding, fresh, error))
    return FALSE;
  if (are_overlays)
    mask_see_through (fresh);
  mask_add (mask, fresh);
  return TRUE;
}

typedef struct Searches Searches;

/* One kind. */
typedef struct {
  Searches *all;
  DamageCount count;
  gint done; /* of DONE; atomic */
  Mask *found;
  GError *error;
} Search;

#define DONE 1000

/* All kinds. */
struct Searches {
  const Image *image;
  double strength;
  const Progress *progress; /* may be NULL */
  GThread *caller;          /* who alone may report */
  guint kinds;
  Search *search;
};

static void
report_search (double done, gpointer data)
{
  Search *search = data;
  const Searches *all = search->all;
  double sum = 0;

  g_atomic_int_set (&search->done, (gint) (DONE * done));
  if (g_thread_self () != all->caller)
    return;
  for (guint i = 0; i < all->kinds; i++)
    sum += g_atomic_int_get (&all->search[i].done);
  all->progress->report (sum / (DONE * all->kinds), all->progress->user_data);
}

/* The last kinds take longest, so they are the first to begin. */
static void
search_one (int number, int worker, gpointer data)
{
  Searches *all = data;
  Search *search = &all->search[all->kinds - 1 - (guint) number];
  const Progress *whole = all->progress;
  Progress progress = { .user_data = search };

  (void) worker;
  if (whole != NULL) {
    progress.cancellable = whole->cancellable;
    progress.report = whole->report != NULL ? report_search : NULL;
  }
  if (search->count.detector->find != NULL)
    search->found = search->count.detector->find (all->image, all->strength,
                                                  &progress, &search->error);
  g_atomic_int_set (&search->done, DONE);
}

static void
search_clear (gpointer data)
{
  Search *search = data;

  mask_free (search->found);
  g_clear_error (&search->error);
}

/* Adds what the rules of all kinds find to @mask and to the counts. */
static gboolean
apply_rules (Searches *all, Mask *mask, GError **error)
{
  const Progress *progress = all->progress;
  const Progress quiet = { .cancellable =
                             progress != NULL ? progress->cancellable : NULL };

  if (!parallel_tasks ((int) all->kinds, search_one, all, &quiet, error))
    return FALSE;
  for (guint i = 0; i < all->kinds; i++) {
    Search *search = &all->search[i];

    if (search->error != NULL) {
      g_propagate_error (error, g_steal_pointer (&search->error));
      return FALSE;
    }
    if (search->found != NULL
        && !add_marks (search->found, search->count.detector->is_overlay,
                       &search->count, mask, error))
      return FALSE;
    g_clear_pointer (&search->found, mask_free);
  }
  return TRUE;
}

/* Adds what the network finds of one kind.  Cracks, creases and flakes hide
 * what is below them; taken for overlays they would leave ghosts. */
static gboolean
add_seen (Search *search, const DamageMap *map, Mask *mask, GError **error)
{
  const Detector *detector = search->count.detector;
  g_autoptr (Mask) seen = NULL;

  if (detector->classes == 0)
    return TRUE;
  seen =
    damage_map_marks (map, detector->classes, search->all->strength, error);
  return seen != NULL
         && add_marks (seen, FALSE, &search->count, mask, error);
}

/* Has the network look at the picture, if there is something for it to find.
 * *@map is NULL otherwise. */
static gboolean
ask_network (const Searches *all, const Progress *progress, DamageMap **map,
             GError **error)
{
  DamageClasses classes = 0;

  for (guint i = 0; i < all->kinds; i++)
    classes |= all->search[i].count.detector->classes;
  if (classes == 0)
    return TRUE;
  *map = damage_map_new (all->image, progress, error);
  return *map != NULL;
}

/* Takes what the rules have found out of the map, so that the threshold is
 * that for what they have left. */
static gboolean
forget_found (const Mask *mask, DamageMap *map, GError **error)
{
  g_autoptr (Mask) found = mask_copy (mask, error);

  if (found == NULL || !mask_grow (found, HALO, error))
    return FALSE;
  for (gsize i = 0; i < (gsize) map->width * (gsize) map->height; i++)
    if (found->missing[i])
      map->likelihood[i] = 0;
  return TRUE;
}

/* Adds what the network finds of all kinds. */
static gboolean
add_all_seen (Searches *all, DamageMap *map, Mask *mask, GError **error)
{
  if (map == NULL)
    return TRUE;
  if (!forget_found (mask, map, error))
    return FALSE;
  for (guint i = 0; i < all->kinds; i++)
    if (!add_seen (&all->search[i], map, mask, error))
      return FALSE;
  return TRUE;
}

/* The share of the time that the network takes. */
#define NETWORK_SHARE 0.5

Mask *
damage_find (const Image *image, const DamageSearch *search, GArray *counts,
             const Progress *progress, GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  g_autoptr (GArray) array = g_array_new (FALSE, TRUE, sizeof (Search));
  g_autoptr (DamageMap) map = NULL;
  ProgressPart first = { progress, 0, NETWORK_SHARE };
  ProgressPart second = { progress, NETWORK_SHARE, 1 };
  const Progress network = progress_part (&first);
  const Progress rules = progress_part (&second);
  Searches all = { .image = image,
                   .strength = search->strength,
                   .progress = &rules,
                   .caller = g_thread_self (),
                   .kinds = search->kinds->len };

  g_array_set_clear_func (array, search_clear);
  g_array_set_size (array, all.kinds);
  all.search = (Search *) (gpointer) array->data;
  for (guint i = 0; i < all.kinds; i++)
    all.search[i] =
      (Search){ .all = &all, .count.detector = search->kinds->pdata[i] };
  if (mask == NULL || !ask_network (&all, &network, &map, error)
      || !apply_rules (&all, mask, error)
      || !add_all_seen (&all, map, mask, error)
      || !progress_step (progress, 1, error))
    return NULL;
  for (guint i = 0; counts != NULL && i < all.kinds; i++)
    g_array_append_val (counts, all.search[i].count);
  return g_steal_pointer (&mask);
}
