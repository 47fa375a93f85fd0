#include "app/mend/repair.h"

#include "app/files/dictionaryfile.h"
#include "app/cli/commandline.h"
#include "app/files/files.h"
#include "app/files/picturefile.h"
#include "app/cli/progressbar.h"
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "app/mend/noisewords.h"
#include "base/error.h"
#include "base/parallel.h"

#include <math.h>

/* One run: what was asked for, what is worked on, what came out. */
typedef struct {
  const RepairTask *task;
  CommandLine line;
  PictureOutput output;
  RestoreOptions options;
  int quality, fill, protocol; /* numbers of the choices below */

  Image *image;
  Image *input;           /* a copy, if what was removed is to be written */
  Mask *mask;             /* NULL if the user did not say what is missing */
  Dictionary *dictionary; /* NULL for the built-in one */
  RestoreReport report;
  JsonObject *found; /* pixels of each kind; NULL unless --find is given */
  double seconds;
} Repair;

const char *const mask_colours[] = { [MASK_AUTO] = "auto",
                                     [MASK_TOGETHER] = "together",
                                     [MASK_SEPARATE] = "separate",
                                     NULL };
/* Assumed share of the work of finding damage. */
#define FIND_SHARE 0.2

enum { PROTOCOL_TESSERA, PROTOCOL_PAPER };
static const char *const protocols[] = { "tessera", "paper", NULL };

static void
repair_init (Repair *repair, const RepairTask *task)
{
  *repair = (Repair){ .task = task,
                      .output = PICTURE_OUTPUT_DEFAULTS,
                      .options = RESTORE_DEFAULTS,
                      .quality = QUALITY_NORMAL,
                      .protocol = PROTOCOL_TESSERA };
  command_line_init (&repair->line);
}

static void
repair_clear (Repair *repair)
{
  command_line_clear (&repair->line);
  image_free (repair->image);
  image_free (repair->input);
  mask_free (repair->mask);
  dictionary_free (repair->dictionary);
  restore_report_clear (&repair->report);
  g_clear_pointer (&repair->found, json_object_unref);
}

static gboolean
parse (Repair *repair, char **argv, GError **error)
{
  CommandLine *line = &repair->line;
  const Option rows[] = {
    { "quality", 0, "NAME", "fast, normal or best (normal)", option_choice,
      .value = &repair->quality, .choices = restore_quality_names },
    { "fill", 0, "NAME", "large holes: auto, smooth or texture (auto)",
      option_choice, .value = &repair->fill, .choices = thick_fill_names },
    { "protocol", 0, "NAME", "'paper': exactly as in the paper", option_choice,
      .value = &repair->protocol, .choices = protocols },
  };

  line->usage = "IN -o OUT";
  line->about = repair->task->about;
  line->min_arguments = line->max_arguments = 1;
  line->common =
    COMMON_OUTPUT | COMMON_LIMITS | COMMON_SEED | COMMON_DICTIONARY;
  command_line_add (line, repair->task->options, repair->task->option_count);
  picture_add_output (line, &repair->output);
  command_line_add (line, rows, G_N_ELEMENTS (rows));
  if (!command_line_parse (line, argv, error))
    return FALSE;
  repair->options.quality = (RestoreQuality) repair->quality;
  repair->options.fill = (ThickFill) repair->fill;
  repair->options.seed = line->seed;
  repair->options.paper_protocol = repair->protocol == PROTOCOL_PAPER;
  repair->options.detector = repair->task->detector;
  if (repair->task->noise != NULL) {
    repair->options.sigma = repair->task->noise->sigma;
    repair->options.strength = repair->task->noise->strength;
    repair->options.grain = repair->task->noise->grain;
  }
  return TRUE;
}

/* ---- which pixels ---- */

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

static Mask *
mask_from_sources (const MaskSources *sources, const Image *image,
                   const ImageLimits *limits, GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);

  if (mask == NULL)
    return NULL;
  if (sources->file != NULL
      && !add_and_free (mask,
                        picture_load_mask (sources->file, image,
                                           (MaskColours) sources->colours,
                                           limits, error)))
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

/* Whether the user has said what is missing. */
static gboolean
is_named (const MaskSources *sources)
{
  return sources->file != NULL || sources->colour.is_set
         || sources->transparent || sources->kinds != NULL;
}

