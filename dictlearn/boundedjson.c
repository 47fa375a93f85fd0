#include "dictlearn/boundedjson.h"

#include <string.h>

/* The character after the string that starts with the quote at @at, or NULL if
 * the string does not end. */
static const char *
skip_string (const char *at, const char *end)
{
  for (at++; at < end && *at != '"'; at++)
    if (*at == '\\')
      at++;
  return at < end ? at + 1 : NULL;
}

/* Whether @c is allowed outside strings. json-glib accepts more, for example
 * comments, and could then disagree with us about where a string starts. */
static gboolean
is_structure (char c)
{
  return g_ascii_isalnum (c) || (c != '\0' && strchr ("{}[]:,+-. \t\r\n", c));
}

/* Whether brackets nest at most JSON_MAX_DEPTH deep. */
static gboolean
is_shallow (const char *at, const char *end)
{
  int depth = 0;

  while (at != NULL && at < end) {
    if (*at == '"') {
      at = skip_string (at, end);
      continue;
    }
    depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
    if (depth < 0 || depth > JSON_MAX_DEPTH || !is_structure (*at))
      return FALSE;
    at++;
  }
  return at != NULL;
}

JsonNode *
bounded_json_parse (const char *text, gsize length)
{
  g_autoptr (JsonParser) parser = json_parser_new ();

  if (!is_shallow (text, text + length)
      || !json_parser_load_from_data (parser, text, (gssize) length, NULL))
    return NULL;
  return json_parser_steal_root (parser);
}
