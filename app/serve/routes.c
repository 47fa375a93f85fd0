#include "app/serve/routes.h"

#include "app/serve/handler.h"

#include <string.h>

static const Route *const tables[] = { page_routes, photo_routes, noise_routes,
                                       job_routes, dictionary_routes };

/* Longest valid path. */
#define LONGEST_PATH 256

/* Whether the words of a path are those of @pattern.  @stars receives the
 * words that stars stand for. */
static gboolean
matches (const char *pattern, char **words, const char **stars)
{
  g_auto (GStrv) wanted = g_strsplit (pattern, "/", -1);
  gsize i, count = 0;

  for (i = 0; wanted[i] != NULL && words[i] != NULL; i++)
    if (g_str_equal (wanted[i], "*") && count < MAX_STARS)
      stars[count++] = words[i];
    else if (!g_str_equal (wanted[i], words[i]))
      return FALSE;
  return wanted[i] == NULL && words[i] == NULL;
}

/* NULL, with @response filled in, if there is none. */
static const Route *
find_route (const Request *request, char **words, const char **stars,
            Response *response)
{
  gboolean other_method = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const Route *route = tables[i]; route->method != NULL; route++)
      if (matches (route->pattern, words, stars)) {
        if (g_str_equal (route->method, request->method))
          return route;
        other_method = TRUE;
      }
  if (!other_method && g_str_equal (request->method, "GET"))
    return &page_files_route;
  response_refuse (response, 405, "this method is not allowed here");
  return NULL;
}

/* Whether a browser is about to show the response in a tab of its own. */
static gboolean
is_visit (const Request *request)
{
  return g_strcmp0 (request_header (request, "Sec-Fetch-Mode"), "navigate") == 0
         && g_strcmp0 (request_header (request, "Sec-Fetch-Dest"), "document")
              == 0;
}

static const char *
check_source (const ServeContext *context, const Route *route,
              const Request *request)
{
  RequestSource source = {
    .host = request_header (request, "Host"),
    .origin = request_header (request, "Origin"),
    .site = request_header (request, "Sec-Fetch-Site"),
  };

  if (route->access == SECRET_PATH
      || (route->access == FOR_VISITORS && is_visit (request)))
    return access_check_host (&context->access, source.host);
  return access_check_source (&context->access, &source);
}

/* What is wrong with the request, or NULL. */
static const char *
find_fault (const ServeContext *context, const Route *route,
            const Request *request)
{
  const char *fault = check_source (context, route, request);

  if (fault == NULL && route->access == WITH_KEY
      && !access_has_key (&context->access,
                          request_header (request, "X-Tessera-Key")))
    fault = "open the address that \"tessera serve\" printed";
  return fault;
}

gboolean
routes_know (const Request *request, gpointer data)
{
  ServeContext *context = data;

  if (!access_has_key (&context->access,
                       request_header (request, "X-Tessera-Key")))
    return FALSE;
  g_atomic_int_set (&context->seen, serve_seconds ());
  return TRUE;
}

gboolean
routes_admit (const Request *request, gsize *max_body, Response *response,
              gpointer data)
{
  const char *stars[MAX_STARS];
  g_auto (GStrv) words = NULL;
  const Route *route;
  const char *fault;

  if (strlen (request->path) > LONGEST_PATH) {
    response_refuse (response, 414, "the address is too long");
    return FALSE;
  }
  words = g_strsplit (request->path, "/", -1);
  route = find_route (request, words, stars, response);
  if (route == NULL)
    return FALSE;
  fault = find_fault (data, route, request);
  if (fault != NULL) {
    response_refuse (response, 403, fault);
    return FALSE;
  }
  *max_body = route->max_body;
  return TRUE;
}

void
routes_respond (const Request *request, Response *response, gpointer data)
{
  HandlerCall call = { .context = data, .request = request };
  g_auto (GStrv) words = g_strsplit (request->path, "/", -1);
  const Route *route = find_route (request, words, call.stars, response);
  g_autoptr (GError) error = NULL;

  if (route != NULL && !route->handler (&call, response, &error))
    response_refuse_error (response, error);
}
