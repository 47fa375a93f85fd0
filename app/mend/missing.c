/* missing.c - which pixels are missing: as the user says, or as found */
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "app/mend/repairpicture.h"

const char *const mask_colours[] = { [MASK_AUTO] = "auto",
                                     [MASK_TOGETHER] = "together",
                                     [MASK_SEPARATE] = "separate",
                                     NULL };

/* Adds @part, which it frees, to @mask.  FALSE if there is no part. */
static gboolean
add_and_free (Mask *mask, Mask *part)
{
  if (part == NULL)
    return FALSE;
  mask_add (mask, part);
  mask_free (part);
  return TRUE;
}

/* The mask in a file. */
static Mask *
load_mask (Repair *repair, GError **error)
{
  const MaskSources *sources = repair->request->task->sources;
  Mask *mask;

  if (repair->mask_file == NULL)
    repair->mask_file = picture_open (repair->mask_path, error);
  if (repair->mask_file == NULL)
    return NULL;
  mask = picture_decode_mask (repair->mask_file, repair->page,
                              repair->mask_path, repair->image,
                              (MaskColours) sources->colours,
                              &repair->request->line.limits, error);
  if (repair->page == repair->pages - 1)
    g_clear_pointer (&repair->mask_file, page_reader_free);
  if (mask != NULL && sources->see_through)
    mask_see_through (mask);
  return mask;
}

Mask *
missing_from_sources (Repair *repair, GError **error)
{
  const MaskSources *sources = repair->request->task->sources;
  const Image *image = repair->image;
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);

  if (mask == NULL)
    return NULL;
  if (repair->mask_path != NULL
      && !add_and_free (mask, load_mask (repair, error)))
    return NULL;
  if (sources->colour.is_set
      && !add_and_free (mask,
                        mask_from_colour (image, sources->colour.rgb, error)))
    return NULL;
  if (sources->transparent
      && !add_and_free (mask, mask_from_alpha (image, error)))
    return NULL;
  return g_steal_pointer (&mask);
}

gboolean
missing_is_named (const MaskSources *sources)
{
  return sources->file != NULL || sources->colour.is_set
         || sources->transparent || sources->kinds != NULL;
}

const char *const *
repair_kind_names (void)
{
  static const char *names[32]; /* ends with NULL */

  for (gsize i = 0; detectors[i] != NULL && i + 1 < G_N_ELEMENTS (names); i++)
    names[i] = detectors[i]->name;
  return names;
}

gboolean
option_kinds (const Option *option, const char *text, GError **error)
{
  g_autoptr (GPtrArray) kinds = detectors_named (text, error);

  if (kinds != NULL)
    *(const char **) option->value = g_intern_string (text);
  return kinds != NULL;
}

const char *
missing_kinds (const Repair *repair)
{
  const RepairTask *task = repair->request->task;

  return missing_is_named (task->sources) ? task->sources->kinds : task->kinds;
}

/* Says how much there is of one kind. */
static void
report_count (Repair *repair, const DamageCount *count)
{
  const char *name = count->detector->name;

  json_report_set_count (repair->found, name, count->pixels);
  json_report_set_count (repair->marks, name, count->marks);
  if (repair->is_alone && !repair->request->line.json
      && (count->marks > 0 || repair->request->task->sources->kinds != NULL))
    terminal_result ("found %s: %" G_GSIZE_FORMAT " mark%s, %" G_GSIZE_FORMAT
                     " pixel%s",
                     count->detector->noun, count->marks,
                     PLURAL (count->marks), count->pixels,
                     PLURAL (count->pixels));
}

gboolean
missing_find (Repair *repair, const Progress *progress, GError **error)
{
  g_autoptr (GPtrArray) kinds = detectors_named (missing_kinds (repair), error);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (DamageCount));
  const DamageSearch search = { kinds,
                                repair->request->task->sources->strength };
  Mask *found = damage_find (repair->image, &search, counts, progress, error);

  if (found == NULL)
    return FALSE;
  mask_add (repair->mask, found);
  mask_free (found);
  repair->found = json_object_new ();
  repair->marks = json_object_new ();
  for (guint i = 0; i < counts->len; i++)
    report_count (repair, &g_array_index (counts, DamageCount, i));
  return TRUE;
}
