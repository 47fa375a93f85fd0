/* handle_dictionaries.c - dictionaries: seen, loaded, learned, compared */
#include "app/serve/handler.h"

#include "app/cli/jsonreport.h"
#include "app/serve/learnjob.h"
#include "base/error.h"
#include "dictlearn/learner.h"
#include "imaging/mosaic.h"

#define MOSAIC_ZOOM 3
#define LONGEST_STUDY 3600 /* seconds */

/* All learning jobs have one owner: there is one at a time. */
#define OWNER "studies"

/* ---- dictionaries ---- */

static gboolean
handle_get_dictionaries (const HandlerCall *call, Response *response,
                         GError **error)
{
  g_autoptr (JsonObject) json =
    dictionary_list_describe (call->context->dictionaries);

  (void) error;
  response_set_json (response, json);
  return TRUE;
}

static gboolean
handle_post_dictionary (const HandlerCall *call, Response *response,
                        GError **error)
{
  g_autofree char *name = call_file_name (call);
  Dictionary *dictionary =
    dictionary_from_bytes (call->request->body, name, error);

  if (dictionary == NULL
      || dictionary_list_add (call->context->dictionaries, name, dictionary,
                              error)
           < 0)
    return FALSE;
  return handle_get_dictionaries (call, response, error);
}

static const Dictionary *
find_dictionary (const HandlerCall *call, GError **error)
{
  guint64 number = G_MAXINT;

  g_ascii_string_to_unsigned (call->stars[0], 10, 0, G_MAXINT, &number, NULL);
  return dictionary_list_get (call->context->dictionaries, (int) number,
                              error);
}

static gboolean
handle_get_mosaic (const HandlerCall *call, Response *response, GError **error)
{
  const Dictionary *dictionary = find_dictionary (call, error);
  g_autoptr (Image) mosaic = NULL;

  if (dictionary != NULL)
    mosaic = dictionary_mosaic (dictionary, MOSAIC_ZOOM, error);
  return mosaic != NULL
         && respond_picture (response, mosaic, TESSERA_PNG, &ENCODE_DEFAULTS,
                             error);
}

static gboolean
handle_get_dictionary (const HandlerCall *call, Response *response,
                       GError **error)
{
  const Dictionary *dictionary = find_dictionary (call, error);
  GBytes *file = dictionary != NULL
                   ? dictionary_to_safetensors (dictionary, error)
                   : NULL;

  if (file != NULL)
    response_set (response, "application/octet-stream", file);
  return file != NULL;
}

/* ---- learning ---- */

static gboolean
handle_post_training (const HandlerCall *call, Response *response,
                      GError **error)
{
  guint pictures = work_folder_add_picture (call->context->folder,
                                            call->request->body, error);
  g_autoptr (JsonObject) json = json_object_new ();

  if (pictures == 0)
    return FALSE;
  json_report_set_count (json, "pictures", pictures);
  response_set_json (response, json);
  return TRUE;
}

static gboolean
handle_delete_training (const HandlerCall *call, Response *response,
                        GError **error)
{
  (void) error;
  work_folder_clear_pictures (call->context->folder);
  respond_done (response);
  return TRUE;
}

static gboolean
start_job (const HandlerCall *call, gpointer job, Response *response,
           GError **error)
{
  return respond_job (response,
                      job_queue_add (call->context->learn_jobs, OWNER,
                                     &learn_job_class, job, error));
}

static gboolean
handle_post_learning (const HandlerCall *call, Response *response,
                      GError **error)
{
  g_autofree char *name = call_file_name (call);
  const char *algorithm = request_argument (call->request, "algorithm");
  int seconds = 30;

  if (!call_int (call, "seconds", 1, LONGEST_STUDY, &seconds, error))
    return FALSE;
  if (algorithm == NULL || learner_find (algorithm) == NULL) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                         "there is no such algorithm");
    return FALSE;
  }
  return start_job (call,
                    learn_job_new_learning (call->context->folder,
                                            call->context->dictionaries, name,
                                            algorithm, seconds),
                    response, error);
}

/* ---- comparing ---- */

enum { FROM_BUNDLED, FROM_TRAINING, FROM_FOLDER };
static const char *const sources[] = { "bundled", "training", "folder", NULL };

/* The folder that the query names, if the user has named it before: who has the
 * key may not look into others. */
static char *
named_folder (const HandlerCall *call, GError **error)
{
  const char *folder = request_argument (call->request, "folder");

  if (folder != NULL
      && g_ptr_array_find_with_equal_func (call->context->folders, folder,
                                           g_str_equal, NULL))
    return g_strdup (folder);
  tessera_fail (error, TESSERA_ERROR_INPUT,
                "only folders that were named with --folder when the program "
                "was started can be compared on");
  return NULL;
}

static char *
find_folder (const HandlerCall *call, GError **error)
{
  int source = FROM_BUNDLED;
  char *folder;

  if (!call_choice (call, "source", sources, &source, error))
    return NULL;
  if (source == FROM_FOLDER)
    return named_folder (call, error);
  if (source == FROM_TRAINING)
    return g_strdup (work_folder_pictures (call->context->folder));
  folder = work_folder_bundled ();
  if (folder == NULL)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                         "the bundled photographs are not on this machine");
  return folder;
}

static gboolean
handle_post_comparison (const HandlerCall *call, Response *response,
                        GError **error)
{
  g_autofree char *folder = find_folder (call, error);
  int seconds = 30;

  if (folder == NULL
      || !call_int (call, "seconds", 1, LONGEST_STUDY, &seconds, error))
    return FALSE;
  return start_job (
    call, learn_job_new_comparison (call->context->folder, folder, seconds),
    response, error);
}

static const char *
type_of (const char *name)
{
  static const char *const types[][2] = {
    { ".html", "text/html; charset=utf-8" },
    { ".json", "application/json" },
    { ".csv", "text/csv; charset=utf-8" },
    { ".txt", "text/plain; charset=utf-8" },
    { ".svg", "image/svg+xml" },
    { ".png", "image/png" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_has_suffix (name, types[i][0]))
      return types[i][1];
  return "application/octet-stream";
}

static gboolean
handle_get_report (const HandlerCall *call, Response *response, GError **error)
{
  const char *name = call->stars[1];
  GBytes *bytes =
    work_folder_read (call->context->folder, call->stars[0], name, error);

  if (bytes == NULL)
    return FALSE;
  response_set (response, type_of (name), bytes);
  response->kind = RESPONSE_REPORT;
  return TRUE;
}

const Route dictionary_routes[] = {
  { "GET", "/api/dictionaries", WITH_KEY, BODY_NONE, handle_get_dictionaries },
  { "POST", "/api/dictionaries", WITH_KEY, BODY_DICTIONARY,
    handle_post_dictionary },
  { "GET", "/api/dictionaries/*/mosaic", WITH_KEY, BODY_NONE,
    handle_get_mosaic },
  { "GET", "/api/dictionaries/*/file", WITH_KEY, BODY_NONE,
    handle_get_dictionary },
  { "POST", "/api/training", WITH_KEY, BODY_PICTURE, handle_post_training },
  { "DELETE", "/api/training", WITH_KEY, BODY_NONE, handle_delete_training },
  { "POST", "/api/learning", WITH_KEY, BODY_NONE, handle_post_learning },
  { "POST", "/api/comparison", WITH_KEY, BODY_NONE, handle_post_comparison },
  { "GET", "/report/*/*", SECRET_PATH, BODY_NONE, handle_get_report },
  { .method = NULL },
};
