/* handle_dictionaries.c - dictionaries: seen, loaded, learned, compared */
#include "app/serve/handler.h"

#include "app/cli/jsonreport.h"
#include "app/serve/learnjob.h"
#include "base/error.h"
#include "dictlearn/learner.h"
#include "imaging/mosaic.h"

#define MOSAIC_ZOOM 3
#define LONGEST_STUDY 3600 /* seconds */

/* All studies have one owner: there is one at a time. */
#define OWNER "studies"

/* ---- dictionaries ---- */

gboolean
web_get_dictionaries (const WebCall *call, Answer *answer, GError **error)
{
  g_autoptr (JsonObject) json = shelf_describe (call->web->shelf);

  (void) error;
  answer_set_json (answer, json);
  return TRUE;
}

gboolean
web_post_dictionary (const WebCall *call, Answer *answer, GError **error)
{
  g_autofree char *name = web_file_name (call);
  Dictionary *dictionary =
    dictionary_from_bytes (call->request->body, name, error);

  if (dictionary == NULL
      || shelf_add (call->web->shelf, name, dictionary, error) < 0)
    return FALSE;
  return web_get_dictionaries (call, answer, error);
}

static const Dictionary *
find_dictionary (const WebCall *call, GError **error)
{
  guint64 number = G_MAXINT;

  g_ascii_string_to_unsigned (call->stars[0], 10, 0, G_MAXINT, &number, NULL);
  return shelf_get (call->web->shelf, (int) number, error);
}

gboolean
web_get_mosaic (const WebCall *call, Answer *answer, GError **error)
{
  const Dictionary *dictionary = find_dictionary (call, error);
  g_autoptr (Image) mosaic = NULL;

  if (dictionary != NULL)
    mosaic = dictionary_mosaic (dictionary, MOSAIC_ZOOM, error);
  return mosaic != NULL
         && web_answer_picture (answer, mosaic, IMAGE_PNG, &ENCODE_DEFAULTS,
                                error);
}

gboolean
web_get_dictionary (const WebCall *call, Answer *answer, GError **error)
{
  const Dictionary *dictionary = find_dictionary (call, error);

  if (dictionary != NULL)
    answer_set (answer, "application/octet-stream",
                dictionary_to_safetensors (dictionary));
  return dictionary != NULL;
}

/* ---- learning ---- */

gboolean
web_post_training (const WebCall *call, Answer *answer, GError **error)
{
  guint pictures =
    studio_add_picture (call->web->studio, call->request->body, error);
  g_autoptr (JsonObject) json = json_object_new ();

  if (pictures == 0)
    return FALSE;
  report_set_count (json, "pictures", pictures);
  answer_set_json (answer, json);
  return TRUE;
}

gboolean
web_delete_training (const WebCall *call, Answer *answer, GError **error)
{
  (void) error;
  studio_clear_pictures (call->web->studio);
  web_answer_done (answer);
  return TRUE;
}

static gboolean
start_study (const WebCall *call, gpointer study, Answer *answer,
             GError **error)
{
  return web_answer_job (answer, job_queue_add (call->web->studies, OWNER,
                                                &study_class, study, error));
}

gboolean
web_post_learning (const WebCall *call, Answer *answer, GError **error)
{
  g_autofree char *name = web_file_name (call);
  const char *algorithm = request_argument (call->request, "algorithm");
  int seconds = 30;

  if (!web_int (call, "seconds", 1, LONGEST_STUDY, &seconds, error))
    return FALSE;
  if (algorithm == NULL || learner_find (algorithm) == NULL) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                         "there is no such algorithm");
    return FALSE;
  }
  return start_study (call,
                      study_new_learning (call->web->studio, call->web->shelf,
                                          name, algorithm, seconds),
                      answer, error);
}

/* ---- comparing ---- */

enum { FROM_BUNDLED, FROM_TRAINING, FROM_FOLDER };
static const char *const sources[] = { "bundled", "training", "folder", NULL };

/* The folder that the query names: a whole path, so that no word of it can be
 * taken for an option. */
static char *
named_folder (const WebCall *call, GError **error)
{
  const char *folder = request_argument (call->request, "folder");

  if (folder != NULL && g_path_is_absolute (folder)
      && g_file_test (folder, G_FILE_TEST_IS_DIR))
    return g_strdup (folder);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
               "%s: no such folder; give its whole path, from the / on",
               folder != NULL ? folder : "");
  return NULL;
}

static char *
find_folder (const WebCall *call, GError **error)
{
  int source = FROM_BUNDLED;
  char *folder;

  if (!web_choice (call, "source", sources, &source, error))
    return NULL;
  if (source == FROM_FOLDER)
    return named_folder (call, error);
  if (source == FROM_TRAINING)
    return g_strdup (studio_pictures (call->web->studio));
  folder = studio_bundled ();
  if (folder == NULL)
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                         "the bundled photographs are not on this machine");
  return folder;
}

gboolean
web_post_comparison (const WebCall *call, Answer *answer, GError **error)
{
  g_autofree char *folder = find_folder (call, error);
  int seconds = 30;

  if (folder == NULL
      || !web_int (call, "seconds", 1, LONGEST_STUDY, &seconds, error))
    return FALSE;
  return start_study (
    call, study_new_comparison (call->web->studio, folder, seconds), answer,
    error);
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

gboolean
web_get_report (const WebCall *call, Answer *answer, GError **error)
{
  const char *name = call->stars[1];
  GBytes *bytes = studio_read (call->web->studio, call->stars[0], name, error);

  if (bytes == NULL)
    return FALSE;
  answer_set (answer, type_of (name), bytes);
  answer->kind = ANSWER_REPORT;
  return TRUE;
}
