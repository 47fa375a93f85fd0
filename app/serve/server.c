#include "app/serve/server.h"

#include "app/serve/deadlines.h"
#include "app/serve/network.h"
#include "base/error.h"
#include "imaging/codec/bytesink.h"

#include <errno.h>
#include <microhttpd.h>
#include <semaphore.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What clients may take up.  A browser opens six connections; the rest is for
 * clients that open many. */
#define MOST_CONNECTIONS 512
#define BACKLOG 128
#define IDLE_SECONDS 30     /* without a byte in either direction */
#define HEADER_SECONDS 60   /* from the connection to the end of a header */
#define REQUEST_SECONDS 300 /* from there to the end of the answer */
#define MOST_STRANGERS 64   /* connections on which no key was shown */
#define STRANGER_SECONDS 15 /* for a header, and for a request */
#define HEADER_BYTES (64 * 1024)
#define STACK_BYTES (1024 * 1024)
#define MOST_HANDLERS 16 /* requests that are answered at a time */

#define TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* Bytes of all bodies, in and out, together. */
#define MOST_BYTES ((gssize) 2 << 30)

/* A refused body of up to this size is still read: closing a connection while
 * the client writes would lose the response. */
#define MOST_DRAINED ((guint64) 16 << 20)

struct Server {
  int fd;
  struct MHD_Daemon *daemon;
  ServerHandlers handlers;
  Deadlines *deadlines;
  sem_t handlers_left;
  gssize held; /* bytes of bodies; atomic */
};

/* One request and its answer. */
typedef struct {
  Server *server;
  Request request;
  Response response;
  gboolean known;   /* the key was shown */
  gboolean refused; /* the response is known before the body arrives */
  gsize max_body;
  ByteSink body;
  guint64 drained; /* bytes of a refused body */
  gssize held;     /* bytes that this one has of those of the server */
} Exchange;

/* FALSE if there is no room for so many bytes more. */
static gboolean
hold (Exchange *exchange, gsize size)
{
  Server *server = exchange->server;

  if (g_atomic_pointer_add (&server->held, (gssize) size)
      > MOST_BYTES - (gssize) size) {
    g_atomic_pointer_add (&server->held, -(gssize) size);
    return FALSE;
  }
  exchange->held += (gssize) size;
  return TRUE;
}

/* ---- requests ---- */

const char *
request_header (const Request *request, const char *name)
{
  return MHD_lookup_connection_value (request->connection, MHD_HEADER_KIND,
                                      name);
}

const char *
request_argument (const Request *request, const char *name)
{
  return MHD_lookup_connection_value (request->connection,
                                      MHD_GET_ARGUMENT_KIND, name);
}

/* The length that the client announced, 0 for none. */
static guint64
announced_length (const Request *request)
{
  const char *text = request_header (request, "Content-Length");
  guint64 length = 0;

  if (text != NULL
      && !g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &length, NULL))
    length = G_MAXUINT64;
  return length;
}

static void
refuse_size (Exchange *exchange)
{
  g_autofree char *message = g_strdup_printf (
    "too large: at most %" G_GSIZE_FORMAT " bytes are accepted here",
    exchange->max_body);

  exchange->refused = TRUE;
  response_refuse (&exchange->response, 413, message);
}

static void
refuse_crowd (Exchange *exchange)
{
  exchange->refused = TRUE;
  response_refuse (&exchange->response, 503,
                   "too many transfers in progress; try again later");
}

static void
begin (Exchange *exchange)
{
  Server *server = exchange->server;
  guint64 length = announced_length (&exchange->request);

  exchange->refused =
    !server->handlers.admit (&exchange->request, &exchange->max_body,
                             &exchange->response, server->handlers.data);
  if (exchange->refused)
    return;
  if (length > exchange->max_body)
    refuse_size (exchange);
  else if ((gssize) length
           > MOST_BYTES - (gssize) g_atomic_pointer_get (&server->held))
    refuse_crowd (exchange);
}

/* Keeps a piece of the body.  FALSE to cut the connection, which is all that
 * can be done about a body that turns out to be too large on the way. */
static gboolean
take_piece (Exchange *exchange, const char *data, gsize size)
{
  gsize room = exchange->max_body - exchange->body.size;

  if (exchange->refused) {
    exchange->drained += size;
    return exchange->drained <= MOST_DRAINED;
  }
  return size <= room && hold (exchange, size)
         && byte_sink_append (&exchange->body, data, size);
}

static void
exchange_free (Exchange *exchange)
{
  g_atomic_pointer_add (&exchange->server->held, -exchange->held);
  g_clear_pointer (&exchange->request.body, g_bytes_unref);
  byte_sink_clear (&exchange->body);
  response_clear (&exchange->response);
  g_free (exchange);
}

/* ---- answers ---- */

/* Scripts and styles come from this server only and nothing goes elsewhere.
 * A report has its scripts inside, but is shown without an origin, and so
 * cannot ask this server for anything but its own pictures. */
