/* missing.c - which pixels are missing: as the user says, or as found */
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "app/files/files.h"
#include "app/mend/repairpicture.h"
#include "base/error.h"
#include "imaging/area.h"
#include "imaging/codec/orient.h"

const char *const mask_colours[] = { [MASK_AUTO] = "auto",
                                     [MASK_TOGETHER] = "together",
                                     [MASK_SEPARATE] = "separate",
                                     NULL };

/* ---- options ---- */

/* Names of kinds of damage, NULL at the end. */
static const char *const *
kind_names (void)
{
  static const char *names[32]; /* ends with NULL */

  for (gsize i = 0; detectors[i] != NULL && i + 1 < G_N_ELEMENTS (names); i++)
    names[i] = detectors[i]->name;
  return names;
}

/* Such names, separated by commas, or "all", into a const char *. */
static gboolean
option_kinds (const Option *option, const char *text, GError **error)
{
  g_autoptr (GPtrArray) kinds = detectors_named (text, error);

  if (kinds != NULL)
    *(const char **) option->value = g_intern_string (text);
  return kinds != NULL;
}

void
missing_add_options (CommandLine *line, MaskSources *sources)
{
  const Option rows[] = {
    { "mask", 'm', "FILE", "fill where this picture is not black", option_file,
      .value = &sources->file, .role = INPUT_FILE },
    { "mask-channels", 0, "NAME",
      "red, green, blue: separate, together or auto", option_choice,
      .value = &sources->colours, .choices = mask_colours },
    { "mask-color", 0, "RRGGBB", "fill pixels of this color", option_colour,
      .value = &sources->colour },
    { "mask-alpha", 0, NULL, "fill fully transparent pixels", option_flag,
      .value = &sources->transparent },
    { "see-through", 0, NULL, "the mask is of half-opaque marks or stains",
      option_flag, .value = &sources->see_through },
    { "grow", 0, "N", "widen all marks by N pixels, 0 to 16 (0)", option_int,
      .value = &sources->grow, .min = 0, .max = MASK_MOST_WIDENED },
  };

  command_line_add (line, rows, G_N_ELEMENTS (rows));
  missing_add_find_options (line, sources);
}

void
missing_add_find_options (CommandLine *line, MaskSources *sources)
{
  const Option rows[] = {
    { "find", 0, "KINDS", "find damage: all, or scratches,dust,border,...",
      option_kinds, .value = &sources->kinds, .choices = kind_names () },
    { "find-strength", 0, "F", "find more damage (above 1) or less (below; 1)",
      option_real, .value = &sources->strength, .min = FIND_STRENGTH_MIN,
      .max = FIND_STRENGTH_MAX },
  };

  sources->strength = 1;
  command_line_add (line, rows, G_N_ELEMENTS (rows));
}

gboolean
missing_check_options (const MaskSources *sources, GError **error)
{
  /* Scratches and dust that are found are looked through anyhow, and other
   * damage hides all. */
  if (sources->see_through && sources->file == NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "--see-through is for the marks of a mask; give "
                         "one with --mask");
  return !sources->nothing
         || (!missing_is_named (sources) && sources->grow == 0)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "--no-damage excludes --mask, --mask-color, "
                          "--mask-alpha, --find and --grow");
}

/* ---- what they say ---- */

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

/* Of many pictures, the message about a mask says whose it is.  Always
 * NULL. */
static Mask *
name_picture (const Repair *repair, GError **error)
{
  if (!repair->is_alone)
    g_prefix_error (error, "%s: its mask ", repair->path);
  return NULL;
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
    return name_picture (repair, error);
  mask = picture_decode_mask (repair->mask_file, repair->page,
                              repair->mask_path, repair->image,
                              (MaskColours) sources->colours,
                              &repair->request->line.limits, error);
  if (repair->page == repair->pages - 1)
    g_clear_pointer (&repair->mask_file, page_reader_free);
  if (mask == NULL)
    return name_picture (repair, error);
  if (sources->see_through)
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

const char *
missing_kinds (const Repair *repair)
{
  const RepairTask *task = repair->request->task;

  if (task->sources->nothing)
    return NULL;
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

/* Looks for damage in what the file holds.  The rest of a truncated one is no
 * damage of the picture: it would be filled with what is elsewhere. */
static gboolean
find_in_known (const Repair *repair, const DamageSearch *search,
               GArray *counts, const Progress *progress, GError **error)
{
  const Image *image = repair->image;
  const ImageArea known = orient_known_area (image);
  g_autoptr (Image) part = NULL;
  g_autoptr (Mask) found = NULL;

  if (known.width < image->width || known.height < image->height) {
    part = image_cut (image, &known, error);
    if (part == NULL)
      return FALSE;
    terminal_note ("%s: ends early; what is missing is not filled",
                   input_name (repair->path));
  }
  found =
    damage_find (part != NULL ? part : image, search, counts, progress, error);
  if (found != NULL)
    mask_add_part (repair->mask, &known, found);
  return found != NULL;
}

gboolean
missing_find (Repair *repair, const Progress *progress, GError **error)
{
  g_autoptr (GPtrArray) kinds = detectors_named (missing_kinds (repair), error);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (DamageCount));
  const DamageSearch search = { kinds,
                                repair->request->task->sources->strength };

  if (!find_in_known (repair, &search, counts, progress, error))
    return FALSE;
  repair->found = json_object_new ();
  repair->marks = json_object_new ();
  for (guint i = 0; i < counts->len; i++)
    report_count (repair, &g_array_index (counts, DamageCount, i));
  return TRUE;
}

gboolean
missing_widen (Repair *repair, GError **error)
{
  int grow = repair->request->task->sources->grow;
  Mask *wide;

  if (grow == 0)
    return TRUE;
  wide = mask_widened (repair->mask, grow, error);
  if (wide == NULL)
    return FALSE;
  mask_free (repair->mask);
  repair->mask = wide;
  return TRUE;
}
