/* handle_page.c - the files of the page, and its way in */
#include "app/serve/handler.h"

#include "app/serve/assets.h"
#include "app/cli/jsonreport.h"
#include "app/serve/routes.h"
#include "dictlearn/learner.h"

gboolean
web_get_file (const WebCall *call, Answer *answer, GError **error)
{
  const Asset *asset = asset_find (call->request->path);

  (void) error;
  if (asset == NULL) {
    answer_refuse (answer, 404, "there is no such page");
    return TRUE;
  }
  answer_set (
    answer, asset->type,
    g_bytes_new_static (asset->start, (gsize) (asset->end - asset->start)));
  answer->kind = ANSWER_PAGE;
  return TRUE;
}

/* The body is the token. */
gboolean
web_post_session (const WebCall *call, Answer *answer, GError **error)
{
  gsize size;
  const char *body = g_bytes_get_data (call->request->body, &size);
  g_autofree char *token = g_strndup (body != NULL ? body : "", size);
  const char *key = guard_exchange (&call->web->guard, token);
  g_autoptr (JsonObject) json = json_object_new ();

  (void) error;
  if (key == NULL) {
    answer_refuse (answer, 403,
                   "this address was used before, or is not the one that "
                   "\"tessera serve\" printed");
    return TRUE;
  }
  report_set_text (json, "key", key);
  answer_set_json (answer, json);
  return TRUE;
}

static JsonArray *
algorithm_names (void)
{
  JsonArray *names = json_array_new ();

  for (int i = 0; learner_classes[i] != NULL; i++)
    json_array_add_string_element (names, learner_classes[i]->name);
  return names;
}

gboolean
web_get_about (const WebCall *call, Answer *answer, GError **error)
{
  g_autoptr (JsonObject) json = json_object_new ();
  g_autofree char *bundled = studio_bundled ();

  (void) call;
  (void) error;
  report_set_text (json, "version", TESSERA_VERSION);
  report_set_count (json, "max_upload", ROUTE_MOST_PICTURE);
  report_set_text (json, "bundled", bundled);
  json_object_set_array_member (json, "algorithms", algorithm_names ());
  answer_set_json (answer, json);
  return TRUE;
}
