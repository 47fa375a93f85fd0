#include "app/serve/response.h"

#include "app/cli/jsonreport.h"
#include "base/error.h"

#include <string.h>

void
answer_clear (Answer *answer)
{
  g_clear_pointer (&answer->body, g_bytes_unref);
}

void
answer_set (Answer *answer, const char *type, GBytes *body)
{
  answer_clear (answer);
  *answer = (Answer){ .status = 200, .type = type, .body = body };
}

void
answer_set_json (Answer *answer, JsonObject *json)
{
  char *text = report_to_text (json);

  answer_set (answer, "application/json",
              g_bytes_new_take (text, strlen (text)));
}

void
answer_refuse (Answer *answer, guint status, const char *message)
{
  g_autoptr (JsonObject) json = json_object_new ();

  report_set_text (json, "error", message);
  answer_set_json (answer, json);
  answer->status = status;
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
    return 503; /* Service Unavailable */
  default:
    return 500; /* Internal Server Error */
  }
}

void
answer_refuse_error (Answer *answer, const GError *error)
{
  answer_refuse (answer, status_for (error), error->message);
}
