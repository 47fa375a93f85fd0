#include "base/progress.h"

#include "base/error.h"

#include <gio/gio.h>

gboolean
progress_step (const Progress *progress, double done, GError **error)
{
  if (progress == NULL)
    return TRUE;
  if (progress->report != NULL)
    progress->report (done, progress->user_data);
  if (!g_cancellable_is_cancelled (progress->cancellable))
    return TRUE;
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED,
                       "interrupted");
  return FALSE;
}

static void
report_part (double done, gpointer user_data)
{
  const ProgressPart *part = user_data;

  part->whole->report (part->from + (part->to - part->from) * done,
                       part->whole->user_data);
}

Progress
progress_part (ProgressPart *part)
{
  const Progress *whole = part->whole;

  if (whole == NULL)
    return (Progress){ 0 };
  return (Progress){ .report = whole->report != NULL ? report_part : NULL,
                     .user_data = part,
                     .cancellable = whole->cancellable };
}
