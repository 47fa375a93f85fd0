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

/* The pages that are done. */
typedef struct {
  PageWriter *pictures;
  Mask *mask; /* of the last one */
  gsize pixels, masked;
  int pages;
  GPtrArray *left_out;
} Done;

static void
done_clear (Done *done)
{
  page_writer_free (done->pictures);
  mask_free (done->mask);
  g_clear_pointer (&done->left_out, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Done, done_clear)

static void
print_summary (const Corrupt *corrupt, const Done *done)
{
  const DamageOptions *damage = &corrupt->damage;
  g_autoptr (GString) text = g_string_new (NULL);

  if (done->pages > 1)
    g_string_append_printf (text, "%d pages: ", done->pages);
  if (done->masked > 0 || damage->noise <= 0)
    g_string_append_printf (
      text, "blacked out %" G_GSIZE_FORMAT " pixel%s (%.1f %%)%s",
      done->masked, PLURAL (done->masked),
      100. * (double) done->masked / (double) done->pixels,
      damage->noise > 0 ? ", " : "");
  if (damage->noise > 0)
    g_string_append_printf (text, "added noise of level %g", damage->noise);
  terminal_result ("%s -> %s", text->str, output_name (corrupt->output.path));
}

static gboolean
print_json (const Corrupt *corrupt, const Done *done, GError **error)
{
  const DamageOptions *damage = &corrupt->damage;
  g_autofree char *left_out = image_join_names (done->left_out);
  g_autoptr (JsonObject) json = json_object_new ();

  json_report_set_count (json, "pixels", done->pixels);
  json_report_set_count (json, "masked_pixels", done->masked);
  if (done->pages > 1)
    json_report_set_count (json, "pages", (guint64) done->pages);
  json_report_set_number (json, "missing", damage->missing);
  json_report_set_count (json, "block_side", (guint64) damage->block_side);
  json_report_set_count (json, "block_count", (guint64) damage->block_count);
  json_report_set_number (json, "noise", damage->noise);
  json_report_set_count (json, "seed", damage->seed);
  if (left_out != NULL)
    json_report_set_text (json, "left_out", left_out);
  return json_report_print (json, error);
}

/* Each page is damaged in its own way. */
static gboolean
work_on_page (const Corrupt *corrupt, const Image *image, Done *done,
              GError **error)
{
  DamageOptions damage = corrupt->damage;
  g_autoptr (Image) damaged = NULL;

  damage.seed += (guint64) done->pages;
  picture_add_left_out (image, corrupt->output.path, &done->left_out);
  g_clear_pointer (&done->mask, mask_free);
  damaged = image_damage (image, &damage, &done->mask, error);
  if (damaged == NULL)
    return FALSE;
  done->pixels += image_pixels (image);
  done->masked += mask_count (done->mask);
  done->pages++;
  return picture_add_page (damaged, &done->pictures, corrupt->output.path,
                           &corrupt->output.encode, error);
}

static gboolean
work_on_pages (const Corrupt *corrupt, Done *done, GError **error)
{
  const CommandLine *line = &corrupt->line;
  const char *path = line->arguments[0];
  g_autoptr (PageReader) file = picture_open (path, error);

  if (file == NULL)
    return FALSE;
  if (page_reader_count (file) > 1 && corrupt->output.mask_path != NULL)
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "--mask-out works for one page at a time");
  for (int page = 0; page < page_reader_count (file); page++) {
    g_autoptr (Image) image =
      picture_decode (file, page, path, &line->limits, error);

    if (image == NULL || !work_on_page (corrupt, image, done, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
work (const Corrupt *corrupt, GError **error)
{
  g_auto (Done) done = { 0 };
  g_autoptr (GBytes) bytes = NULL;

  if (!work_on_pages (corrupt, &done, error))
    return FALSE;
  bytes = page_writer_finish (done.pictures);
  if (!picture_save_bytes (bytes, done.mask, &corrupt->output,
                           corrupt->line.force, error))
    return FALSE;
  picture_note_left_out (corrupt->line.arguments[0], done.left_out);
  if (corrupt->line.json)
    return print_json (corrupt, &done, error);
  print_summary (corrupt, &done);
  return TRUE;
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