static const char *const policies[] = {
  [RESPONSE_DATA] = "default-src 'none'; frame-ancestors 'none'; sandbox",
  [RESPONSE_PAGE] =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' blob: data:; connect-src 'self'; frame-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  [RESPONSE_REPORT] =
    "default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts "
    "allow-downloads",
};

static void
add_headers (struct MHD_Response *message, const Response *response)
{
  const char *const headers[][2] = {
    { "Content-Type", response->type },
    { "Content-Security-Policy", policies[response->kind] },
    { "X-Content-Type-Options", "nosniff" },
    { "Referrer-Policy", "no-referrer" },
    { "Cache-Control", "no-store" },
    { "Cross-Origin-Opener-Policy", "same-origin" },
    /* Pictures of a report are asked for by a frame without an origin. */
    { "Cross-Origin-Resource-Policy",
      response->kind == RESPONSE_REPORT ? "cross-origin" : "same-origin" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (headers); i++)
    MHD_add_response_header (message, headers[i][0], headers[i][1]);
}

static void
free_bytes (void *bytes)
{
  g_bytes_unref (bytes);
}

static enum MHD_Result
send_response (struct MHD_Connection *connection, const Response *response)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (response->body, &size);
  struct MHD_Response *message =
    MHD_create_response_from_buffer_with_free_callback_cls (
      size, (void *) data, free_bytes, g_bytes_ref (response->body));
  enum MHD_Result result;

  if (message == NULL) {
    g_bytes_unref (response->body);
    return MHD_NO;
  }
  add_headers (message, response);
  result = MHD_queue_response (connection, response->status, message);
  MHD_destroy_response (message);
  return result;
}

/* ---- what libmicrohttpd calls ---- */

/* The socket of a connection, -1 if there is none. */
static int
socket_of (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info =
    MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD);

  return info != NULL ? info->connect_fd : -1;
}

static void
set_deadline (Server *self, struct MHD_Connection *connection, int seconds)
{
  int fd = socket_of (connection);

  if (fd >= 0)
    deadlines_set (self->deadlines, connection, fd, seconds);
}

static void
set_stranger (Server *self, struct MHD_Connection *connection)
{
  int fd = socket_of (connection);

  if (fd >= 0)
    deadlines_set_stranger (self->deadlines, connection, fd, STRANGER_SECONDS,
                            MOST_STRANGERS);
}

static void
on_connection (void *data, struct MHD_Connection *connection, void **context,
               enum MHD_ConnectionNotificationCode code)
{
  Server *self = data;

  (void) context;
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    set_stranger (self, connection);
  else
    deadlines_remove (self->deadlines, connection);
}

static void
on_completed (void *data, struct MHD_Connection *connection, void **context,
              enum MHD_RequestTerminationCode code)
{
  Exchange *exchange = *context;

  (void) code;
  if (exchange != NULL && exchange->known)
    set_deadline (data, connection, HEADER_SECONDS);
  else
    set_stranger (data, connection);
  if (exchange != NULL)
    exchange_free (exchange);
  *context = NULL;
}

/* A word with a zero byte in it means nothing to us, not even its start. */
static size_t
unescape (void *data, struct MHD_Connection *connection, char *text)
{
  gsize length = MHD_http_unescape (text);

  (void) data;
  (void) connection;
  if (strlen (text) == length)
    return length;
  text[0] = '\0';
  return 0;
}

static enum MHD_Result
on_header (Server *self, struct MHD_Connection *connection, const char *path,
           const char *method, void **context)
{
  Exchange *exchange = g_new0 (Exchange, 1);
  guint64 length;

  *context = exchange;
  exchange->server = self;
  exchange->request =
    (Request){ .method = method, .path = path, .connection = connection };
  exchange->known =
    self->handlers.knows (&exchange->request, self->handlers.data);
  if (exchange->known)
    set_deadline (self, connection, REQUEST_SECONDS);
  else
    set_stranger (self, connection);
  begin (exchange);
  length = announced_length (&exchange->request);
  if (exchange->refused && length > MOST_DRAINED)
    return send_response (connection, &exchange->response);
  return MHD_YES;
}

static enum MHD_Result
on_end (Exchange *exchange, struct MHD_Connection *connection)
{
  const ServerHandlers *handlers = &exchange->server->handlers;

  exchange->request.body = byte_sink_finish (&exchange->body);
  if (!exchange->refused) {
    while (sem_wait (&exchange->server->handlers_left) != 0)
      ;
    handlers->respond (&exchange->request, &exchange->response,
                       handlers->data);
    sem_post (&exchange->server->handlers_left);
  }
  if (!hold (exchange, g_bytes_get_size (exchange->response.body)))
    refuse_crowd (exchange);
  return send_response (connection, &exchange->response);
}

/* Called when the header has come, for each piece of the body, and at its
 * end. */
