/* handler.h - what the handlers of requests share
 *
 * A handler gets the request and the words that matched the stars of its
 * route.  It fills in the response, or returns FALSE with @error set.
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
#define LARGEST_VIEW 4096 /* pixels on a side */

/* How much harder than it is found noise may be removed. */
#define STRENGTH_MIN 0.1
#define STRENGTH_MAX 10

typedef struct {
  Access access;
  OpenPhotos *photos;
  DictionaryList *dictionaries;
  JobQueue *mend_jobs;  /* work on photographs, in this process */
  JobQueue *learn_jobs; /* learning and comparing, in processes of their own */
  WorkFolder *folder;
  GPtrArray *folders; /* char *: those of the user that may be read */
  GPtrArray *given;   /* char *: pictures that were named at the start */
  gint seen;          /* when the page last asked, in seconds; atomic */
  GCancellable *ending; /* cancelled when the server is to end */
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

/* {}, for success. */
void respond_done (Response *response);

/* @image as a file of that format. */
gboolean respond_picture (Response *response, const Image *image,
                          TesseraFormat format, const EncodeOptions *options,
                          GError **error);

/* The photograph that the path names, for photo_unref(); and its version that
 * the query names, for photo_version_unref().  NULL with @error set. */
Photo *call_photo (const HandlerCall *call, GError **error);
PhotoVersion *call_version (const HandlerCall *call, Photo *photo,
                            GError **error);

/* The part of @image that the query names, all of it by default. */
gboolean call_area (const HandlerCall *call, const Image *image,
                    ImageArea *area, GError **error);

/* A picture to be looked at: JPEG for speed, PNG for what it cannot hold. */
gboolean respond_view (Response *response, const Image *view, GError **error);

/* What a request must bring along. */
typedef enum {
  FOR_VISITORS, /* as below, or a browser is sent to the page by a link */
  FOR_ALL,      /* it comes from our page or the address bar */
  WITH_KEY,     /* and has the key */
  SECRET_PATH,  /* its path is a secret */
} AccessLevel;

/* Most bytes of a body. */
#define BODY_NONE 0
#define BODY_TOKEN 64
#define BODY_RUNS ((gsize) 256 << 20)
#define BODY_DICTIONARY ((gsize) 64 << 20)
#define BODY_PICTURE ((gsize) 512 << 20)

/* A request that the page may send.  A new one is a handler, and a row of the
 * table at the end of its file. */
typedef struct {
  const char *method, *pattern; /* a star stands for any word */
  AccessLevel access;
  gsize max_body;
  HandlerFunc handler;
} Route;

/* The routes of each file, NULL at the end. */
extern const Route page_routes[], photo_routes[], noise_routes[], job_routes[],
  dictionary_routes[];

/* All other paths: files of the page, or "not found". */
extern const Route page_files_route;

/* The monotonic clock in seconds, from the start of the machine. */
gint serve_seconds (void);

/* Forgets a photograph and stops the work on it. */
void serve_close_photo (const char *id, gpointer context);
