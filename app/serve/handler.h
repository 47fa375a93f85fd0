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
#include "app/serve/workfolder.h"

#define MAX_STARS 2

typedef struct {
  Access access;
  OpenPhotos *photos;
  DictionaryList *dictionaries;
  JobQueue *mend_jobs;  /* work on photographs, in this process */
  JobQueue *learn_jobs; /* learning and comparing, in processes of their own */
  WorkFolder *folder;
} ServeContext;

typedef struct {
  ServeContext *context;
  const Request *request;
  const char *stars[MAX_STARS];
} HandlerCall;

typedef gboolean (*HandlerFunc) (const HandlerCall *call, Response *response,
                                 GError **error);

/* A number in the query, within @min .. @max; @value stays as it is where
 * there is none.  FALSE with @error set (USAGE) for anything else. */
gboolean call_int (const HandlerCall *call, const char *name, int min, int max,
                   int *value, GError **error);

gboolean call_real (const HandlerCall *call, const char *name, double min,
                    double max, double *value, GError **error);

/* One of @choices in the query: its number.  USAGE likewise. */
gboolean call_choice (const HandlerCall *call, const char *name,
                      const char *const *choices, int *value, GError **error);

/* The file name that the query gives, made harmless: without folders, control
 * characters and excess length.  The caller owns it. */
char *call_file_name (const HandlerCall *call);

/* { "job": NUMBER } if @job is not 0. */
gboolean respond_job (Response *response, guint job);

/* {}: it is done. */
void respond_done (Response *response);

/* @image as a file of that format. */
gboolean respond_picture (Response *response, const Image *image,
                          ImageFormat format, const EncodeOptions *options,
                          GError **error);

/* handle_page.c */
gboolean handle_get_file (const HandlerCall *call, Response *response,
                          GError **error);
gboolean handle_post_session (const HandlerCall *call, Response *response,
                              GError **error);
gboolean handle_get_about (const HandlerCall *call, Response *response,
                           GError **error);

/* handle_photos.c */
gboolean handle_post_photo (const HandlerCall *call, Response *response,
                            GError **error);
gboolean handle_get_photo (const HandlerCall *call, Response *response,
                           GError **error);
gboolean handle_delete_photo (const HandlerCall *call, Response *response,
                              GError **error);
gboolean handle_get_view (const HandlerCall *call, Response *response,
                          GError **error);
gboolean handle_get_picture (const HandlerCall *call, Response *response,
                             GError **error);
gboolean handle_get_found (const HandlerCall *call, Response *response,
                           GError **error);
gboolean handle_post_mask_picture (const HandlerCall *call, Response *response,
                                   GError **error);
gboolean handle_post_mask_runs (const HandlerCall *call, Response *response,
                                GError **error);

/* Forgets a photograph and stops the work on it. */
void serve_close_photo (const char *id, gpointer context);

/* handle_jobs.c */
gboolean handle_post_mending (const HandlerCall *call, Response *response,
                              GError **error);
gboolean handle_get_job (const HandlerCall *call, Response *response,
                         GError **error);
gboolean handle_delete_job (const HandlerCall *call, Response *response,
                            GError **error);

/* handle_dictionaries.c */
gboolean handle_get_dictionaries (const HandlerCall *call, Response *response,
                                  GError **error);
gboolean handle_post_dictionary (const HandlerCall *call, Response *response,
                                 GError **error);
gboolean handle_get_mosaic (const HandlerCall *call, Response *response,
                            GError **error);
gboolean handle_get_dictionary (const HandlerCall *call, Response *response,
                                GError **error);
gboolean handle_post_training (const HandlerCall *call, Response *response,
                               GError **error);
gboolean handle_delete_training (const HandlerCall *call, Response *response,
                                 GError **error);
gboolean handle_post_learning (const HandlerCall *call, Response *response,
                               GError **error);
gboolean handle_post_comparison (const HandlerCall *call, Response *response,
                                 GError **error);
gboolean handle_get_report (const HandlerCall *call, Response *response,
                            GError **error);
