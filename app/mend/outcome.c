/* outcome.c - what is said about a picture, to people and to programs */
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "app/files/files.h"
#include "app/mend/fadingwords.h"
#include "app/mend/noisewords.h"
#include "app/mend/repairpicture.h"
#include "base/parallel.h"

#include <math.h>

/* Why no noise was removed. */
typedef enum {
  NOISE_NOT_WANTED, /* or none of this level */
  NOISE_NOT_ESTIMATED,
  NOISE_NOT_SEEN,
  NOISE_UNCERTAIN
} NoNoise;

static NoNoise
why_no_noise (const Repair *repair)
{
  const RestoreOptions *options = &repair->request->options;

  if (options->sigma >= 0)
    return NOISE_NOT_WANTED;
  if (!image_may_have_noise (repair->image, options))
    return NOISE_NOT_ESTIMATED;
  return repair->report.noise.is_sure ? NOISE_NOT_SEEN : NOISE_UNCERTAIN;
}

/* That in a note, and in the line of one of many pictures. */
static const char *const no_noise_notes[] = {
  [NOISE_NOT_WANTED] = "",
  [NOISE_NOT_ESTIMATED] =
    " (noise is not estimated here; give its level with --sigma)",
  [NOISE_NOT_SEEN] = " and no noise: it looks clean (if it is not, give the "
                     "level of its noise with --sigma)",
  [NOISE_UNCERTAIN] = " and nothing that is certainly noise: it may be "
                      "texture (--strength 1 removes it)",
};
static const char *const no_noise_remarks[] = {
  [NOISE_NOT_WANTED] = "",
  [NOISE_NOT_ESTIMATED] = " (noise is not estimated here: use --sigma)",
  [NOISE_NOT_SEEN] = " (looks clean)",
  [NOISE_UNCERTAIN] = " (noise may be texture: --strength 1 removes it)",
};

/* What is written where nothing was restored. */
static const char *
unchanged_words (const Repair *repair)
{
  const EncodeOptions *encode = &repair->request->output.encode;
  TesseraFormat format = picture_format (repair->image, repair->output);
  gboolean is_lossy = format == TESSERA_JPEG
                      || (format == TESSERA_WEBP && encode->webp_quality > 0);

  return is_lossy && !repair_is_copy (repair)
           ? "the picture is only compressed anew"
           : "the picture is written unchanged";
}

/* Whether fading was looked for, and not certainly found. */
static gboolean
is_fading_left (const Repair *repair)
{
  return repair->request->options.fading != FADING_KEEP
         && !repair->report.fading.is_changed;
}

/* Whether noise was left that was perhaps noticed. */
static gboolean
is_noise_left (const Repair *repair)
{
  return repair->report.sigma <= 0 && why_no_noise (repair) == NOISE_UNCERTAIN;
}

/* Where nothing was restored on any page. */
static void
note_unchanged (const Repair *repair)
{
  const char *why = repair->request->task->none_found;

  if (repair->request->task->is_search) {
    terminal_note ("%s: %s; the mask is empty", input_name (repair->path),
                   why);
    return;
  }
  if (repair->request->task->sources->nothing)
    why = "damage was not looked for";
  else if (missing_is_named (repair->request->task->sources))
    why = repair->found != NULL ? "found no damage of these kinds"
                                : "the mask is empty";
  terminal_note ("%s: %s%s; %s", input_name (repair->path), why,
                 no_noise_notes[why_no_noise (repair)],
                 unchanged_words (repair));
}

void
outcome_note_page (Repair *repair)
{
  repair->is_fading_left = repair->is_fading_left || is_fading_left (repair);
  repair->is_noise_left = repair->is_noise_left || is_noise_left (repair);
  if (repair->page < repair->pages - 1)
    return;
  if (repair->is_fading_left)
    terminal_note ("%s: not certainly faded, so its contrast and colors are "
                   "kept (--fading always brings them back)",
                   input_name (repair->path));
  if (!repair->is_changed)
    note_unchanged (repair);
  else if (repair->is_noise_left)
    terminal_note ("%s: noise that may be texture is kept (--strength 1 "
                   "removes it)",
                   input_name (repair->path));
}

static gboolean
is_cropped (const Repair *repair)
{
  return repair->request->options.area.width > 0;
}

static JsonObject *
crop_to_json (const Repair *repair)
{
  const ImageArea area = repair_area (repair);
  JsonObject *json = json_object_new ();

  json_report_set_count (json, "x", (guint64) area.x);
  json_report_set_count (json, "y", (guint64) area.y);
  json_report_set_count (json, "width", (guint64) area.width);
  json_report_set_count (json, "height", (guint64) area.height);
  return json;
}

