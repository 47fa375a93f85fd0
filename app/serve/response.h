/* response.h - what the server says to a request */
#pragma once

#include <json-glib/json-glib.h>

/* What a browser may do with the content. */
typedef enum {
  ANSWER_DATA,   /* nothing: it is for our page to read */
  ANSWER_PAGE,   /* run it, with nothing from anywhere else */
  ANSWER_REPORT, /* show it in a frame, apart from our page */
} AnswerKind;

typedef struct {
  guint status; /* of HTTP */
  AnswerKind kind;
  const char *type; /* "image/png", static */
  GBytes *body;
} Answer;

void answer_clear (Answer *answer);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Answer, answer_clear)

/* These replace what there was.  Takes @body over. */
void answer_set (Answer *answer, const char *type, GBytes *body);
void answer_set_json (Answer *answer, JsonObject *json);

/* { "error": MESSAGE } */
void answer_refuse (Answer *answer, guint status, const char *message);

/* The same with the message of @error, and the status its code stands for. */
void answer_refuse_error (Answer *answer, const GError *error);
