#include "app/mend/repair.h"

#include "app/batch/batch.h"
#include "app/files/dictionaryfile.h"
#include "app/cli/commandline.h"
#include "app/files/files.h"
#include "app/files/output.h"
#include "app/files/picturefile.h"
#include "app/cli/progressbar.h"
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "app/mend/noisewords.h"
#include "app/mend/removed.h"
#include "base/error.h"
#include "base/ranks.h"
#include "base/parallel.h"

#include <math.h>

/* What was asked for. */
typedef struct {
  const RepairTask *task;
  CommandLine line;
  PictureOutput output;
  BatchOptions folders;
  RestoreOptions options;
  int quality, fill, protocol; /* numbers of the choices below */
  Dictionary *dictionary;      /* NULL for the built-in one */
} Request;

/* One picture: what is worked on, what came out. */
typedef struct {
  const Request *request;
  const char *path;      /* of the picture */
  const char *mask_path; /* or NULL */
  const char *output;
  gboolean is_alone; /* not one of many */
  GBytes *file;      /* its bytes, until the last page is decoded */
  int page, pages;
  GBytes *done; /* the pages before this one, mended; NULL for none */
  gsize masked_pixels, patches; /* of all pages so far */
  Image *image;
  Image *input; /* a copy, if what was removed is to be written */
  Mask *mask;   /* NULL if the user did not say what is missing */
  RestoreReport report;
  JsonObject *found;      /* pixels of each kind; NULL if none was looked for */
  JsonObject *marks;      /* likewise, marks of each kind */
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
request_init (Request *request, const RepairTask *task)
{
  *request = (Request){ .task = task,
                        .output = PICTURE_OUTPUT_DEFAULTS,
                        .options = RESTORE_DEFAULTS,
                        .quality = QUALITY_NORMAL,
                        .protocol = PROTOCOL_TESSERA };
  command_line_init (&request->line);
}

static void
request_clear (Request *request)
{
  command_line_clear (&request->line);
  dictionary_free (request->dictionary);
}

/* Forgets the page that was worked on. */
static void
clear_page (Repair *repair)
{
  g_clear_pointer (&repair->image, image_free);
  g_clear_pointer (&repair->input, image_free);
  g_clear_pointer (&repair->mask, mask_free);
  restore_report_clear (&repair->report);
  repair->report = (RestoreReport){ 0 };
  g_clear_pointer (&repair->found, json_object_unref);
  g_clear_pointer (&repair->marks, json_object_unref);
}

static void
repair_clear (Repair *repair)
{
  clear_page (repair);
  g_clear_pointer (&repair->file, g_bytes_unref);
  g_clear_pointer (&repair->done, g_bytes_unref);
}

static gboolean
parse (Request *request, char **argv, GError **error)
{
  CommandLine *line = &request->line;
  const Option rows[] = {
    { "quality", 0, "NAME", "fast, normal or best (normal)", option_choice,
      .value = &request->quality, .choices = restore_quality_names },
    { "fill", 0, "NAME", "large holes: auto, smooth or texture (auto)",
      option_choice, .value = &request->fill, .choices = thick_fill_names },
    { "protocol", 0, "NAME", "'paper': exactly as in the paper", option_choice,
      .value = &request->protocol, .choices = protocols },
  };

  line->usage = "IN... -o OUT";
  line->about = request->task->about;
  line->min_arguments = 1;
  line->max_arguments = G_MAXINT;
  line->common =
    COMMON_OUTPUT | COMMON_LIMITS | COMMON_SEED | COMMON_DICTIONARY;
  command_line_add (line, request->task->options, request->task->option_count);
  picture_add_output_or_folder (line, &request->output);
  command_line_add (line, rows, G_N_ELEMENTS (rows));
  batch_add_options (line, &request->folders);
  if (!command_line_parse (line, argv, error))
    return FALSE;
  request->options.quality = (RestoreQuality) request->quality;
  request->options.fill = (ThickFill) request->fill;
  request->options.seed = line->seed;
  request->options.paper_protocol = request->protocol == PROTOCOL_PAPER;
  request->options.detector = request->task->detector;
  if (request->task->noise != NULL) {
    request->options.sigma = request->task->noise->sigma;
    request->options.strength = request->task->noise->strength;
    request->options.grain = request->task->noise->grain;
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
mask_from_sources (const Repair *repair, GError **error)
{
  const MaskSources *sources = repair->request->task->sources;
  const Image *image = repair->image;
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);

  if (mask == NULL)
    return NULL;
  if (repair->mask_path != NULL
      && !add_and_free (mask, picture_load_mask_page (
                                repair->mask_path, repair->page, image,
                                (MaskColours) sources->colours,
                                &repair->request->line.limits, error)))
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

/* The kinds of damage that are to be found, or NULL. */
static const char *
kinds_to_find (const Repair *repair)
{
  const RepairTask *task = repair->request->task;

  return is_named (task->sources) ? task->sources->kinds : task->kinds;
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

/* Finds the kinds of damage that the user named, adds them to the mask and
 * says how much there is of each. */
static gboolean
find_kinds (Repair *repair, const Progress *progress, GError **error)
{
  g_autoptr (GPtrArray) kinds = detectors_named (kinds_to_find (repair), error);
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

/* The message where no noise was removed. */
static const char *
noise_remark (const Repair *repair)
{
  if (repair->request->options.sigma >= 0)
    return "";
  if (!image_may_have_noise (repair->image, &repair->request->options))
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
  const char *why = repair->request->task->none_found;

  if (repair->report.masked_pixels > 0 || repair->report.sigma > 0)
    return;
  if (is_named (repair->request->task->sources))
    why = repair->found != NULL ? "found no damage of these kinds"
                                : "the mask is empty";
  terminal_note ("%s: %s%s; the picture is written unchanged",
                 input_name (repair->path), why,
                 noise_remark (repair));
}

/* ---- the work ---- */

/* The dictionary, which is the same for all pictures. */
static gboolean
load_dictionary (Request *request, GError **error)
{
  const char *name = request->line.dictionary;

  if (name == NULL || dictionary_file_is_builtin (name))
    return TRUE;
  if (dictionary_file_is_cosines (name)) {
    request->options.cosines = TRUE;
    return TRUE;
  }
  request->dictionary = dictionary_file_load (name, error);
  request->options.dictionary = request->dictionary;
  return request->dictionary != NULL;
}

static gboolean
open_file (Repair *repair, GError **error)
{
  repair->file = file_read (repair->path, error);
  if (repair->file == NULL)
    return FALSE;
  repair->pages = image_pages (repair->file);
  return TRUE;
}

/* Reads a page and its mask, and checks them. */
static gboolean
load (Repair *repair, GError **error)
{
  const Request *request = repair->request;
  PictureOutput output = { .path = repair->output,
                           .encode = request->output.encode };

  clear_page (repair);
  repair->image = picture_decode (repair->file, repair->page, repair->path,
                                  &request->line.limits, error);
  if (repair->page == repair->pages - 1)
    g_clear_pointer (&repair->file, g_bytes_unref);
  if (repair->image == NULL
      || !picture_check_output (repair->image, &output, error))
    return FALSE;
  if (is_named (request->task->sources) || kinds_to_find (repair) != NULL) {
    repair->mask = mask_from_sources (repair, error);
    return repair->mask != NULL;
  }
  return TRUE;
}

/* Where the user named no damage, there must be some. */
static gboolean
check_found (const Repair *repair, GError **error)
{
  return is_named (repair->request->task->sources) || mask_count (repair->mask) > 0
         || tessera_fail (error, TESSERA_ERROR_INPUT, "%s: %s",
                          input_name (repair->path),
                          repair->request->task->none_found);
}

static gboolean
restore (Repair *repair, const Progress *progress, GError **error)
{
  const RepairTask *task = repair->request->task;
  gboolean find = kinds_to_find (repair) != NULL;
  ProgressPart finding = { progress, 0, FIND_SHARE };
  ProgressPart filling = { progress, find ? FIND_SHARE : 0, 1 };
  Progress part = progress_part (&finding);

  if (find
      && (!find_kinds (repair, &part, error)
          || !check_found (repair, error)))
    return FALSE;
  part = progress_part (&filling);
  if (task->sources->transparent)
    image_make_opaque (repair->image);
  if (image_restore (repair->image, repair->mask, &repair->request->options,
                     &repair->report, &part, error))
    return TRUE;
  if (g_error_matches (*error, TESSERA_ERROR, TESSERA_ERROR_INPUT))
    g_prefix_error (error, "%s: ", input_name (repair->path));
  return FALSE;
}

static gboolean
restore_timed (Repair *repair, const Progress *progress, GError **error)
{
  gint64 start = g_get_monotonic_time ();
  gboolean ok = restore (repair, progress, error);

  repair->seconds +=
    (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  repair->masked_pixels += repair->report.masked_pixels;
  repair->patches += repair->report.patches;
  return ok;
}

static gboolean
restore_in_view (Repair *repair, GError **error)
{
  ProgressBar bar;
  Progress progress = progress_bar_start (&bar, repair->request->task->label);
  gboolean ok = restore_timed (repair, &progress, error);

  progress_bar_stop (&bar);
  if (ok)
    note_if_unchanged (repair);
  return ok;
}

/* ---- what is said ---- */

static void
fill_json (const Repair *repair, JsonObject *json)
{
  const RestoreReport *report = &repair->report;
  gboolean has_noise = repair->request->task->noise != NULL;

  json_report_set_text (json, "input", input_name (repair->path));
  json_report_set_text (json, "output", output_name (repair->output));
  json_report_set_count (json, "width", (guint64) repair->image->width);
  json_report_set_count (json, "height", (guint64) repair->image->height);
  if (repair->pages > 1)
    json_report_set_count (json, "pages", (guint64) repair->pages);
  json_report_set_number (json, "seconds", repair->seconds);
  json_report_set_count (json, "masked_pixels", repair->masked_pixels);
  json_report_set_count (json, "patches", repair->patches);
  json_report_set_text (json, "dictionary", report->dictionary);
  json_report_set_number (json, "sigma", has_noise ? report->sigma : NAN);
  if (has_noise)
    json_object_set_object_member (json, "noise",
                                   noise_to_json (&report->noise));
  json_report_set_count (json, "threads", (guint64) parallel_threads ());
  if (repair->found != NULL) {
    json_object_set_object_member (json, "found",
                                   json_object_ref (repair->found));
    json_object_set_object_member (json, "marks",
                                   json_object_ref (repair->marks));
  }
}

static gboolean
print_json (const Repair *repair, GError **error)
{
  g_autoptr (JsonObject) json = json_object_new ();

  fill_json (repair, json);
  return json_report_print (json, error);
}

/* "removed ... and filled ... in 1.2 s, 34 patches -> out.png", or "unchanged,
 * in 1.2 s -> out.png" */
static void
append_summary (const Repair *repair, GString *text)
{
  const RestoreReport *report = &repair->report;
  double pixels = (double) image_pixels (repair->image) * repair->pages;

  if (repair->pages > 1)
    g_string_append_printf (text, "%d pages: ", repair->pages);
  if (repair->masked_pixels == 0 && report->sigma <= 0) {
    g_string_append_printf (text, "unchanged, in %.1f s -> %s",
                            repair->seconds, output_name (repair->output));
    return;
  }
  if (report->sigma > 0) {
    g_autofree char *noise = noise_in_words (&report->noise);

    g_string_append_printf (text, "removed %s", noise);
  }
  if (repair->masked_pixels > 0)
    g_string_append_printf (text, "%s%s %" G_GSIZE_FORMAT " pixel%s (%.1f %%)",
                            report->sigma > 0 ? " and " : "",
                            repair->request->task->past,
                            repair->masked_pixels,
                            PLURAL (repair->masked_pixels),
                            100 * (double) repair->masked_pixels / pixels);
  g_string_append_printf (text, " in %.1f s, %" G_GSIZE_FORMAT " patch%s -> %s",
                          repair->seconds, repair->patches,
                          repair->patches == 1 ? "" : "es",
                          output_name (repair->output));
}

static void
print_summary (const Repair *repair)
{
  g_autoptr (GString) text = g_string_new (NULL);

  terminal_detail ("dictionary: %s", repair->report.dictionary);
  append_summary (repair, text);
  terminal_result ("%s", text->str);
}

/* ---- what was removed ---- */

static gboolean
is_noise_wanted (const Repair *repair)
{
  return repair->request->task->noise != NULL
         && repair->request->task->noise->output != NULL;
}

static gboolean
save_noise (const Repair *repair, GError **error)
{
  PictureOutput output = { .path = repair->request->task->noise->output,
                           .encode = repair->request->output.encode };
  g_autoptr (Image) noise = draw_removed (repair->input, repair->image, error);

  return noise != NULL
         && picture_save (noise, NULL, &output, repair->request->line.force,
                          error);
}

static gboolean
keep_input (Repair *repair, GError **error)
{
  if (is_noise_wanted (repair))
    repair->input = image_copy (repair->image, error);
  return !is_noise_wanted (repair) || repair->input != NULL;
}

/* ---- one picture ---- */

static gboolean
save (const Repair *repair, GError **error)
{
  const Request *request = repair->request;

  return (!is_noise_wanted (repair) || save_noise (repair, error))
         && picture_save (repair->image,
                          repair->mask != NULL ? repair->mask
                                               : repair->report.found,
                          &request->output, request->line.force, error);
}

/* Adds the page to those that are done. */
static gboolean
add_page (Repair *repair, GError **error)
{
  GBytes *done =
    picture_encode_page (repair->image, repair->done, repair->output,
                         &repair->request->output.encode, error);

  if (done == NULL)
    return FALSE;
  g_clear_pointer (&repair->done, g_bytes_unref);
  repair->done = done;
  return TRUE;
}

/* What works for one picture only. */
static gboolean
check_single (const Request *request, GError **error)
{
  const NoiseRequest *noise = request->task->noise;
  const char *option = request->output.mask_path != NULL ? "--mask-out"
                       : noise != NULL && noise->output != NULL
                         ? "--noise-out"
                         : NULL;

  return option == NULL
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "%s works for one picture at a time", option);
}

static gboolean
work_on_pages (Repair *repair, GError **error)
{
  if (!check_single (repair->request, error))
    return FALSE;
  for (; repair->page < repair->pages; repair->page++)
    if (!load (repair, error) || !restore_in_view (repair, error)
        || !add_page (repair, error))
      return FALSE;
  return output_write (repair->output, repair->done,
                       repair->request->line.force, error);
}

static gboolean
work_on_one (Repair *repair, GError **error)
{
  return load (repair, error) && keep_input (repair, error)
         && restore_in_view (repair, error) && save (repair, error);
}

static gboolean
work_on (Repair *repair, GError **error)
{
  if (!open_file (repair, error)
      || !(repair->pages > 1 ? work_on_pages (repair, error)
                             : work_on_one (repair, error)))
    return FALSE;
  if (repair->request->line.json)
    return print_json (repair, error);
  print_summary (repair);
  return TRUE;
}

static gboolean
run_alone (const Request *request, GError **error)
{
  Repair repair = { .request = request,
                    .path = request->line.arguments[0],
                    .mask_path = request->task->sources->file,
                    .output = request->output.path,
                    .is_alone = TRUE };
  gboolean ok = work_on (&repair, error);

  repair_clear (&repair);
  return ok;
}

/* ---- a folder of them ---- */

static gboolean
restore_page (Repair *repair, BatchTurn *turn, GError **error)
{
  ProgressPart share = { turn->progress,
                         (double) repair->page / repair->pages,
                         (double) (repair->page + 1) / repair->pages };
  Progress part = progress_part (&share);
  gboolean ok;

  batch_turn_claim (turn, image_pixels (repair->image));
  ok = restore_timed (repair, &part, error);
  if (ok && repair->page == repair->pages - 1) {
    fill_json (repair, turn->json);
    g_string_printf (turn->text, "%s: ", repair->path);
    append_summary (repair, turn->text);
  }
  batch_turn_release (turn);
  return ok;
}

static GBytes *
take_turn (BatchTurn *turn, gpointer data, GError **error)
{
  Repair repair = { .request = data,
                    .path = turn->item->input,
                    .mask_path = turn->item->mask,
                    .output = turn->item->output };
  gboolean ok = open_file (&repair, error);
  GBytes *bytes;

  for (; ok && repair.page < repair.pages; repair.page++)
    ok = load (&repair, error) && restore_page (&repair, turn, error)
         && add_page (&repair, error);
  bytes = ok ? g_steal_pointer (&repair.done) : NULL;
  repair_clear (&repair);
  return bytes;
}

static gboolean
run_folder (Request *request, GError **error)
{
  BatchRequest wanted = { request->line.arguments, request->output.path,
                          request->task->sources->file, &request->folders };
  g_autoptr (BatchPlan) plan = NULL;
  g_autofree char *recipe = command_line_recipe (&request->line);
  Batch batch = { .options = &request->folders,
                  .line = &request->line,
                  .folder = request->output.path,
                  .label = request->task->label,
                  .recipe = recipe,
                  .work = take_turn,
                  .data = request };

  if (!check_single (request, error))
    return FALSE;
  plan = batch_plan_new (&wanted, error);
  batch.plan = plan;
  return plan != NULL && batch_run (&batch, error);
}

static gboolean
work (Request *request, GError **error)
{
  if (!picture_check_place (&request->line, &request->output, error)
      || !load_dictionary (request, error))
    return FALSE;
  if (request->line.into_folder)
    return run_folder (request, error);
  /* A single picture is not shared out. */
  return !ranks_is_first () || run_alone (request, error);
}

gboolean
repair_run (const RepairTask *task, char **argv, GError **error)
{
  Request request;
  gboolean ok;

  request_init (&request, task);
  ok = parse (&request, argv, error)
       && (request.line.answered || work (&request, error));
  request_clear (&request);
  return ok;
}
