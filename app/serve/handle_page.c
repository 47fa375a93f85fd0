/* handle_page.c - the files of the page, and its way in */
#include "app/serve/handler.h"

#include "app/serve/assets.h"
#include "app/cli/jsonreport.h"
#include "dictlearn/learner.h"
#include "imaging/codec/codec.h"
#include "imaging/detect/detect.h"

static gboolean
handle_get_file (const HandlerCall *call, Response *response, GError **error)
{
  const char *type;
  GBytes *bytes = asset_find (call->request->path, &type);

  (void) error;
  if (bytes == NULL) {
    response_refuse (response, 404, "there is no such page");
    return TRUE;
  }
  response_set (response, type, bytes);
  response->kind = RESPONSE_PAGE;
  return TRUE;
}

/* The body is the token. */
static gboolean
handle_post_session (const HandlerCall *call, Response *response,
                     GError **error)
{
  gsize size;
  const char *body = g_bytes_get_data (call->request->body, &size);
  g_autofree char *token = g_strndup (body != NULL ? body : "", size);
  const char *key = access_exchange (&call->context->access, token);
  g_autoptr (JsonObject) json = json_object_new ();

  (void) error;
  if (key == NULL) {
    response_refuse (response, 403,
                     "this address was already used, or is not the one that "
                     "\"tessera serve\" printed");
    return TRUE;
  }
  json_report_set_text (json, "key", key);
  response_set_json (response, json);
  return TRUE;
}

static JsonArray *
algorithm_names (void)
{
  JsonArray *names = json_array_new ();

  for (int i = 0; learner_names[i] != NULL; i++)
    json_array_add_string_element (names, learner_names[i]);
  return names;
}

static JsonArray *
kind_names (void)
{
  JsonArray *names = json_array_new ();

  for (int i = 0; detectors[i] != NULL; i++)
    json_array_add_string_element (names, detectors[i]->name);
  return names;
}

static JsonArray *
format_endings (void)
{
  const char *const *endings = image_format_endings ();
  JsonArray *names = json_array_new ();

  for (int i = 0; endings[i] != NULL; i++)
    json_array_add_string_element (names, endings[i]);
  return names;
}

static JsonArray *
folder_names_of (const ServeContext *context)
{
  JsonArray *names = json_array_new ();

  for (guint i = 0; i < context->folders->len; i++)
    json_array_add_string_element (names, context->folders->pdata[i]);
  return names;
}

static gboolean
handle_get_about (const HandlerCall *call, Response *response, GError **error)
{
  g_autoptr (JsonObject) json = json_object_new ();
  g_autofree char *bundled = work_folder_bundled ();

  (void) error;
  json_report_set_text (json, "version", TESSERA_VERSION);
  json_report_set_count (json, "max_upload", BODY_PICTURE);
  json_report_set_text (json, "bundled", bundled);
  json_object_set_array_member (json, "folders",
                                folder_names_of (call->context));
  json_object_set_array_member (json, "algorithms", algorithm_names ());
  json_object_set_array_member (json, "kinds", kind_names ());
  json_report_set_text (json, "formats", image_format_list ());
  json_object_set_array_member (json, "endings", format_endings ());
  response_set_json (response, json);
  return TRUE;
}

const Route page_routes[] = {
  { "POST", "/api/session", FOR_ALL, BODY_TOKEN, handle_post_session },
  { "GET", "/api/about", WITH_KEY, BODY_NONE, handle_get_about },
  { .method = NULL },
};

/* All other paths: files of the page, or "not found". */
const Route page_files_route = { "GET", "", FOR_VISITORS, BODY_NONE,
                                 handle_get_file };