void
outcome_fill_json (const Repair *repair, JsonObject *json)
{
  const RestoreReport *report = &repair->report;
  const NoiseRequest *noise = repair->request->task->noise;
  g_autofree char *left_out = image_join_names (repair->left_out);

  json_report_set_text (json, "input", input_name (repair->path));
  json_report_set_text (json, "output", output_name (repair->output));
  json_report_set_count (json, "width", (guint64) repair->image->width);
  json_report_set_count (json, "height", (guint64) repair->image->height);
  if (repair->pages > 1)
    json_report_set_count (json, "pages", (guint64) repair->pages);
  if (is_cropped (repair))
    json_object_set_object_member (json, "crop", crop_to_json (repair));
  json_report_set_number (json, "seconds", repair->seconds);
  json_report_set_count (json, "masked_pixels", repair->masked_pixels);
  if (!repair->request->task->is_search) {
    json_report_set_count (json, "patches", repair->patches);
    json_report_set_text (json, "dictionary", report->dictionary);
    json_report_set_number (json, "sigma",
                            noise != NULL ? report->sigma : NAN);
  }
  if (noise != NULL && !noise->keep)
    json_object_set_object_member (json, "noise",
                                   noise_to_json (&report->noise));
  if (repair->request->options.fading != FADING_KEEP)
    json_object_set_object_member (json, "fading",
                                   fading_to_json (&report->fading));
  json_report_set_count (json, "threads", (guint64) parallel_threads ());
  if (left_out != NULL)
    json_report_set_text (json, "left_out", left_out);
  if (repair->found != NULL) {
    json_object_set_object_member (json, "found",
                                   json_object_ref (repair->found));
    json_object_set_object_member (json, "marks",
                                   json_object_ref (repair->marks));
  }
}

void
outcome_append_left_out (const Repair *repair, GString *text)
{
  g_autofree char *words = image_join_names (repair->left_out);

  if (words != NULL)
    g_string_append_printf (text, "; left out: %s", words);
}

void
outcome_append_summary (const Repair *repair, GString *text)
{
  const RestoreReport *report = &repair->report;
  const ImageArea area = repair_area (repair);
  double pixels = (double) area.width * area.height * repair->pages;

  if (repair->pages > 1)
    g_string_append_printf (text, "%d pages: ", repair->pages);
  if (is_cropped (repair))
    g_string_append_printf (text, "crop %d,%d,%dx%d: ", area.x, area.y,
                            area.width, area.height);
  if (repair->masked_pixels == 0 && report->sigma <= 0
      && !report->fading.is_changed) {
    g_string_append_printf (text, "%s%s, in %.1f s -> %s",
                            repair->request->task->is_search ? "nothing found"
                                                             : "unchanged",
                            no_noise_remarks[why_no_noise (repair)],
                            repair->seconds, output_name (repair->output));
    return;
  }
  if (report->fading.is_changed)
    g_string_append_printf (text, "brought back %s",
                            fading_in_words (&report->fading));
  if (report->sigma > 0) {
    g_autofree char *noise = noise_in_words (&report->noise);

    g_string_append_printf (text, "%sremoved %s",
                            report->fading.is_changed ? ", " : "", noise);
  }
  if (repair->masked_pixels > 0)
    g_string_append_printf (text, "%s%s %" G_GSIZE_FORMAT " pixel%s (%.1f %%)",
                            report->sigma > 0 || report->fading.is_changed
                              ? " and "
                              : "",
                            repair->request->task->past,
                            repair->masked_pixels,
                            PLURAL (repair->masked_pixels),
                            100 * (double) repair->masked_pixels / pixels);
  g_string_append_printf (text, " in %.1f s", repair->seconds);
  if (!repair->request->task->is_search)
    g_string_append_printf (text, ", %" G_GSIZE_FORMAT " patch%s",
                            repair->patches, repair->patches == 1 ? "" : "es");
  g_string_append_printf (text, " -> %s", output_name (repair->output));
}

static gboolean
print_json (const Repair *repair, GError **error)
{
  g_autoptr (JsonObject) json = json_object_new ();

  outcome_fill_json (repair, json);
  return json_report_print (json, error);
}

static void
print_summary (const Repair *repair)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (repair->report.dictionary != NULL)
    terminal_detail ("dictionary: %s", repair->report.dictionary);
  outcome_append_summary (repair, text);
  terminal_result ("%s", text->str);
}

gboolean
outcome_print (const Repair *repair, GError **error)
{
  picture_note_left_out (repair->path, repair->left_out);
  if (repair->request->line.json)
    return print_json (repair, error);
  print_summary (repair);
  return TRUE;
}
