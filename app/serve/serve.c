/* serve.c - the command "serve"
 *
 * Main only watches the clock; requests and jobs have threads of their own.
 */
#include "app/command.h"
#include "app/cli/commandline.h"
#include "app/files/files.h"
#include "app/files/picturelist.h"
#include "app/cli/interrupt.h"
#include "app/cli/jsonreport.h"
#include "app/serve/browser.h"
#include "app/serve/certificate.h"
#include "app/serve/network.h"
#include "app/serve/qrcode.h"
#include "app/serve/routes.h"
#include "app/cli/terminal.h"
#include "app/serve/handler.h"
#include "base/error.h"

#include <malloc.h>
#include <string.h>

static const char about[] = "Examples:\n"
                            "  tessera serve\n"
                            "  tessera serve photo.jpg scans/\n"
                            "  tessera serve --port 8080 --no-open\n"
                            "  tessera serve --host 192.168.1.5\n"
                            "\n"
                            "Opens a page in the browser: drop photographs, "
                            "press Restore, download\n"
                            "the restored pictures.  Pictures and folders "
                            "that are named are open on it\n"
                            "from the start.  The page is "
                            "served to this machine only;\n"
                            "pictures never leave it.  With --host, a phone "
                            "or tablet on the same network\n"
                            "can open it instead, with TLS: scan the code "
                            "that is shown.  Ctrl-C ends\n"
                            "the program.";

typedef struct {
  CommandLine line;
  GInetAddress *host; /* NULL for the loopback interface */
  int port;
  gboolean no_open, ends_with_page;
  OpenPhotosLimits limits;
  int idle;

  Certificate certificate; /* of the host */
  ServeContext context;
  Server *server;
  guint ticks;
} Serve;

/* Blocks of memory of this size go back to the system as soon as they are
 * freed; what smaller ones leave is handed back now and then. */
#define LARGE_BLOCK (1024 * 1024)
#define TICKS_BETWEEN_TRIMS 5

/* A folder that exists, added to a GPtrArray of absolute paths; may be given
 * several times. */
static gboolean
option_folder (const Option *option, const char *text, GError **error)
{
  if (!g_file_test (text, G_FILE_TEST_IS_DIR))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "'%s' is not a folder", text);
  g_ptr_array_add (option->value, g_canonicalize_filename (text, NULL));
  return TRUE;
}

/* The IP address of this machine in one network, into a GInetAddress *. */
static gboolean
option_address (const Option *option, const char *text, GError **error)
{
  GInetAddress **address = option->value;
  g_autofree char *own = network_own_addresses ();

  g_clear_object (address);
  *address = g_inet_address_new_from_string (text);
  if (*address == NULL || g_inet_address_get_is_any (*address))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "'%s' is not one IP address; this machine has %s",
                         text, *own != '\0' ? own : "none in a network");
  return TRUE;
}

/* Pictures that are open on the page from the start. */
static gboolean
find_given (Serve *serve, GError **error)
{
  char **arguments = serve->line.arguments;

  serve->context.given =
    arguments == NULL || arguments[0] == NULL
      ? g_ptr_array_new_with_free_func (g_free)
      : picture_list_find (arguments, error);
  return serve->context.given != NULL;
}

static gboolean
parse (Serve *serve, char **argv, GError **error)
{
  CommandLine *line = &serve->line;
  const Option rows[] = {
    { "host", 0, "ADDRESS",
      "serve to the network of this address, with TLS", option_address,
      .value = &serve->host },
    { "port", 0, "N", "port to listen on (any free one)", option_int,
      .value = &serve->port, .min = 0, .max = G_MAXUINT16 },
    { "no-open", 0, NULL, "do not open a browser", option_flag,
      .value = &serve->no_open },
    { "end-with-page", 0, NULL, "end some time after the page was closed",
      option_flag, .value = &serve->ends_with_page },
    { "idle", 0, "SECONDS", "close unused pictures after this time (180)",
      option_int, .value = &serve->idle, .min = 1, .max = 86400 },
    { "max-pictures", 0, "N", "most pictures open at the same time (1000)",
      option_int, .value = &serve->limits.most_photos, .min = 1, .max = 1000 },
    { "folder", 0, "DIR", "a folder of pictures that the page may compare on",
      option_folder, .value = serve->context.folders },
  };

  line->usage = "[PICTURE|DIR...]";
  line->about = about;
  line->max_arguments = G_MAXINT;
  line->common = COMMON_LIMITS;
  command_line_add (line, rows, G_N_ELEMENTS (rows));
  if (!command_line_parse (line, argv, error))
    return FALSE;
  if (!line->answered && !find_given (serve, error))
    return FALSE;
  serve->limits.image = line->limits;
  serve->limits.idle_seconds = serve->idle;
  return TRUE;
}

/* ---- what is served ---- */

static gboolean
context_init (ServeContext *context, const OpenPhotosLimits *limits,
              GError **error)
{
  context->folder = work_folder_new (error);
  if (context->folder == NULL)
    return FALSE;
  context->ending = g_object_ref (interrupt_cancellable ());
  context->photos = open_photos_new (limits);
  context->dictionaries = dictionary_list_new (error);
  context->mend_jobs = job_queue_new ();
  context->learn_jobs = job_queue_new ();
  return context->dictionaries != NULL;
}

