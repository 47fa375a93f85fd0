/* handler.h - what the handlers of requests share
 *
 * A handler gets the request and the words that stood for the stars of its
 * route.  It fills in the answer, or returns FALSE with @error set.
 * Handlers run in many threads at a time.
 */
#pragma once

#include "app/serve/openphotos.h"
#include "app/serve/access.h"
#include "app/serve/jobqueue.h"
#include "app/serve/server.h"
#include "app/serve/dictionarylist.h"
#include "app/serve/workspace.h"

#define MOST_STARS 2

typedef struct {
  Guard guard;
  Album *album;
  Shelf *shelf;
  JobQueue *mending; /* work on photographs, in this process */
  JobQueue *studies; /* learning and comparing, in processes of their own */
  Studio *studio;
} Web;

typedef struct {
  Web *web;
  const Request *request;
  const char *stars[MOST_STARS];
} WebCall;

typedef gboolean (*WebHandler) (const WebCall *call, Answer *answer,
                                GError **error);

/* A number in the query, within @min .. @max; @value stays as it is where
 * there is none.  FALSE with @error set (USAGE) for anything else. */
gboolean web_int (const WebCall *call, const char *name, int min, int max,
                  int *value, GError **error);

gboolean web_real (const WebCall *call, const char *name, double min,
                   double max, double *value, GError **error);

/* One of @choices in the query: its number.  USAGE likewise. */
gboolean web_choice (const WebCall *call, const char *name,
                     const char *const *choices, int *value, GError **error);

/* The file name that the query gives, made harmless: without folders, control
 * characters and excess length.  The caller owns it. */
char *web_file_name (const WebCall *call);

/* { "job": NUMBER } if @job is not 0. */
gboolean web_answer_job (Answer *answer, guint job);

/* {}: it is done. */
void web_answer_done (Answer *answer);

/* @image as a file of that format. */
gboolean web_answer_picture (Answer *answer, const Image *image,
                             ImageFormat format, const EncodeOptions *options,
                             GError **error);

/* webpage.c */
gboolean web_get_file (const WebCall *call, Answer *answer, GError **error);
gboolean web_post_session (const WebCall *call, Answer *answer,
                           GError **error);
gboolean web_get_about (const WebCall *call, Answer *answer, GError **error);

/* webphotos.c */
gboolean web_post_photo (const WebCall *call, Answer *answer, GError **error);
gboolean web_get_photo (const WebCall *call, Answer *answer, GError **error);
gboolean web_delete_photo (const WebCall *call, Answer *answer,
                           GError **error);
gboolean web_get_view (const WebCall *call, Answer *answer, GError **error);
gboolean web_get_picture (const WebCall *call, Answer *answer, GError **error);
gboolean web_get_found (const WebCall *call, Answer *answer, GError **error);
gboolean web_post_mask_picture (const WebCall *call, Answer *answer,
                                GError **error);
gboolean web_post_mask_runs (const WebCall *call, Answer *answer,
                             GError **error);

/* Forgets a photograph and stops the work on it. */
void web_close_photo (const char *id, gpointer web);

/* webjobs.c */
gboolean web_post_mending (const WebCall *call, Answer *answer,
                           GError **error);
gboolean web_get_job (const WebCall *call, Answer *answer, GError **error);
gboolean web_delete_job (const WebCall *call, Answer *answer, GError **error);

/* webstudies.c */
gboolean web_get_dictionaries (const WebCall *call, Answer *answer,
                               GError **error);
gboolean web_post_dictionary (const WebCall *call, Answer *answer,
                              GError **error);
gboolean web_get_mosaic (const WebCall *call, Answer *answer, GError **error);
gboolean web_get_dictionary (const WebCall *call, Answer *answer,
                             GError **error);
gboolean web_post_training (const WebCall *call, Answer *answer,
                            GError **error);
gboolean web_delete_training (const WebCall *call, Answer *answer,
                              GError **error);
gboolean web_post_learning (const WebCall *call, Answer *answer,
                            GError **error);
gboolean web_post_comparison (const WebCall *call, Answer *answer,
                              GError **error);
gboolean web_get_report (const WebCall *call, Answer *answer, GError **error);
