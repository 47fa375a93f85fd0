#include "app/serve/response.h"

#include "app/cli/jsonreport.h"
#include "base/error.h"

#include <string.h>

void
response_clear (Response *response)
{
  g_clear_pointer (&response->body, g_bytes_unref);
}

void
response_set (Response *response, const char *type, GBytes *body)
{
  response_clear (response);
  *response = (Response){ .status = 200, .type = type, .body = body };
}

void
response_set_json (Response *response, JsonObject *json)
{
  char *text = json_report_to_text (json);

  response_set (response, "application/json",
                g_bytes_new_take (text, strlen (text)));
}

void
response_refuse (Response *response, guint status, const char *message)
{
  g_autoptr (JsonObject) json = json_object_new ();

  json_report_set_text (json, "error", message);
  response_set_json (response, json);
  response->status = status;
}

static guint
status_for (const GError *error)
{
  switch (error->code) {
  case TESSERA_ERROR_USAGE:
    return 400; /* Bad Request */
  case TESSERA_ERROR_INPUT:
    return 422; /* Unprocessable Content */
  case TESSERA_ERROR_LIMIT:
  case TESSERA_ERROR_MEMORY:
    return 503; /* Service Unavailable */
  default:
    return 500; /* Internal Server Error */
  }
}

void
response_refuse_error (Response *response, const GError *error)
{
  response_refuse (response, status_for (error), error->message);
}