gboolean
option_kinds (const Option *option, const char *text, GError **error)
{
  g_auto (GStrv) names = g_strsplit (text, ",", -1);

  if (names[0] == NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "the kinds of damage are missing");
  for (int i = 0; names[i] != NULL; i++)
    if (detector_find (names[i]) == NULL) {
      g_autoptr (GString) known = g_string_new (NULL);

      for (int j = 0; detectors[j] != NULL; j++)
        g_string_append_printf (known, "%s%s", j > 0 ? ", " : "",
                                detectors[j]->name);
      return tessera_fail (
        error, TESSERA_ERROR_USAGE,
        "there is no kind of damage called '%s'; there are %s", names[i],
        known->str);
    }
  *(const char **) option->value = g_intern_string (text);
  return TRUE;
}

/* Finds the kinds of damage that the user named, adds them to the mask and
 * says how much there is of each. */
static gboolean
find_kinds (Repair *repair, const Progress *progress, GError **error)
{
  g_auto (GStrv) names = g_strsplit (repair->task->sources->kinds, ",", -1);
  int count = (int) g_strv_length (names);

  repair->found = json_object_new ();
  for (int i = 0; i < count; i++) {
    const Detector *detector = detector_find (names[i]);
    ProgressPart share = { progress, (double) i / count,
                           (double) (i + 1) / count };
    Progress part = progress_part (&share);
    g_autoptr (Mask) found = detector->find (repair->image, &part, error);

    if (found == NULL)
      return FALSE;
    json_report_set_count (repair->found, detector->name, mask_count (found));
    terminal_result ("found %s: %" G_GSIZE_FORMAT " %s", detector->noun,
                     mask_count (found),
                     mask_count (found) == 1 ? "pixel" : "pixels");
    mask_add (repair->mask, found);
  }
  return TRUE;
}

/* The message where no noise was removed. */
static const char *
noise_remark (const Repair *repair)
{
  if (repair->options.sigma >= 0)
    return "";
  if (!image_may_have_noise (repair->image, &repair->options))
    return " (noise is not estimated here; give its level with --sigma)";
  return repair->report.noise.is_sure
           ? " and no noise"
           : " and nothing that is certainly noise (--strength 1 removes what "
             "may be)";
}

/* Tells the user if there was nothing to do. */
static void
note_if_unchanged (const Repair *repair)
{
  const char *why = repair->task->none_found;

  if (repair->report.masked_pixels > 0 || repair->report.sigma > 0)
    return;
  if (is_named (repair->task->sources))
    why = repair->found != NULL ? "found no damage of these kinds"
                                : "the mask is empty";
  terminal_note ("%s: %s%s; the picture is written unchanged",
                 input_name (repair->line.arguments[0]), why,
                 noise_remark (repair));
}

/* ---- the work ---- */

/* Reads all files and checks them. */
static gboolean
load (Repair *repair, GError **error)
{
  const CommandLine *line = &repair->line;

  repair->image = picture_load (line->arguments[0], &line->limits, error);
  if (repair->image == NULL
      || !picture_check_output (repair->image, &repair->output, error))
    return FALSE;
  if (line->dictionary != NULL
      && dictionary_file_is_cosines (line->dictionary))
    repair->options.cosines = TRUE;
  else if (line->dictionary != NULL
           && !dictionary_file_is_builtin (line->dictionary)) {
    repair->dictionary = dictionary_file_load (line->dictionary, error);
    if (repair->dictionary == NULL)
      return FALSE;
    repair->options.dictionary = repair->dictionary;
  }
  if (is_named (repair->task->sources)) {
    repair->mask = mask_from_sources (repair->task->sources, repair->image,
                                      &repair->line.limits, error);
    return repair->mask != NULL;
  }
  return TRUE;
}

static gboolean
restore (Repair *repair, const Progress *progress, GError **error)
{
  const RepairTask *task = repair->task;
  gboolean find = task->sources->kinds != NULL;
  ProgressPart finding = { progress, 0, FIND_SHARE };
  ProgressPart filling = { progress, find ? FIND_SHARE : 0, 1 };
  Progress part = progress_part (&finding);

  if (find && !find_kinds (repair, &part, error))
    return FALSE;
  part = progress_part (&filling);
  if (task->sources->transparent)
    image_make_opaque (repair->image);
  if (image_restore (repair->image, repair->mask, &repair->options,
                     &repair->report, &part, error)
      && (repair->mask != NULL || repair->report.masked_pixels > 0
          || !task->none_found_is_error
          || tessera_fail (error, TESSERA_ERROR_INPUT, "%s",
                           task->none_found)))
    return TRUE;
  if (g_error_matches (*error, TESSERA_ERROR, TESSERA_ERROR_INPUT))
    g_prefix_error (error, "%s: ", input_name (repair->line.arguments[0]));
  return FALSE;
}

