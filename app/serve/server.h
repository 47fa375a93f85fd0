/* server.h - HTTP, by libmicrohttpd: on the loopback interface, or with TLS on
 * an address that other machines can reach
 *
 * Each connection has a thread, so that a handler may take its time.  What a
 * client can use up is bounded: connections, time, and the bytes of bodies, of
 * one request and of all together.
 */
#pragma once

#include "app/serve/response.h"

#include <gio/gio.h>

typedef struct Server Server;

typedef struct {
  const char *method, *path;
  GBytes *body;        /* NULL before it has come */
  gpointer connection; /* for the functions below */
} Request;

/* A header, or an argument of the query; NULL where there is none. */
const char *request_header (const Request *request, const char *name);
const char *request_argument (const Request *request, const char *name);

typedef struct {
  /* Whether the request shows that its sender may be here.  Connections on
   * which none has are few and short. */
  gboolean (*knows) (const Request *request, gpointer data);

  /* Looks at a request before its body is read.  Sets @max_body to the most
   * bytes that it may have, or fills in @response and returns FALSE. */
  gboolean (*admit) (const Request *request, gsize *max_body,
                     Response *response, gpointer data);

  /* Fills in @response. */
  void (*respond) (const Request *request, Response *response, gpointer data);

  gpointer data;
} ServerHandlers;

/* Starts to listen on @address.  @port is 0 for any that is free; the one
 * taken is put there.  Nothing is answered before server_start(). */
Server *server_new (GInetAddress *address, int *port, GError **error);

/* @pem has the key and the certificate for TLS, and stays as it is as long as
 * the server runs; NULL for none. */
gboolean server_start (Server *self, const ServerHandlers *handlers,
                       const char *pem, GError **error);

/* Cuts connections that take too long.  To be called every second or so. */
void server_tick (Server *self);

/* Waits for the requests that are being answered.  @self may be NULL. */
void server_free (Server *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Server, server_free)
