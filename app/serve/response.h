/* response.h - the response to a request */
#pragma once

#include <json-glib/json-glib.h>

/* What a browser may do with the content. */
typedef enum {
  RESPONSE_DATA,   /* nothing: it is for our page to read */
  RESPONSE_PAGE,   /* run it, with nothing from anywhere else */
  RESPONSE_REPORT, /* show it in a frame, apart from our page */
} ResponseKind;

typedef struct {
  guint status; /* of HTTP */
  ResponseKind kind;
  const char *type; /* "image/png", static */
  GBytes *body;
} Response;

void response_clear (Response *response);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Response, response_clear)

/* These replace earlier content.  Takes ownership of @body. */
void response_set (Response *response, const char *type, GBytes *body);
void response_set_json (Response *response, JsonObject *json);

/* { "error": MESSAGE } */
void response_refuse (Response *response, guint status, const char *message);

/* The same with the message of @error, and the status its code stands for. */
void response_refuse_error (Response *response, const GError *error);
