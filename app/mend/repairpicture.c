/* repairpicture.c - a picture, page by page: read, restored, written */
#include "app/mend/repairpicture.h"

#include "app/cli/progressbar.h"
#include "app/cli/terminal.h"
#include "app/files/files.h"
#include "app/files/output.h"
#include "app/mend/removed.h"
#include "base/error.h"
#include "imaging/area.h"
#include "imaging/codec/jpegpatch.h"

/* Assumed share of the work of finding damage. */
#define FIND_SHARE 0.2

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

void
repair_clear (Repair *repair)
{
  clear_page (repair);
  g_clear_pointer (&repair->file, page_reader_free);
  g_clear_pointer (&repair->mask_file, page_reader_free);
  g_clear_pointer (&repair->source, g_bytes_unref);
  g_clear_pointer (&repair->patched, g_bytes_unref);
  g_clear_pointer (&repair->done, page_writer_free);
  g_clear_pointer (&repair->left_out, g_ptr_array_unref);
}

ImageArea
repair_area (const Repair *repair)
{
  const ImageArea *area = &repair->request->options.area;

  return area->width > 0 ? *area : image_area (repair->image);
}

/* ---- reading and restoring ---- */

static gboolean
open_file (Repair *repair, GError **error)
{
  repair->file = picture_open (repair->path, error);
  if (repair->file == NULL)
    return FALSE;
  repair->source = g_bytes_ref (page_reader_data (repair->file));
  repair->pages = page_reader_count (repair->file);
  return TRUE;
}

static gboolean
check_area (const Repair *repair, GError **error)
{
  const ImageArea area = repair_area (repair);

  if (area_check (&area, repair->image->width, repair->image->height, error))
    return TRUE;
  g_prefix_error (error, "%s: ", input_name (repair->path));
  return FALSE;
}

/* Reads a page and its mask, and checks them. */
static gboolean
load (Repair *repair, GError **error)
{
  const RepairRequest *request = repair->request;
  PictureOutput output = { .path = repair->output,
                           .encode = request->output.encode };

  clear_page (repair);
  repair->image = picture_decode (repair->file, repair->page, repair->path,
                                  &request->line.limits, error);
  if (repair->page == repair->pages - 1)
    g_clear_pointer (&repair->file, page_reader_free);
  if (repair->image == NULL || !check_area (repair, error)
      || (!request->task->is_search
          && !picture_check_output (repair->image, &output, error)))
    return FALSE;
  if (!request->task->is_search)
    picture_add_left_out (repair->image, repair->output, &repair->left_out);
  if (request->task->detector == NULL
      || missing_is_named (request->task->sources)) {
    repair->mask = missing_from_sources (repair, error);
    return repair->mask != NULL;
  }
  return TRUE;
}

/* The mask takes the place of the picture. */
static gboolean
show_mask (Repair *repair, GError **error)
{
  Image *picture = mask_to_picture (repair->mask, error);

  if (picture == NULL)
    return FALSE;
  repair->report.masked_pixels = mask_count (repair->mask);
  image_free (repair->image);
  repair->image = picture;
  return TRUE;
}

static gboolean
restore (Repair *repair, const Progress *progress, GError **error)
{
  const RepairTask *task = repair->request->task;
  const ImageArea area = repair_area (repair);
  gboolean find = missing_kinds (repair) != NULL;
  ProgressPart finding = { progress, 0, task->is_search ? 1 : FIND_SHARE };
  ProgressPart filling = { progress, find ? FIND_SHARE : 0, 1 };
  Progress part = progress_part (&finding);

  if ((find && !missing_find (repair, &part, error))
      || !missing_widen (repair, error))
    return FALSE;
  if (task->is_search)
    return show_mask (repair, error);
  part = progress_part (&filling);
  if (task->sources->transparent)
    image_make_opaque (repair->image, &area);
  if (image_restore (repair->image, repair->mask, &repair->request->options,
                     &repair->report, &part, error)) {
    /* What is missing around the part was told, not filled. */
    if (repair->mask != NULL)
      mask_keep (repair->mask, &area);
    return TRUE;
  }
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
  repair->is_changed = repair->is_changed || repair->report.masked_pixels > 0
                       || repair->report.sigma > 0
                       || repair->report.fading.is_changed;
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
    outcome_note_page (repair);
  return ok;
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

/* What was filled. */
static const Mask *
used_mask (const Repair *repair)
{
  return repair->mask != NULL ? repair->mask : repair->report.found;
}

static gboolean
is_given (const Repair *repair, const char *option)
{
  return g_hash_table_contains (repair->request->line.given, option);
}

/* Whether the result is a file like the source: of the same format, with all
 * that was in it, and of no other quality. */
static gboolean
is_like_source (const Repair *repair)
{
  TesseraFormat format = picture_format (repair->image, repair->output);

  return format == repair->image->meta.format
         && !repair->request->line.limits.lenient && repair->left_out->len == 0
         && !(format == TESSERA_JPEG && is_given (repair, "jpeg-quality"))
         && !(format == TESSERA_WEBP && is_given (repair, "webp-quality"));
}

gboolean
repair_is_copy (const Repair *repair)
{
  return !repair->request->task->is_search && !repair->is_changed
         && is_like_source (repair);
}

/* Whether most of a JPEG can stay as it is. */
static gboolean
may_patch (const Repair *repair)
{
  return repair->pages == 1 && repair->image->meta.format == TESSERA_JPEG
         && !repair->request->task->is_search && repair->report.sigma <= 0
         && !repair->report.fading.is_changed
         && is_like_source (repair);
}

static gboolean
patch (Repair *repair, GError **error)
{
  g_autoptr (Mask) changed =
    restore_changed_by_fill (repair->image, used_mask (repair),
                             &repair->request->options, error);
  JpegPatch result;

  if (changed == NULL
      || !jpeg_patch (repair->source, repair->image, changed, &result,
                      error)) {
    g_prefix_error (error, "%s: ", output_name (repair->output));
    return FALSE;
  }
  repair->patched = result.bytes;
  if (repair->patched != NULL)
    terminal_detail ("%s: %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                     " blocks of the JPEG change",
                     input_name (repair->path), result.changed, result.blocks);
  return TRUE;
}

/* Adds the page to those that are done. */
static gboolean
add_page (Repair *repair, GError **error)
{
  if (repair->pages == 1 && repair_is_copy (repair))
    return TRUE;
  if (may_patch (repair) && !patch (repair, error))
    return FALSE;
  if (repair->patched != NULL)
    return TRUE;
  return picture_add_page (repair->image, &repair->done, repair->output,
                           &repair->request->output.encode, error);
}

/* The result, after the last page. */
static GBytes *
finish (Repair *repair)
{
  if (repair->patched != NULL)
    return g_steal_pointer (&repair->patched);
  return repair_is_copy (repair) ? g_bytes_ref (repair->source)
                                 : page_writer_finish (repair->done);
}

gboolean
repair_check_noise_out (const RepairRequest *request, GError **error)
{
  const NoiseRequest *noise = request->task->noise;

  return noise == NULL || noise->output == NULL
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "--noise-out works for one picture at a time");
}

