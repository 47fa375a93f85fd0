#include "app/cli/jsonreport.h"

#include "app/cli/plaintext.h"
#include "app/files/files.h"

#include <math.h>
#include <string.h>

void
json_report_set_number (JsonObject *report, const char *key, double value)
{
  if (isfinite (value))
    json_object_set_double_member (report, key, value);
  else
    json_object_set_null_member (report, key);
}

void
json_report_set_count (JsonObject *report, const char *key, guint64 value)
{
  json_object_set_int_member (report, key, (gint64) value);
}

void
json_report_set_text (JsonObject *report, const char *key, const char *value)
{
  if (value != NULL)
    json_object_set_string_member (report, key, value);
  else
    json_object_set_null_member (report, key);
}

static char *
to_string (JsonObject *report, gboolean pretty)
{
  g_autoptr (JsonNode) root =
    json_node_init_object (json_node_alloc (), report);
  g_autofree char *json = json_to_string (root, pretty);
  g_autofree char *plain = plain_json (json);

  return g_strconcat (plain, "\n", NULL);
}

char *
json_report_to_text (JsonObject *report)
{
  return to_string (report, TRUE);
}

char *
json_report_to_line (JsonObject *report)
{
  return to_string (report, FALSE);
}

gboolean
json_report_print (JsonObject *report, GError **error)
{
  g_autofree char *text = json_report_to_text (report);

  return stdout_write (text, strlen (text), error);
}

gboolean
json_report_print_line (JsonObject *report, GError **error)
{
  g_autofree char *text = json_report_to_line (report);

  return stdout_write (text, strlen (text), error);
}
