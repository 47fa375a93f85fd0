/* handle_jobs.c - starting, watching and stopping work */
#include "app/serve/handler.h"

#include "app/serve/mendjob.h"
#include "app/cli/jsonreport.h"
#include "base/error.h"
#include "imaging/maskruns.h"

#include <math.h>

static const char *const tasks[] = { [MEND_FILL] = "fill",
                                     [MEND_DENOISE] = "denoise",
                                     [MEND_FIND_BLOCKS] = "find-blocks",
                                     [MEND_FIND_DEAD] = "find-dead",
                                     NULL };
static const char *const qualities[] = { [QUALITY_FAST] = "fast",
                                         [QUALITY_NORMAL] = "normal",
                                         [QUALITY_BEST] = "best",
                                         NULL };

static gboolean
read_options (const WebCall *call, MendOptions *options, GError **error)
{
  int task = MEND_FILL, quality = QUALITY_NORMAL, dictionary = 0;
  const Dictionary *chosen;

  *options = (MendOptions){ .restore = RESTORE_DEFAULTS, .sigma = NAN };
  if (!web_choice (call, "task", tasks, &task, error)
      || !web_choice (call, "quality", qualities, &quality, error)
      || !web_int (call, "version", 0, G_MAXINT, &options->version, error)
      || !web_int (call, "dictionary", 0, G_MAXINT, &dictionary, error)
      || !web_real (call, "sigma", 0, 255, &options->sigma, error))
    return FALSE;
  chosen = shelf_get (call->web->shelf, dictionary, error);
  if (chosen == NULL)
    return FALSE;
  options->task = (MendTask) task;
  options->restore.quality = (RestoreQuality) quality;
  options->restore.dictionary = shelf_is_builtin (dictionary) ? NULL : chosen;
  return TRUE;
}

/* The body is the mask; nothing at all is a mask of nothing. */
static Mask *
read_mask (const WebCall *call, const Photo *photo, GError **error)
{
  int width = photo_width (photo), height = photo_height (photo);

  if (g_bytes_get_size (call->request->body) == 0)
    return mask_new (width, height, error);
  return mask_from_runs (call->request->body, width, height, error);
}

gboolean
web_post_mending (const WebCall *call, Answer *answer, GError **error)
{
  g_autoptr (Photo) photo =
    album_find (call->web->album, call->stars[0], error);
  MendOptions options;
  Mask *mask;
  gpointer mending;

  if (photo == NULL || !read_options (call, &options, error)
      || !album_has_room (call->web->album, photo, error))
    return FALSE;
  mask = read_mask (call, photo, error);
  if (mask == NULL)
    return FALSE;
  mending = mending_new (photo, mask, &options, error);
  if (mending == NULL)
    return FALSE;
  return web_answer_job (answer,
                         job_queue_add (call->web->mending, photo_id (photo),
                                        &mending_class, mending, error));
}

static guint
job_number (const WebCall *call)
{
  guint64 number = 0;

  g_ascii_string_to_unsigned (call->stars[0], 10, 0, G_MAXUINT, &number, NULL);
  return (guint) number;
}

static gboolean
set_no_job (GError **error)
{
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                       "there is no such work, or not any more");
  return FALSE;
}

gboolean
web_get_job (const WebCall *call, Answer *answer, GError **error)
{
  guint number = job_number (call);
  g_autoptr (JsonObject) json =
    job_queue_describe (call->web->mending, number);

  if (json == NULL)
    json = job_queue_describe (call->web->studies, number);
  if (json == NULL)
    return set_no_job (error);
  answer_set_json (answer, json);
  return TRUE;
}

gboolean
web_delete_job (const WebCall *call, Answer *answer, GError **error)
{
  guint number = job_number (call);

  if (!job_queue_cancel (call->web->mending, number)
      && !job_queue_cancel (call->web->studies, number))
    return set_no_job (error);
  return web_get_job (call, answer, error);
}