static gboolean
check_mask_pages (const Repair *repair, GError **error)
{
  return repair->pages == 1 || repair->request->output.mask_path == NULL
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "%s: has %d pages, and --mask-out works for one "
                          "page at a time",
                          input_name (repair->path), repair->pages);
}

static gboolean
work_on_pages (Repair *repair, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  if (!repair_check_noise_out (repair->request, error)
      || !check_mask_pages (repair, error))
    return FALSE;
  for (; repair->page < repair->pages; repair->page++)
    if (!load (repair, error) || !restore_in_view (repair, error)
        || !add_page (repair, error))
      return FALSE;
  bytes = finish (repair);
  return output_write (repair->output, bytes, repair->request->line.force,
                       error);
}

static gboolean
work_on_one (Repair *repair, GError **error)
{
  const RepairRequest *request = repair->request;
  g_autoptr (GBytes) bytes = NULL;

  if (!load (repair, error) || !keep_input (repair, error)
      || !restore_in_view (repair, error)
      || (is_noise_wanted (repair) && !save_noise (repair, error))
      || !add_page (repair, error))
    return FALSE;
  bytes = finish (repair);
  return picture_save_bytes (bytes, used_mask (repair), &request->output,
                             request->line.force, error);
}

gboolean
repair_alone (Repair *repair, GError **error)
{
  if (!open_file (repair, error)
      || !(repair->pages > 1 ? work_on_pages (repair, error)
                             : work_on_one (repair, error)))
    return FALSE;
  return outcome_print (repair, error);
}

/* ---- one of many ---- */

static gboolean
restore_page (Repair *repair, BatchTurn *turn, GError **error)
{
  ProgressPart share = { turn->progress, (double) repair->page / repair->pages,
                         (double) (repair->page + 1) / repair->pages };
  Progress part = progress_part (&share);
  const ImageArea area = repair_area (repair);
  gboolean ok;

  batch_turn_claim (turn, (gsize) area.width * (gsize) area.height);
  ok = restore_timed (repair, &part, error);
  if (ok && repair->page == repair->pages - 1) {
    outcome_fill_json (repair, turn->json);
    g_string_printf (turn->text, "%s: ", repair->path);
    outcome_append_summary (repair, turn->text);
    outcome_append_left_out (repair, turn->text);
  }
  batch_turn_release (turn);
  return ok;
}

/* The mask of the only page, if it is wanted. */
static gboolean
keep_mask (const Repair *repair, BatchTurn *turn, GError **error)
{
  const BatchItem *wanted = turn->item->mask_result;

  if (wanted != NULL)
    turn->mask =
      picture_encode_mask (used_mask (repair), wanted->output, error);
  return wanted == NULL || turn->mask != NULL;
}

GBytes *
repair_in_turn (Repair *repair, BatchTurn *turn, GError **error)
{
  gboolean ok = open_file (repair, error) && check_mask_pages (repair, error);

  for (; ok && repair->page < repair->pages; repair->page++)
    ok = load (repair, error) && restore_page (repair, turn, error)
         && keep_mask (repair, turn, error) && add_page (repair, error);
  return ok ? finish (repair) : NULL;
}
