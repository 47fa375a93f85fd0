/* corrupt.c - damage a clean picture deliberately */
#include "app/command.h"
#include "app/cli/commandline.h"
#include "app/files/files.h"
#include "app/files/picturefile.h"
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "base/error.h"
#include "imaging/damage/damage.h"

#include <math.h>

static const char about[] =
  "Examples:\n"
  "  tessera corrupt photo.png --missing 0.5 -o damaged.png\n"
  "  tessera corrupt photo.png --blocks 10x36 --mask-out mask.png -o "
  "damaged.png\n"
  "  tessera corrupt photo.png --noise 25 --seed 7 -o noisy.png\n"
  "\n"
  "Damages a picture so that restoring it can be measured.  The kinds of\n"
  "damage may be combined; the same seed gives the same damage.";

#define MAX_NOISE 1000

/* SIDExCOUNT into the DamageOptions that the option points to. */
static gboolean
parse_blocks (const Option *option, const char *text, GError **error)
{
  return damage_blocks.parse (text, option->value)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "write SIDExCOUNT, as in 10x36 for 36 blocks of "
                          "side 10");
}

typedef struct {
  CommandLine line;
  PictureOutput output;
  DamageOptions damage;
} Corrupt;

static gboolean
parse (Corrupt *corrupt, char **argv, GError **error)
{
  CommandLine *line = &corrupt->line;
  DamageOptions *damage = &corrupt->damage;
  const Option rows[] = {
    { "missing", 0, "FRACTION", "fraction of the pixels to black out",
      option_real, .value = &damage->missing, .min = 0, .max = 1 },
    { "blocks", 0, "SIDExCOUNT", "black out COUNT squares of this side",
      parse_blocks, .value = damage },
    { "noise", 0, "SIGMA", "add Gaussian noise; white is 255", option_real,
      .value = &damage->noise, .min = 0, .max = MAX_NOISE },
  };

  line->usage = "IN -o OUT";
  line->about = about;
  line->min_arguments = line->max_arguments = 1;
  line->common = COMMON_OUTPUT | COMMON_LIMITS | COMMON_SEED;
  command_line_add (line, rows, G_N_ELEMENTS (rows));
  picture_add_output (line, &corrupt->output);
  if (!command_line_parse (line, argv, error))
    return FALSE;
  damage->seed = line->seed;
  return TRUE;
}

static gboolean
check_damage (const DamageOptions *damage, GError **error)
{
  if (damage->missing > 0 || damage->noise > 0 || damage->block_count > 0)
    return TRUE;
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_USAGE,
                       "no damage is given; use --missing, --blocks or "
                       "--noise");
  return FALSE;
}

static gboolean
print_result (const Corrupt *corrupt, const Mask *mask, GError **error)
{
  const DamageOptions *damage = &corrupt->damage;
  gsize pixels = (gsize) mask->width * (gsize) mask->height;
  gsize masked = mask_count (mask);
  g_autoptr (JsonObject) json = NULL;

  if (!corrupt->line.json) {
    g_autoptr (GString) done = g_string_new (NULL);

    if (masked > 0 || damage->noise <= 0)
      g_string_append_printf (
        done, "blacked out %" G_GSIZE_FORMAT " pixel%s (%.1f %%)", masked,
        PLURAL (masked), 100. * (double) masked / (double) pixels);
    if (damage->noise > 0)
      g_string_append_printf (done, "%sadded noise of level %g",
                              done->len > 0 ? ", " : "", damage->noise);
    terminal_result ("%s -> %s", done->str,
                     output_name (corrupt->output.path));
    return TRUE;
  }
  json = json_object_new ();
  json_report_set_count (json, "pixels", pixels);
  json_report_set_count (json, "masked_pixels", masked);
  json_report_set_number (json, "missing", damage->missing);
  json_report_set_count (json, "block_side", (guint64) damage->block_side);
  json_report_set_count (json, "block_count", (guint64) damage->block_count);
  json_report_set_number (json, "noise", damage->noise);
  json_report_set_count (json, "seed", damage->seed);
  return json_report_print (json, error);
}

static gboolean
work (const Corrupt *corrupt, GError **error)
{
  const CommandLine *line = &corrupt->line;
  g_autoptr (Image) image =
    picture_load (line->arguments[0], &line->limits, error);
  g_autoptr (Image) damaged = NULL;
  g_autoptr (Mask) mask = NULL;
  g_autoptr (GPtrArray) left_out = NULL;

  if (image == NULL)
    return FALSE;
  picture_add_left_out (image, corrupt->output.path, &left_out);
  damaged = image_damage (image, &corrupt->damage, &mask, error);
  if (damaged == NULL)
    return FALSE;
  if (!picture_save (damaged, mask, &corrupt->output, line->force, error))
    return FALSE;
  picture_note_left_out (line->arguments[0], left_out);
  return print_result (corrupt, mask, error);
}

static gboolean
run (char **argv, GError **error)
{
  Corrupt corrupt = { .output = PICTURE_OUTPUT_DEFAULTS,
                      .damage = DAMAGE_DEFAULTS };
  gboolean ok;

  command_line_init (&corrupt.line);
  ok =
    parse (&corrupt, argv, error)
    && (corrupt.line.answered
        || (check_damage (&corrupt.damage, error) && work (&corrupt, error)));
  command_line_clear (&corrupt.line);
  return ok;
}

const Command command_corrupt = { .name = "corrupt",
                                  .summary =
                                    "damage a picture on purpose, for tests",
                                  .run = run };
