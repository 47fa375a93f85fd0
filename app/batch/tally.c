#include "app/batch/tally.h"

#include "app/cli/interrupt.h"
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "app/files/files.h"
#include "base/error.h"
#include "imaging/codec/foreign.h"

#include <stdio.h>
#include <string.h>

void
batch_tally_start (BatchTally *tally, const Batch *batch)
{
  *tally =
    (BatchTally){ .batch = batch, .started = g_get_monotonic_time () };
}

/* ---- what is left out ---- */

/* Bytes that tell what a file is. */
#define FIRST_BYTES 64

/* Why a file is no picture for us: by its content, if that is known. */
static const char *
reason_to_leave_out (const char *path)
{
  guint8 data[FIRST_BYTES];
  FILE *file = fopen (path, "rbe");
  gsize size = 0;
  const char *what = NULL;

  if (file != NULL) {
    size = fread (data, 1, sizeof data, file);
    fclose (file);
    what = foreign_describe (data, size);
  }
  return what != NULL ? what : "its extension is not that of a picture";
}

gboolean
batch_tally_left_out (const BatchTally *tally, GError **error)
{
  const GPtrArray *paths = tally->batch->plan->left_out;
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < paths->len; i++) {
    const char *path = paths->pdata[i];
    const char *why = reason_to_leave_out (path);
    g_autoptr (JsonObject) json = json_object_new ();

    if (!tally->batch->line->json) {
      terminal_note ("%s: left out: %s", path, why);
      continue;
    }
    json_report_set_text (json, "input", path);
    json_report_set_text (json, "output", NULL);
    json_report_set_text (json, "status", "left_out");
    json_report_set_text (json, "reason", why);
    ok = json_report_print_line (json, error);
  }
  return ok;
}

/* ---- results ---- */

gboolean
batch_tally_add (BatchTally *tally, const BatchResult *result, GError **error)
{
  tally->counts[result->state]++;
  if (result->state == BATCH_STOPPED)
    return TRUE;
  if (result->state == BATCH_FAILED)
    terminal_error (result->text);
  else if (!tally->batch->line->json)
    terminal_result ("%s", result->text);
  return !tally->batch->line->json
         || stdout_write (result->json, strlen (result->json), error);
}

static void
print_sum (const BatchTally *tally, double seconds)
{
  const guint *counts = tally->counts;
  guint total = tally->batch->plan->items->len;
  guint left_out = tally->batch->plan->left_out->len;
  guint left = total - counts[BATCH_DONE] - counts[BATCH_SKIPPED]
               - counts[BATCH_FAILED];
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "%u picture%s: %u done, %u skipped, %u failed", total,
                   PLURAL (total), counts[BATCH_DONE], counts[BATCH_SKIPPED],
                   counts[BATCH_FAILED]);
  if (left > 0)
    g_string_append_printf (text, ", %u to do", left);
  if (left_out > 0)
    g_string_append_printf (text, ", %u other file%s left out", left_out,
                            PLURAL (left_out));
  g_string_append_printf (text, " in %.1f s", seconds);
  if (counts[BATCH_DONE] > 1 && seconds > 0)
    g_string_append_printf (text, ", %.2g per second",
                            counts[BATCH_DONE] / seconds);
  terminal_result ("%s", text->str);
}

gboolean
batch_tally_finish (const BatchTally *tally, GError **error)
{
  guint failed = tally->counts[BATCH_FAILED];
  guint total = tally->batch->plan->items->len;
  guint left_out = tally->batch->plan->left_out->len;

  print_sum (tally, (double) (g_get_monotonic_time () - tally->started)
                      / G_USEC_PER_SEC);
  if (g_cancellable_is_cancelled (interrupt_cancellable ()))
    return tessera_fail (error, TESSERA_ERROR_CANCELLED, "interrupted");
  if (failed > 0)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "%u of %u picture%s failed", failed, total,
                         PLURAL (total));
  return left_out == 0 || !tally->batch->options->strict
         || tessera_fail (error, TESSERA_ERROR_INPUT,
                          "%u file%s left out, which --strict does not allow",
                          left_out, left_out == 1 ? " was" : "s were");
}
