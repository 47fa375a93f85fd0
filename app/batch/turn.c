#include "app/batch/turn.h"

#include "app/batch/record.h"
#include "app/cli/jsonreport.h"
#include "app/exitstatus.h"
#include "app/files/folder.h"
#include "app/files/output.h"

#include <errno.h>
#include <unistd.h>

void
batch_turn_claim (BatchTurn *turn, gsize pixels)
{
  thread_share_claim (turn->share, pixels, &turn->claim);
}

void
batch_turn_release (BatchTurn *turn)
{
  thread_claim_release (&turn->claim);
}

void
batch_result_clear (BatchResult *result)
{
  g_clear_pointer (&result->text, g_free);
  g_clear_pointer (&result->json, g_free);
}

/* ---- what there is to do ---- */

/* The folder of @item, which may be the mask of a result. */
static const char *
folder_of (const Batch *batch, const BatchItem *item)
{
  return item->is_mask ? batch->mask_folder : batch->folder;
}

static const char up_to_date[] = "is up to date";

/* Why nothing is to be done for a result that exists; NULL if it is to be
 * made again. */
static const char *
reason_to_keep (const Batch *batch, const BatchItem *item,
                const char *description)
{
  g_auto (FoundResult) found = { 0 };

  if (batch->line->force)
    return NULL;
  if (batch->options->skip_existing
      && g_file_test (item->output, G_FILE_TEST_EXISTS))
    return "exists";
  record_look_up (folder_of (batch, item), item, description, &found);
  switch (found.state) {
  case RESULT_CURRENT:
    return up_to_date;
  case RESULT_FOREIGN:
    return "exists, and was not made here; --force replaces it";
  case RESULT_LINKED:
    return "is reached through a link; --force replaces it";
  case RESULT_OUTDATED:
  case RESULT_MISSING:
    break;
  }
  return NULL;
}

/* The same for a result and its mask: nothing is done if there is nothing to
 * do for either, or if one of them may not be replaced.  *@kept is what the
 * reason is about. */
static const char *
reason_to_skip (const Batch *batch, const BatchItem *item,
                const char *description, const BatchItem **kept)
{
  const char *why = reason_to_keep (batch, item, description);
  const char *mask_why;

  *kept = item;
  if (item->mask_result == NULL || (why != NULL && why != up_to_date))
    return why;
  mask_why = reason_to_keep (batch, item->mask_result, description);
  if (mask_why == up_to_date)
    return why;
  *kept = item->mask_result;
  return mask_why;
}

/* ---- the work ---- */

/* Whether --force may replace what is there: no original, also through a link
 * that was made meanwhile, and nothing that would be written to. */
static gboolean
check_forced (const Batch *batch, const BatchItem *item, GError **error)
{
  if (batch_plan_reads (batch->plan, item->output))
    return tessera_fail (error, TESSERA_ERROR_FAILED,
                         "%s: is also an input; name another folder",
                         item->output);
  if (output_is_stream (item->output))
    return tessera_fail (error, TESSERA_ERROR_FAILED,
                         "%s: is not an ordinary file", item->output);
  return output_check (item->output, TRUE, error);
}

/* Without --force: only the result that was found is replaced, and only if it
 * is ours. */
static gboolean
write_result (const BatchItem *item, const FoundResult *found, GBytes *bytes,
              GError **error)
{
  g_autofree char *parent = g_path_get_dirname (item->output);
  g_autofree char *name = g_path_get_basename (item->output);
  OutputPlace place = { .folder = folder_open (parent, error),
                        .name = name,
                        .path = item->output };
  gboolean ok;

  if (place.folder < 0)
    return FALSE;
  if (found->state == RESULT_OUTDATED) {
    place.mode = REPLACE_EXISTING;
    place.replaced = &found->file;
  }
  ok = output_write_at (&place, bytes, error);
  close (place.folder);
  return ok;
}

/* What is there is looked at again, for the work may have taken long.  What is
 * up to date stays: a mask may be all that was missing. */
