#include "base/progress.h"

#include "base/error.h"

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
