#include "imaging/detect/detect.h"

#include "base/error.h"
#include "imaging/detect/marks.h"

#include <string.h>

#define ADDRESS(name) &detector_##name,
const Detector *const detectors[] = { DETECTORS (ADDRESS) NULL };

/* Of its pixels, to be that kind's. */
#define SHARED 0.5

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

Mask *
damage_find (const Image *image, const DamageSearch *search, GArray *counts,
             const Progress *progress, GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  guint kinds = search->kinds->len;

  for (guint i = 0; mask != NULL && i < kinds; i++) {
    ProgressPart share = { progress, (double) i / kinds,
                           (double) (i + 1) / kinds };
    Progress part = progress_part (&share);
    DamageCount count = { .detector = search->kinds->pdata[i] };
    g_autoptr (Mask) found =
      count.detector->find (image, search->strength, &part, error);

    if (found == NULL || !add_marks (found, &count, mask, error))
      return NULL;
    if (counts != NULL)
      g_array_append_val (counts, count);
  }
  return g_steal_pointer (&mask);
}
