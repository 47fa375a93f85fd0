/* boundedjson.h - JSON from untrusted sources
 *
 * json-glib calls itself for each object or array inside another one, and a
 * few kilobytes of brackets overflow the stack.  So depth is bounded before it
 * sees a text.
 */
#pragma once

#include <json-glib/json-glib.h>

#define JSON_MAX_DEPTH 16

/* Parses @length bytes of strict JSON: no comments, no quotes but ".  Returns
 * the parsed value, which the caller owns, or NULL if it is not JSON or nests
 * deeper than JSON_MAX_DEPTH. */
JsonNode *bounded_json_parse (const char *text, gsize length);
