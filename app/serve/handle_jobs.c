/* handle_jobs.c - starting, watching and stopping work */
#include "app/serve/handler.h"

#include "app/serve/mendjob.h"
#include "app/cli/jsonreport.h"
#include "base/error.h"
#include "imaging/maskruns.h"

#include <string.h>

#define SEARCH_PREFIX "find-"

/* What to look for, if @task is "find", with the query naming the kinds, or
 * "find-" and the name of a kind.  Sets options->kinds, which the caller then
 * owns. */
static gboolean
read_search (const HandlerCall *call, const char *task, MendOptions *options,
             GError **error)
{
  options->is_search = TRUE;
  if (!call_real (call, "strength", FIND_STRENGTH_MIN, FIND_STRENGTH_MAX,
                  &options->strength, error))
    return FALSE;
  if (g_str_equal (task, "find"))
    options->kinds =
      detectors_named (request_argument (call->request, "kinds"), error);
  else if (g_str_has_prefix (task, SEARCH_PREFIX)
           && detector_find (task + strlen (SEARCH_PREFIX)) != NULL)
    options->kinds = detectors_named (task + strlen (SEARCH_PREFIX), error);
  else
    return tessera_fail (error, TESSERA_ERROR_USAGE, "task: '%s' is not known",
                         task);
  return options->kinds != NULL;
}

/* All of it: the kinds of damage that the query names ("" for none) are found
 * and filled with what the mask has, and noise is removed where it is certain,
 * or not at all. */
static gboolean
read_restoration (const HandlerCall *call, MendOptions *options,
                  GError **error)
{
  const char *kinds = request_argument (call->request, "kinds");
  int noise = 1, fading = -1;

  if (!call_real (call, "find_strength", FIND_STRENGTH_MIN, FIND_STRENGTH_MAX,
                  &options->strength, error)
      || !call_int (call, "noise", 0, 1, &noise, error)
      || !call_choice (call, "fading", fading_mode_names, &fading, error))
    return FALSE;
  options->restore.fill_grain = 1;
  options->restore.fading = (FadingMode) (fading + 1);
  if (noise == 0)
    options->restore.sigma = 0;
  if (kinds != NULL && *kinds == '\0')
    return TRUE;
  options->kinds = detectors_named (kinds, error);
  return options->kinds != NULL;
}

/* "restore", "fill", "denoise", or a search. */
static gboolean
read_task (const HandlerCall *call, MendOptions *options, GError **error)
{
  const char *task = request_argument (call->request, "task");
  RestoreOptions *restore = &options->restore;

  if (task == NULL || g_str_equal (task, "fill"))
    restore->sigma = 0;
  else if (g_str_equal (task, "denoise")) {
    restore->detector = &detector_dead_pixels;
    return call_real (call, "strength", STRENGTH_MIN, STRENGTH_MAX,
                      &restore->strength, error);
  } else if (g_str_equal (task, "restore"))
    return read_restoration (call, options, error);
  else
    return read_search (call, task, options, error);
  return TRUE;
}

static gboolean
read_options (const HandlerCall *call, MendOptions *options, GError **error)
{
  int quality = QUALITY_NORMAL, dictionary = 0, see_through = 0, seed = 0;
  int fill = FILL_AUTO;
  const Dictionary *chosen;

  *options = (MendOptions){ .restore = RESTORE_DEFAULTS, .strength = 1 };
  options->restore.sigma = SIGMA_UNKNOWN;
  if (!call_choice (call, "quality", restore_quality_names, &quality, error)
      || !call_int (call, "version", 0, G_MAXINT, &options->version, error)
      || !call_int (call, "dictionary", 0, G_MAXINT, &dictionary, error)
      || !call_int (call, "see_through", 0, 1, &see_through, error)
      || !call_int (call, "grow", 0, MASK_MOST_WIDENED, &options->grow, error)
      || !call_int (call, "seed", 0, G_MAXINT, &seed, error)
      || !call_choice (call, "thick", thick_fill_names, &fill, error)
      || !call_int (call, "found", 0, 1, &options->has_found, error)
      || !call_int (call, "loaded", 0, 1, &options->has_loaded, error)
      || !call_real (call, "sigma", 0, SIGMA_MAX, &options->restore.sigma,
                     error))
    return FALSE;
  chosen =
    dictionary_list_get (call->context->dictionaries, dictionary, error);
  if (chosen == NULL)
    return FALSE;
  options->restore.quality = (RestoreQuality) quality;
  options->restore.see_through = see_through;
  options->restore.seed = (guint64) seed;
  options->restore.fill = (ThickFill) fill;
  options->restore.dictionary =
    dictionary_list_is_builtin (dictionary) ? NULL : chosen;
  return read_task (call, options, error);
}

/* The body is the mask; an empty body is an empty mask. */
static Mask *
read_mask (const HandlerCall *call, const Photo *photo, GError **error)
{
  int width = photo_width (photo), height = photo_height (photo);

  if (g_bytes_get_size (call->request->body) == 0)
    return mask_new (width, height, error);
  return mask_from_runs (call->request->body, width, height, error);
}

static gboolean
handle_post_mending (const HandlerCall *call, Response *response,
                     GError **error)
{
  g_autoptr (Photo) photo =
    open_photos_find (call->context->photos, call->stars[0], error);
  g_autoptr (GPtrArray) kinds = NULL;
  MendOptions options;
  Mask *mask;
  gpointer job;

  if (photo == NULL || !read_options (call, &options, error))
    return FALSE;
  kinds = options.kinds;
  if (!open_photos_has_room (call->context->photos, photo, error))
    return FALSE;
  mask = read_mask (call, photo, error);
  if (mask == NULL)
    return FALSE;
  if (options.restore.detector != NULL && mask_count (mask) == 0)
    g_clear_pointer (&mask, mask_free);
  job = mend_job_new (photo, mask, &options, error);
  if (job == NULL)
    return FALSE;
  return respond_job (response, job_queue_add (call->context->mend_jobs,
                                               photo_id (photo),
                                               &mend_job_class, job, error));
}

static guint
job_number (const HandlerCall *call)
{
  guint64 number = 0;

  g_ascii_string_to_unsigned (call->stars[0], 10, 0, G_MAXUINT, &number, NULL);
  return (guint) number;
}

static gboolean
set_no_job (GError **error)
{
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                       "there is no such job, or it was removed");
  return FALSE;
}

static gboolean
handle_get_job (const HandlerCall *call, Response *response, GError **error)
{
  guint number = job_number (call);
  g_autoptr (JsonObject) json =
    job_queue_describe (call->context->mend_jobs, number);

  if (json == NULL)
    json = job_queue_describe (call->context->learn_jobs, number);
  if (json == NULL)
    return set_no_job (error);
  response_set_json (response, json);
  return TRUE;
}

static gboolean
handle_delete_job (const HandlerCall *call, Response *response, GError **error)
{
  guint number = job_number (call);

  if (!job_queue_cancel (call->context->mend_jobs, number)
      && !job_queue_cancel (call->context->learn_jobs, number))
    return set_no_job (error);
  return handle_get_job (call, response, error);
}

const Route job_routes[] = {
  { "POST", "/api/photos/*/jobs", WITH_KEY, BODY_RUNS, handle_post_mending },
  { "GET", "/api/jobs/*", WITH_KEY, BODY_NONE, handle_get_job },
  { "DELETE", "/api/jobs/*", WITH_KEY, BODY_NONE, handle_delete_job },
  { .method = NULL },
};
