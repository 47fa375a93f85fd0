#include "app/mend/noisewords.h"

#include "app/cli/jsonreport.h"

#include <math.h>

/* Levels of brightness, of NOISE_LEVELS, that stand for parts of a picture. */
enum { SHADOWS = 2, MID_TONES = 7, LIGHTS = 13 };

/* Neighbours that share less than this are said to have noise of their own. */
#define SHARED 0.1

static double
level_at (const FoundNoise *noise, int level)
{
  return 255 * noise_model_sigma_at (&noise->model, level);
}

char *
noise_in_words (const FoundNoise *noise)
{
  const char *name;

  if (noise->kind == NOISE_WHITE)
    return g_strdup_printf ("noise of %.1f levels", noise->sigma);
  if (noise->kind == NOISE_JPEG)
    return g_strdup_printf ("blocking and ringing of a JPEG of quality %d%s",
                            noise->jpeg_quality,
                            noise->is_within_steps ? ""
                                                   : ", and perhaps noise");
  name = noise->neighbours > SHARED ? "grain" : "noise";
  return g_strdup_printf ("%s of about %.1f levels in the mid tones, %.1f in "
                          "the shadows, %.1f in the lights",
                          name, level_at (noise, MID_TONES),
                          level_at (noise, SHADOWS),
                          level_at (noise, LIGHTS));
}

JsonObject *
noise_to_json (const FoundNoise *noise)
{
  static const char *const kinds[] = { [NOISE_NONE] = "none",
                                       [NOISE_WHITE] = "white",
                                       [NOISE_COLOURED] = "coloured",
                                       [NOISE_JPEG] = "jpeg" };
  JsonObject *json = json_object_new ();
  JsonArray *levels = json_array_new ();

  json_report_set_text (json, "kind", kinds[noise->kind]);
  json_object_set_boolean_member (json, "sure", noise->is_sure);
  json_report_set_number (json, "sigma", noise->sigma);
  json_report_set_number (json, "share", noise->share);
  json_report_set_number (json, "jpeg_quality",
                          noise->jpeg_quality > 0
                            ? (double) noise->jpeg_quality
                            : (double) NAN);
  for (int level = 0; level < NOISE_LEVELS; level++)
    json_array_add_double_element (levels, level_at (noise, level));
  json_object_set_array_member (json, "sigma_by_brightness", levels);
  json_report_set_number (json, "correlation",
                          noise->kind == NOISE_NONE
                            ? NAN
                            : noise->neighbours);
  return json;
}
