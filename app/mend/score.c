/* score.c - how close a picture is to another */
#include "app/command.h"
#include "app/cli/commandline.h"
#include "app/files/files.h"
#include "app/files/picturefile.h"
#include "app/cli/jsonreport.h"
#include "imaging/metric.h"

#include <math.h>

static const char about[] =
  "Examples:\n"
  "  tessera score original.png mended.png\n"
  "  tessera score original.png mended.png --mask mask.png --json\n"
  "\n"
  "Measures how close a result is to the picture it should be.  PSNR is in\n"
  "dB, and larger is closer; SSIM is at most 1.  With a mask, the PSNR of\n"
  "the masked pixels is shown too.";

typedef struct {
  CommandLine line;
  const char *mask_path; /* NULL for none */
} Score;

static gboolean
print_json (const ImageScore *score, GError **error)
{
  g_autoptr (JsonObject) json = json_object_new ();

  json_report_set_number (json, "psnr", score->psnr);
  json_report_set_number (json, "ssim", score->ssim);
  json_report_set_number (json, "ms_ssim", score->ms_ssim);
  json_report_set_number (json, "psnr_masked", score->psnr_masked);
  json_report_set_count (json, "pixels", score->pixels);
  json_report_set_count (json, "masked_pixels", score->masked_pixels);
  json_object_set_boolean_member (json, "identical", score->identical);
  return json_report_print (json, error);
}

static void
append_psnr (GString *text, const char *label, double psnr)
{
  if (isinf (psnr))
    g_string_append_printf (text, "%-12s identical\n", label);
  else
    g_string_append_printf (text, "%-12s %.2f dB\n", label, psnr);
}

static gboolean
print_table (const ImageScore *score, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  append_psnr (text, "PSNR", score->psnr);
  if (isnan (score->ssim))
    g_string_append_printf (text, "%-12s none: a side is below %d pixels\n",
                            "SSIM", SSIM_WINDOW);
  else
    g_string_append_printf (text, "%-12s %.4f\n", "SSIM", score->ssim);
  if (score->masked_pixels > 0) {
    append_psnr (text, "PSNR masked", score->psnr_masked);
    g_string_append_printf (
      text, "%-12s %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " (%.1f %%)\n",
      "masked", score->masked_pixels, score->pixels,
      100. * (double) score->masked_pixels / (double) score->pixels);
  }
  return stdout_write (text->str, text->len, error);
}

static gboolean
work (const Score *options, GError **error)
{
  const ImageLimits *limits = &options->line.limits;
  char **paths = options->line.arguments;
  g_autoptr (Image) reference = NULL;
  g_autoptr (Image) result = NULL;
  g_autoptr (Mask) mask = NULL;
  ImageScore score;

  reference = picture_load (paths[0], limits, error);
  if (reference == NULL)
    return FALSE;
  result = picture_load (paths[1], limits, error);
  if (result == NULL)
    return FALSE;
  if (options->mask_path != NULL) {
    mask = picture_load_mask (options->mask_path, reference, MASK_AUTO, limits,
                              error);
    if (mask == NULL)
      return FALSE;
  }
  if (!image_score (reference, result, mask, &score, error)) {
    g_prefix_error (error, "%s: ", input_name (paths[1]));
    return FALSE;
  }
  return options->line.json ? print_json (&score, error)
                            : print_table (&score, error);
}

static gboolean
run (char **argv, GError **error)
{
  Score score = { 0 };
  CommandLine *line = &score.line;
  const Option rows[] = {
    { "mask", 'm', "FILE", "also score the pixels that are not black here",
      option_file, .value = &score.mask_path, .role = INPUT_FILE },
  };
  gboolean ok;

  command_line_init (line);
  line->usage = "REFERENCE RESULT";
  line->about = about;
  line->min_arguments = line->max_arguments = 2;
  line->common = COMMON_LIMITS;
  command_line_add (line, rows, G_N_ELEMENTS (rows));
  ok = command_line_parse (line, argv, error)
       && (line->answered || work (&score, error));
  command_line_clear (line);
  return ok;
}

const Command command_score = {
  .name = "score", .summary = "compare two pictures: PSNR and SSIM", .run = run
};