static void
context_clear (ServeContext *context)
{
  job_queue_free (context->mend_jobs);
  job_queue_free (context->learn_jobs);
  open_photos_free (context->photos);
  dictionary_list_free (context->dictionaries);
  work_folder_free (context->folder);
  g_ptr_array_unref (context->folders);
  g_clear_pointer (&context->given, g_ptr_array_unref);
  access_clear (&context->access);
  g_clear_object (&context->ending);
}

/* Listens where it was asked to; with a certificate, if that is a host. */
static gboolean
listen_somewhere (Serve *serve, GError **error)
{
  g_autoptr (GInetAddress) loopback =
    g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autofree char *host =
    serve->host != NULL ? network_host_of (serve->host) : NULL;

  serve->server = server_new (serve->host != NULL ? serve->host : loopback,
                              &serve->port, error);
  if (serve->server == NULL)
    return FALSE;
  access_init (&serve->context.access, host, serve->port);
  return serve->host == NULL
         || certificate_load (&serve->certificate, serve->host, error);
}

static gboolean
start (Serve *serve, GError **error)
{
  ServerHandlers handlers = { routes_know, routes_admit, routes_respond,
                              &serve->context };

  serve->context.seen = serve_seconds ();
  mallopt (M_MMAP_THRESHOLD, LARGE_BLOCK);
  return listen_somewhere (serve, error)
         && context_init (&serve->context, &serve->limits, error)
         && server_start (serve->server, &handlers, serve->certificate.pem,
                          error);
}

/* ---- the address ---- */

/* For people who are about to open the page on another machine. */
static void
introduce (const Serve *serve, const char *address)
{
  QrCode code;

  terminal_note ("the page is open to the network: whoever opens the address "
                 "below first can see and change your pictures");
  terminal_result ("The browser will warn that it does not know the "
                   "certificate.  Go on if its");
  terminal_result ("SHA-256 fingerprint is this:");
  terminal_result ("  %.48s", serve->certificate.fingerprint);
  terminal_result ("  %s", serve->certificate.fingerprint + 48);
  if (qr_code_make (&code, address)) {
    g_autofree char *drawing = qr_code_draw (&code);

    terminal_print_drawing (drawing, qr_code_columns (&code));
  }
}

static gboolean
print_address (const Serve *serve, const char *address, GError **error)
{
  g_autofree char *text = g_strconcat (address, "\n", NULL);
  g_autoptr (JsonObject) json = NULL;

  if (!serve->line.json) {
    if (serve->host != NULL)
      introduce (serve, address);
    terminal_result (
      "The page is at the address below; Ctrl-C ends the program.");
    return stdout_write (text, strlen (text), error);
  }
  json = json_object_new ();
  json_report_set_text (json, "address", address);
  json_report_set_count (json, "port", (guint64) serve->port);
  json_report_set_text (json, "fingerprint",
                        serve->host != NULL ? serve->certificate.fingerprint
                                            : NULL);
  return json_report_print (json, error);
}

static gboolean
announce (const Serve *serve, GError **error)
{
  g_autofree char *address = access_address (&serve->context.access);

  if (!print_address (serve, address, error))
    return FALSE;
  /* The token is good for one browser: that of the other machine. */
  if (!serve->no_open && serve->host == NULL)
    browser_open (serve->context.folder, address);
  return TRUE;
}

/* ---- until Ctrl-C ---- */

static gboolean
on_tick (gpointer data)
{
  Serve *serve = data;

  server_tick (serve->server);
  open_photos_close_idle (serve->context.photos, serve_close_photo,
                          &serve->context);
  if (serve->ends_with_page
      && serve_seconds () - g_atomic_int_get (&serve->context.seen)
           > serve->limits.idle_seconds)
    g_cancellable_cancel (interrupt_cancellable ());
  if (serve->ticks++ % TICKS_BETWEEN_TRIMS == 0)
    malloc_trim (0);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_interrupt (GCancellable *cancellable, gpointer data)
{
  (void) cancellable;
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

static void
wait_for_end (Serve *serve)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GSource) interrupted =
    g_cancellable_source_new (interrupt_cancellable ());

  interrupt_be_patient ();
  g_source_set_callback (interrupted, (GSourceFunc) (void *) on_interrupt,
                         loop, NULL);
  g_source_attach (interrupted, NULL);
  g_timeout_add_seconds (1, on_tick, serve);
  g_main_loop_run (loop);
}

static gboolean
run (char **argv, GError **error)
{
  Serve serve = { .limits = open_photos_limits_default () };
  gboolean ok;

  serve.idle = (int) serve.limits.idle_seconds;
  serve.context.folders = g_ptr_array_new_with_free_func (g_free);
  command_line_init (&serve.line);
  ok = parse (&serve, argv, error);
  if (ok && !serve.line.answered) {
    ok = start (&serve, error) && announce (&serve, error);
    if (ok)
      wait_for_end (&serve);
  }
  server_free (serve.server);
  certificate_clear (&serve.certificate);
  g_clear_object (&serve.host);
  context_clear (&serve.context);
  command_line_clear (&serve.line);
  return ok;
}

const Command command_serve = {
  .name = "serve",
  .summary = "restore photographs on a page in the browser",
  .run = run
};
