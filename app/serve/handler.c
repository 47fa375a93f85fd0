#include "app/serve/handler.h"

#include "app/cli/option.h"
#include "app/cli/jsonreport.h"
#include "base/error.h"

#include <string.h>

#define LONGEST_NAME 120 /* characters */

/* Reads an argument as the option of a command is read. */
static gboolean
parse (const HandlerCall *call, const Option *option, GError **error)
{
  const char *text = request_argument (call->request, option->name);

  if (text == NULL || *text == '\0' || option->parse (option, text, error))
    return TRUE;
  g_prefix_error (error, "%s: ", option->name);
  return FALSE;
}

gint
serve_seconds (void)
{
  return (gint) (g_get_monotonic_time () / G_USEC_PER_SEC);
}

gboolean
call_int (const HandlerCall *call, const char *name, int min, int max,
          int *value, GError **error)
{
  Option option = {
    .name = name, .parse = option_int, .value = value, .min = min, .max = max
  };

  return parse (call, &option, error);
}

gboolean
call_real (const HandlerCall *call, const char *name, double min, double max,
           double *value, GError **error)
{
  Option option = {
    .name = name, .parse = option_real, .value = value, .min = min, .max = max
  };

  return parse (call, &option, error);
}

gboolean
call_choice (const HandlerCall *call, const char *name,
             const char *const *choices, int *value, GError **error)
{
  Option option = {
    .name = name, .parse = option_choice, .value = value, .choices = choices
  };

  return parse (call, &option, error);
}

char *
call_file_name (const HandlerCall *call)
{
  const char *text = request_argument (call->request, "name");
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);
  const char *last;
  GString *name = g_string_new (NULL);

  g_strdelimit (valid, "\\", '/');
  last = strrchr (valid, '/');
  last = last != NULL ? last + 1 : valid;
  for (int i = 0; i < LONGEST_NAME && *last != '\0'; i++) {
    gunichar letter = g_utf8_get_char (last);

    if (g_unichar_isprint (letter))
      g_string_append_unichar (name, letter);
    last = g_utf8_next_char (last);
  }
  if (name->len == 0 || name->str[0] == '.')
    g_string_prepend (name, "picture");
  return g_string_free (name, FALSE);
}

gboolean
respond_job (Response *response, guint job)
{
  g_autoptr (JsonObject) json = json_object_new ();

  if (job == 0)
    return FALSE;
  json_report_set_count (json, "job", job);
  response_set_json (response, json);
  return TRUE;
}

void
respond_done (Response *response)
{
  g_autoptr (JsonObject) json = json_object_new ();

  response_set_json (response, json);
}

gboolean
respond_picture (Response *response, const Image *image, TesseraFormat format,
                 const EncodeOptions *options, GError **error)
{
  GBytes *bytes = image_encode (image, format, options, error);

  if (bytes == NULL)
    return FALSE;
  response_set (response, image_format_type (format), bytes);
  return TRUE;
}
