/* jsonreport.h - results for programs: one JSON object on standard output
 *
 * Its keys never change their meaning; missing values are null.  Texts may
 * have any bytes (app/cli/plaintext.h).
 */
#pragma once

#include <json-glib/json-glib.h>

/* JSON has no infinity and no NaN: these become null. */
void json_report_set_number (JsonObject *report, const char *key,
                             double value);
void json_report_set_count (JsonObject *report, const char *key,
                            guint64 value);
void json_report_set_text (JsonObject *report, const char *key,
                           const char *value);

/* The object as text with a final newline, which the caller owns. */
char *json_report_to_text (JsonObject *report);

/* The same on one line. */
char *json_report_to_line (JsonObject *report);

gboolean json_report_print (JsonObject *report, GError **error);
gboolean json_report_print_line (JsonObject *report, GError **error);
