#include "app/mend/fadingwords.h"

#include "app/cli/jsonreport.h"

const char *
fading_in_words (const FoundFading *found)
{
  if (!found->is_changed)
    return NULL;
  if (found->strength <= 0)
    return "neutral gray";
  return found->is_toned ? "contrast" : "contrast and colors";
}

JsonObject *
fading_to_json (const FoundFading *found)
{
  JsonObject *json = json_object_new ();

  json_report_set_number (json, "span", found->span);
  json_report_set_number (json, "strength", found->strength);
  json_object_set_boolean_member (json, "toned", found->is_toned);
  json_object_set_boolean_member (json, "changed", found->is_changed);
  return json;
}