static gboolean
restore_in_view (Repair *repair, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  ProgressBar bar;
  Progress progress = progress_bar_start (&bar, repair->task->label);
  gboolean ok = restore (repair, &progress, error);

  progress_bar_stop (&bar);
  repair->seconds =
    (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  if (ok)
    note_if_unchanged (repair);
  return ok;
}

static gboolean
print_json (const Repair *repair, GError **error)
{
  const RestoreReport *report = &repair->report;
  g_autoptr (JsonObject) json = json_object_new ();

  json_report_set_number (json, "seconds", repair->seconds);
  json_report_set_count (json, "masked_pixels", report->masked_pixels);
  json_report_set_count (json, "patches", report->patches);
  json_report_set_text (json, "dictionary", report->dictionary);
  json_report_set_number (json, "sigma",
                          repair->task->noise != NULL ? report->sigma : NAN);
  if (repair->task->noise != NULL)
    json_object_set_object_member (json, "noise",
                                   noise_to_json (&report->noise));
  json_report_set_count (json, "threads", (guint64) parallel_threads ());
  if (repair->found != NULL)
    json_object_set_object_member (json, "found",
                                   json_object_ref (repair->found));
  return json_report_print (json, error);
}

static void
print_summary (const Repair *repair)
{
  const RestoreReport *report = &repair->report;
  double share =
    (double) report->masked_pixels / (double) image_pixels (repair->image);
  g_autoptr (GString) done = g_string_new (NULL);

  terminal_detail ("dictionary: %s", report->dictionary);
  if (report->sigma > 0) {
    g_autofree char *noise = noise_in_words (&report->noise);

    g_string_append_printf (done, "removed %s", noise);
  }
  if (report->masked_pixels > 0 || report->sigma <= 0)
    g_string_append_printf (done, "%s%s %" G_GSIZE_FORMAT " pixel%s (%.1f %%)",
                            done->len > 0 ? " and " : "", repair->task->past,
                            report->masked_pixels,
                            PLURAL (report->masked_pixels), 100 * share);
  terminal_result ("%s in %.1f s, %" G_GSIZE_FORMAT " patch%s -> %s",
                   done->str, repair->seconds, report->patches,
                   report->patches == 1 ? "" : "es",
                   output_name (repair->output.path));
}

/* ---- what was removed ---- */

/* Factor by which removed noise is amplified to be visible. */
#define NOISE_GAIN 4

static gboolean
is_noise_wanted (const Repair *repair)
{
  return repair->task->noise != NULL && repair->task->noise->output != NULL;
}

/* Middle grey plus what was taken away. */
static Image *
draw_noise (const Image *input, const Image *result, GError **error)
{
  int colours = image_colours (input), peak = image_peak (input);
  Image *noise = image_new (input->width, input->height, colours, 8, error);

  for (gsize i = 0; noise != NULL && i < image_pixels (input); i++)
    for (int c = 0; c < colours; c++) {
      gsize at = i * (gsize) input->channels + (gsize) c;
      int removed = input->samples[at] - result->samples[at];
      int value = 128 + NOISE_GAIN * removed * 255 / peak;

      noise->samples[i * (gsize) colours + (gsize) c] =
        (guint16) CLAMP (value, 0, 255);
    }
  return noise;
}

static gboolean
save_noise (const Repair *repair, GError **error)
{
  PictureOutput output = { .path = repair->task->noise->output,
                           .encode = repair->output.encode };
  g_autoptr (Image) noise = draw_noise (repair->input, repair->image, error);

  return noise != NULL
         && picture_save (noise, NULL, &output, repair->line.force, error);
}

static gboolean
keep_input (Repair *repair, GError **error)
{
  if (is_noise_wanted (repair))
    repair->input = image_copy (repair->image, error);
  return !is_noise_wanted (repair) || repair->input != NULL;
}

static gboolean
work (Repair *repair, GError **error)
{
  if (!load (repair, error) || !keep_input (repair, error)
      || !restore_in_view (repair, error)
      || (is_noise_wanted (repair) && !save_noise (repair, error))
      || !picture_save (repair->image,
                        repair->mask != NULL ? repair->mask
                                             : repair->report.found,
                        &repair->output, repair->line.force, error))
    return FALSE;
  if (repair->line.json)
    return print_json (repair, error);
  print_summary (repair);
  return TRUE;
}

gboolean
repair_run (const RepairTask *task, char **argv, GError **error)
{
  Repair repair;
  gboolean ok;

  repair_init (&repair, task);
  ok = parse (&repair, argv, error)
       && (repair.line.answered || work (&repair, error));
  repair_clear (&repair);
  return ok;
}
