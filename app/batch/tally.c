#include "app/batch/tally.h"

#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"
#include "app/files/files.h"
#include "base/error.h"

#include <string.h>

void
batch_tally_start (BatchTally *tally, const Batch *batch)
{
  *tally =
    (BatchTally){ .batch = batch, .started = g_get_monotonic_time () };
}

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
  guint left = total - counts[BATCH_DONE] - counts[BATCH_SKIPPED]
               - counts[BATCH_FAILED];
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "%u picture%s: %u done, %u skipped, %u failed", total,
                   PLURAL (total), counts[BATCH_DONE], counts[BATCH_SKIPPED],
                   counts[BATCH_FAILED]);
  if (left > 0)
    g_string_append_printf (text, ", %u to do", left);
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

  print_sum (tally, (double) (g_get_monotonic_time () - tally->started)
                      / G_USEC_PER_SEC);
  if (g_cancellable_is_cancelled (interrupt_cancellable ()))
    return tessera_fail (error, TESSERA_ERROR_CANCELLED, "interrupted");
  return failed == 0
         || tessera_fail (error, TESSERA_ERROR_INPUT,
                          "%u of %u picture%s failed", failed, total,
                          PLURAL (total));
}
