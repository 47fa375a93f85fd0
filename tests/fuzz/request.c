/* request.c - what a page, or an attacker in its place, may send
 *
 * The bytes are a request as a text:
 *
 *     POST /api/photos/@/jobs?task=fill&quality=fast
 *     Name: value
 *
 *     the body
 *
 * @ in a path stands for a picture that is open.  Host and key are ours where
 * the text names none.  There is no network: this file takes the place of
 * server.c and hands requests to the routes.  The queues are held up by a job
 * that never ends, so that work is accepted and dropped, not done.
 */
#include "tests/fuzz/fuzz.h"

#include "app/serve/handler.h"
#include "app/serve/routes.h"

#define PORT 8080
#define HOST "127.0.0.1:8080"

/* Small, for the sake of speed. */
#define MOST_PIXELS (128 * 128)
#define SIDE 16

static ServeContext context;
static Photo *open_photo;

/* ---- a request without a network ---- */

typedef struct {
  char *method, *path;
  GHashTable *headers, *arguments;
} Call;

const char *
request_header (const Request *request, const char *name)
{
  const Call *call = request->connection;
  const char *value = g_hash_table_lookup (call->headers, name);

  if (value == NULL && g_str_equal (name, "Host"))
    return HOST;
  if (value == NULL && g_str_equal (name, "X-Tessera-Key"))
    return context.access.key;
  return value;
}

const char *
request_argument (const Request *request, const char *name)
{
  const Call *call = request->connection;

  return g_hash_table_lookup (call->arguments, name);
}

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
}

/* Fills @table from NAME SEPARATOR VALUE of each of @texts. */
static void
read_pairs (GHashTable *table, char **texts, const char *separator)
{
  for (; texts != NULL && *texts != NULL; texts++) {
    g_auto (GStrv) pair = g_strsplit (*texts, separator, 2);

    if (pair[0] != NULL && pair[1] != NULL)
      g_hash_table_insert (table, g_strdup (pair[0]),
                           g_uri_unescape_string (pair[1], NULL));
  }
}

/* Reads a first line: METHOD PATH?QUERY. */
static void
read_target (Call *call, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 2);
  g_auto (GStrv) parts =
    g_strsplit (words[0] != NULL && words[1] != NULL ? words[1] : "/", "?", 2);
  g_auto (GStrv) around =
    g_strsplit (parts[0] != NULL ? parts[0] : "/", "@", 2);
  g_auto (GStrv) arguments = NULL;

  call->method = g_strdup (words[0] != NULL ? words[0] : "GET");
  call->path = g_strjoinv (photo_id (open_photo), around);
  if (parts[0] != NULL && parts[1] != NULL)
    arguments = g_strsplit (parts[1], "&", -1);
  read_pairs (call->arguments, arguments, "=");
}

static void
read_head (Call *call, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", 20);

  call->headers = new_table ();
  call->arguments = new_table ();
  read_target (call, lines[0] != NULL ? lines[0] : "");
  if (lines[0] != NULL)
    read_pairs (call->headers, lines + 1, ": ");
}

static void
call_clear (Call *call)
{
  g_free (call->method);
  g_free (call->path);
  g_hash_table_unref (call->headers);
  g_hash_table_unref (call->arguments);
}

/* ---- what is served ---- */

static gboolean
wait_for_ever (gpointer data, const Progress *progress, GError **error)
{
  (void) data;
  while (progress_step (progress, 0, error))
    g_usleep (G_USEC_PER_SEC);
  return FALSE;
}

static void
keep (gpointer data)
{
  (void) data;
}

static JobQueue *
blocked_queue (void)
{
  static const JobClass class = { .run = wait_for_ever, .free = keep };
  JobQueue *queue = job_queue_new ();

  job_queue_add (queue, "blocker", &class, NULL, NULL);
  return queue;
}

static Photo *
open_black_photo (void)
{
  g_autoptr (Image) image = image_new (SIDE, SIDE, 3, 8, NULL);
  g_autoptr (GBytes) bytes =
    image_encode (image, TESSERA_PNG, &ENCODE_DEFAULTS, NULL);

  return open_photos_open (context.photos, "black.png", bytes, NULL);
}

static void
remove_folder (void)
{
  work_folder_free (context.folder);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  OpenPhotosLimits limits = open_photos_limits_default ();

  (void) argc, (void) argv;
  limits.image.max_pixels = MOST_PIXELS;
  limits.idle_seconds = -1; /* all are forgotten at once */
  context.folder = work_folder_new (NULL);
  atexit (remove_folder);
  context.folders = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (context.folders, g_strdup ("/tmp"));
  context.photos = open_photos_new (&limits);
  context.dictionaries = dictionary_list_new (NULL);
  context.mend_jobs = blocked_queue ();
  context.learn_jobs = blocked_queue ();
  access_init (&context.access, NULL, PORT);
  open_photo = open_black_photo ();
  return 0;
}

static void
stop_work (const char *id, gpointer data)
{
  (void) data;
  job_queue_cancel_owner (context.mend_jobs, id);
}

/* Undoes what @call may have done, so that each finds the same. */
static void
start_over (const Call *call)
{
  open_photos_close_idle (context.photos, stop_work, NULL);
  photo_unref (open_photo);
  open_photo = open_black_photo ();
  job_queue_cancel_owner (context.learn_jobs, "studies");
  if (g_str_has_prefix (call->path, "/api/training"))
    work_folder_clear_pictures (context.folder);
}

static void
answer_call (Call *call, GBytes *body)
{
  Request request = { .method = call->method,
                      .path = call->path,
                      .connection = call };
  g_auto (Response) response = { 0 };
  gsize max_body = 0;

  if (routes_admit (&request, &max_body, &response, &context)) {
    request.body = body;
    if (g_bytes_get_size (body) > max_body)
      return; /* the server does not hand it on */
    routes_respond (&request, &response, &context);
  }
  fuzz_must (response.body != NULL);
  fuzz_must (response.type != NULL);
  fuzz_must (response.status == 200
             || (response.status >= 400 && response.status <= 503));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const uint8_t *end = memmem (data, size, "\n\n", 2);
  gsize head_size = end != NULL ? (gsize) (end - data) : size;
  g_autofree char *head = g_strndup ((const char *) data, head_size);
  g_autoptr (GBytes) body = end != NULL
                              ? g_bytes_new (end + 2, size - head_size - 2)
                              : g_bytes_new (NULL, 0);
  Call call;

  read_head (&call, head);
  answer_call (&call, body);
  start_over (&call);
  call_clear (&call);
  return 0;
}