static enum MHD_Result
on_request (void *data, struct MHD_Connection *connection, const char *path,
            const char *method, const char *version, const char *piece,
            size_t *piece_size, void **context)
{
  Exchange *exchange = *context;
  gsize size = *piece_size;

  (void) version;
  if (exchange == NULL)
    return on_header (data, connection, path, method, context);
  if (size == 0)
    return on_end (exchange, connection);
  *piece_size = 0;
  return take_piece (exchange, piece, size) ? MHD_YES : MHD_NO;
}

/* ---- the server ---- */

static gboolean
set_no_port (GInetAddress *address, int port, GError **error)
{
  int code = errno;
  g_autofree char *name = g_inet_address_to_string (address);
  g_autofree char *own = network_own_addresses ();

  if (code == EADDRNOTAVAIL || code == EINVAL)
    return tessera_fail (error, TESSERA_ERROR_FAILED,
                         "%s is not an address of this machine; it has %s",
                         name, *own != '\0' ? own : "none in a network");
  return tessera_fail (
    error, TESSERA_ERROR_FAILED,
    "port %d cannot be used: %s; choose another one with --port", port,
    g_strerror (code));
}

/* Binds to @address and says which port that is. */
static gboolean
open_port (int fd, GInetAddress *address, int *port, GError **error)
{
  g_autoptr (GSocketAddress) place =
    g_inet_socket_address_new (address, (guint16) *port);
  g_autoptr (GSocketAddress) taken = NULL;
  struct sockaddr_storage native;
  socklen_t size = sizeof native;
  int on = 1;

  /* The port of a server that has just ended may be taken again. */
  setsockopt (fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!g_socket_address_to_native (place, &native, sizeof native, error))
    return FALSE;
  if (bind (fd, (struct sockaddr *) &native,
            (socklen_t) g_socket_address_get_native_size (place))
        != 0
      || listen (fd, BACKLOG) != 0
      || getsockname (fd, (struct sockaddr *) &native, &size) != 0)
    return set_no_port (address, *port, error);
  taken = g_socket_address_new_from_native (&native, size);
  *port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (taken));
  return TRUE;
}

Server *
server_new (GInetAddress *address, int *port, GError **error)
{
  g_autoptr (Server) self = g_new0 (Server, 1);

  self->deadlines = deadlines_new ();
  sem_init (&self->handlers_left, 0, MOST_HANDLERS);
  self->fd = socket ((int) g_inet_address_get_family (address),
                     SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (self->fd < 0) {
    set_no_port (address, *port, error);
    return NULL;
  }
  return open_port (self->fd, address, port, error) ? g_steal_pointer (&self)
                                                    : NULL;
}

/* FALSE where libmicrohttpd was built without TLS. */
static gboolean
has_tls (GError **error)
{
  return MHD_is_feature_supported (MHD_FEATURE_TLS) == MHD_YES
         || tessera_fail (error, TESSERA_ERROR_FAILED,
                          "libmicrohttpd was built without TLS, which --host "
                          "needs");
}

gboolean
server_start (Server *self, const ServerHandlers *handlers, const char *pem,
              GError **error)
{
  const struct MHD_OptionItem with_tls[] = {
    { MHD_OPTION_HTTPS_MEM_KEY, 0, (void *) pem },
    { MHD_OPTION_HTTPS_MEM_CERT, 0, (void *) pem },
    { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *) TLS_PRIORITIES },
    { MHD_OPTION_END, 0, NULL },
  };
  const struct MHD_OptionItem without[] = { { MHD_OPTION_END, 0, NULL } };

  if (pem != NULL && !has_tls (error))
    return FALSE;
  self->handlers = *handlers;
  self->daemon = MHD_start_daemon (
    MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD
      | MHD_USE_POLL | (pem != NULL ? MHD_USE_TLS : 0),
    0, NULL, NULL, on_request, self, MHD_OPTION_LISTEN_SOCKET, self->fd,
    MHD_OPTION_CONNECTION_LIMIT, (unsigned int) MOST_CONNECTIONS,
    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int) IDLE_SECONDS,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) HEADER_BYTES,
    MHD_OPTION_THREAD_STACK_SIZE, (size_t) STACK_BYTES,
    MHD_OPTION_NOTIFY_CONNECTION, on_connection, self,
    MHD_OPTION_NOTIFY_COMPLETED, on_completed, self,
    MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL, MHD_OPTION_ARRAY,
    pem != NULL ? with_tls : without, MHD_OPTION_END);
  if (self->daemon == NULL) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_FAILED,
                 "the server cannot be started: %s", g_strerror (errno));
    return FALSE;
  }
  self->fd = -1; /* the daemon's from now on */
  return TRUE;
}

void
server_tick (Server *self)
{
  deadlines_enforce (self->deadlines);
}

void
server_free (Server *self)
{
  if (self == NULL)
    return;
  if (self->daemon != NULL)
    MHD_stop_daemon (self->daemon);
  if (self->fd >= 0)
    close (self->fd);
  deadlines_free (self->deadlines);
  sem_destroy (&self->handlers_left);
  g_free (self);
}
