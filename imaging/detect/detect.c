#include "imaging/detect/detect.h"

#include "base/error.h"
#include "base/parallel.h"
#include "imaging/detect/marks.h"

#include <string.h>

#define ADDRESS(name) &detector_##name,
const Detector *const detectors[] = { DETECTORS (ADDRESS) NULL };

/* Of its pixels, to be that kind's. */
#define SHARED 0.5

/* Of all work, that of kinds which are looked for at the same time. */
#define SERIAL_SHARE 0.2

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

/* Adds the marks of @found, of one kind, to @mask. */
static gboolean
add_marks (const Mask *found, DamageCount *count, Mask *mask, GError **error)
{
  const BytePlane marks = { found->width, found->height, found->missing };
  g_autoptr (Mask) fresh = mask_new (found->width, found->height, error);
  Adding adding = { mask, count };

  if (fresh == NULL || !blobs_keep (&marks, is_new, &adding, fresh, error))
    return FALSE;
  if (count->detector->is_overlay)
    mask_see_through (fresh);
  mask_add (mask, fresh);
  return TRUE;
}

/* One kind. */
typedef struct {
  const Image *image;
  double strength;
  DamageCount count;
  Progress progress;
  Mask *found;
  GError *error;
} Search;

static void
search_one (int number, int worker, gpointer data)
{
  Search *search = *((Search **) data + number);

  (void) worker;
  search->found =
    search->count.detector->find (search->image, search->strength,
                                  &search->progress, &search->error);
}

/* Looks for the kinds that leave most threads idle, all at once.  Their progress
 * is only for cancelling. */
static gboolean
search_serial (Search *searches, guint count, const Progress *progress,
               GError **error)
{
  g_autofree Search **serial = g_new (Search *, count);
  int together = 0;

  for (guint i = 0; i < count; i++)
    if (searches[i].count.detector->is_serial) {
      searches[i].progress = (Progress){
        .cancellable = progress != NULL ? progress->cancellable : NULL
      };
      serial[together++] = &searches[i];
    }
  /* A single one may report as the others do. */
  return together < 2
         || parallel_for (together, search_one, serial, progress, error);
}

/* Fails with the error of @search, if it has one. */
static gboolean
search_finish (Search *search, Mask *mask, GArray *counts, GError **error)
{
  if (search->found == NULL) {
    g_propagate_error (error, g_steal_pointer (&search->error));
    return FALSE;
  }
  if (!add_marks (search->found, &search->count, mask, error))
    return FALSE;
  g_clear_pointer (&search->found, mask_free);
  if (counts != NULL)
    g_array_append_val (counts, search->count);
  return TRUE;
}

/* Of the work, before kind number @i of @kinds. */
static double
share_before (guint i, guint kinds)
{
  return SERIAL_SHARE + (1 - SERIAL_SHARE) * i / kinds;
}

static void
search_clear (gpointer data)
{
  Search *search = data;

  mask_free (search->found);
  g_clear_error (&search->error);
}

Mask *
damage_find (const Image *image, const DamageSearch *search, GArray *counts,
             const Progress *progress, GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  g_autoptr (GArray) array = g_array_new (FALSE, TRUE, sizeof (Search));
  guint kinds = search->kinds->len;
  ProgressPart first = { progress, 0, SERIAL_SHARE };
  Progress part = progress_part (&first);
  Search *searches;

  g_array_set_clear_func (array, search_clear);
  g_array_set_size (array, kinds);
  searches = (Search *) (gpointer) array->data;
  for (guint i = 0; i < kinds; i++)
    searches[i] = (Search){ .image = image,
                            .strength = search->strength,
                            .count.detector = search->kinds->pdata[i] };
  if (mask == NULL || !search_serial (searches, kinds, &part, error))
    return NULL;
  for (guint i = 0; i < kinds; i++) {
    ProgressPart share = { progress, share_before (i, kinds),
                           share_before (i + 1, kinds) };
    Search *one = &searches[i];

    if (one->found == NULL && one->error == NULL) {
      one->progress = progress_part (&share);
      search_one (0, 0, &one);
    }
    if (!search_finish (one, mask, counts, error))
      return NULL;
  }
  return g_steal_pointer (&mask);
}