static gboolean
put_in_place (const Batch *batch, const BatchItem *item,
              const char *description, GBytes *bytes, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (item->output);
  g_auto (FoundResult) found = { 0 };
  gboolean force = batch->line->force;

  record_look_up (folder_of (batch, item), item, description, &found);
  if (!force && found.state == RESULT_CURRENT)
    return TRUE;
  if (!force
      && (found.state == RESULT_FOREIGN || found.state == RESULT_LINKED))
    return tessera_fail (error, TESSERA_ERROR_FAILED,
                         "%s: already exists; use --force to replace it",
                         item->output);
  if (!folder_make (parent, error)
      || (force && !check_forced (batch, item, error))
      || !record_write (folder_of (batch, item), item, description, bytes,
                        &found, error))
    return FALSE;
  return force ? output_write (item->output, bytes, TRUE, error)
               : write_result (item, &found, bytes, error);
}

/* Whether a file may be called that; found out before the work. */
static gboolean
check_name (const BatchItem *item, GError **error)
{
  struct stat info;

  return lstat (item->output, &info) == 0 || errno != ENAMETOOLONG
         || tessera_fail (error, TESSERA_ERROR_FAILED,
                          "%s: cannot be written: %s", item->output,
                          g_strerror (errno));
}

static gboolean
work (const Batch *batch, BatchTurn *turn, const char *description,
      GError **error)
{
  const BatchItem *mask = turn->item->mask_result;
  g_autoptr (GBytes) bytes = NULL;

  if (turn->item->problem != NULL)
    return tessera_fail (error, TESSERA_ERROR_INPUT, "%s",
                         turn->item->problem);
  if (!check_name (turn->item, error)
      || (mask != NULL && !check_name (mask, error)))
    return FALSE;
  bytes = batch->work (turn, batch->data, error);
  batch_turn_release (turn);
  return bytes != NULL
         && (mask == NULL
             || put_in_place (batch, mask, description, turn->mask, error))
         && put_in_place (batch, turn->item, description, bytes, error);
}

/* ---- the result ---- */

static const char *const states[] = { "done", "skipped", "failed", "stopped" };

static void
set_failed (BatchTurn *turn, BatchResult *result, const GError *error)
{
  gboolean stopped =
    g_error_matches (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);

  result->state = stopped ? BATCH_STOPPED : BATCH_FAILED;
  json_report_set_text (turn->json, "error", error->message);
  json_report_set_count (turn->json, "exit_code",
                         (guint64) exit_status ((TesseraError) error->code));
  g_string_assign (turn->text, error->message);
}

static void
set_skipped (BatchTurn *turn, BatchResult *result, const BatchItem *kept,
             const char *why)
{
  result->state = BATCH_SKIPPED;
  g_string_printf (turn->text, "%s: skipped: %s %s", turn->item->input,
                   kept->output, why);
  json_report_set_text (turn->json, "reason", why);
}

void
batch_take_turn (const Batch *batch, guint number, ThreadShare *share,
                 const Progress *progress, BatchResult *result)
{
  const BatchItem *item = batch_plan_item (batch->plan, number);
  g_autofree char *description = record_describe (item, batch->recipe);
  g_autoptr (JsonObject) json = json_object_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  BatchTurn turn = { item, progress, json, text, share, { 0 }, NULL };
  const BatchItem *kept = item;
  const char *skip = item->problem == NULL
                       ? reason_to_skip (batch, item, description, &kept)
                       : NULL;

  *result = (BatchResult){ .number = number, .state = BATCH_DONE };
  json_report_set_text (json, "input", item->input);
  json_report_set_text (json, "output",
                        item->problem == NULL ? item->output : NULL);
  json_report_set_text (json, "status", NULL); /* its place in the line */
  if (skip != NULL)
    set_skipped (&turn, result, kept, skip);
  else if (!work (batch, &turn, description, &error))
    set_failed (&turn, result, error);
  json_report_set_text (json, "status", states[result->state]);
  g_clear_pointer (&turn.mask, g_bytes_unref);
  result->json = json_report_to_line (json);
  result->text = g_strdup (text->str);
}
