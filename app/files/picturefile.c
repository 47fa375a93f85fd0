#include "app/files/picturefile.h"

#include "app/files/files.h"
#include "app/files/output.h"
#include "app/cli/terminal.h"
#include "base/error.h"

#include <string.h>

/* ---- reading ---- */

/* The library knows the limits, but not which options raise them. */
static void
explain_limit (GError **error)
{
  if (error != NULL
      && g_error_matches (*error, TESSERA_ERROR, TESSERA_ERROR_LIMIT)) {
    g_autofree char *message = (*error)->message;

    (*error)->message = g_strconcat (
      message, "; raise it with --max-pixels or the other --max options",
      NULL);
  }
}

PageReader *
picture_open (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = file_read (path, error);

  return bytes != NULL ? page_reader_new (bytes) : NULL;
}

Image *
picture_decode (const PageReader *file, int page, const char *path,
                const ImageLimits *limits, GError **error)
{
  Image *image =
    page_reader_decode (file, page, input_name (path), limits, error);

  if (image == NULL)
    explain_limit (error);
  else
    terminal_detail ("%s: %d x %d pixels, %d-bit %s%s", input_name (path),
                     image->width, image->height, image->depth,
                     image_colours (image) == 1 ? "gray" : "color",
                     image_has_alpha (image) ? " with alpha" : "");
  return image;
}

Image *
picture_load (const char *path, const ImageLimits *limits, GError **error)
{
  g_autoptr (PageReader) file = picture_open (path, error);
  Image *image =
    file != NULL ? picture_decode (file, 0, path, limits, error) : NULL;

  if (image != NULL && page_reader_count (file) > 1)
    terminal_note ("%s: has %d pages; only the first is used",
                   input_name (path), page_reader_count (file));
  return image;
}

Mask *
picture_load_mask (const char *path, const Image *image, MaskColours colours,
                   const ImageLimits *limits, GError **error)
{
  g_autoptr (PageReader) file = picture_open (path, error);

  return file != NULL ? picture_decode_mask (file, 0, path, image, colours,
                                             limits, error)
                      : NULL;
}

Mask *
picture_decode_mask (const PageReader *file, int page, const char *path,
                     const Image *image, MaskColours colours,
                     const ImageLimits *limits, GError **error)
{
  gboolean is_single = page_reader_count (file) == 1;
  g_autoptr (Image) picture =
    picture_decode (file, is_single ? 0 : page, path, limits, error);
  g_autoptr (Mask) mask = NULL;

  if (picture != NULL)
    mask = mask_from_picture (picture, colours, error);
  if (mask == NULL)
    return NULL;
  if (!mask_check_size (mask, image->width, image->height, error)) {
    g_prefix_error (error, "%s: ", input_name (path));
    return NULL;
  }
  if (mask_is_partial (mask))
    terminal_detail ("%s: marks red, green and blue separately",
                     input_name (path));
  return g_steal_pointer (&mask);
}

/* ---- writing ---- */

/* Whether @path could be a picture by its name. */
static gboolean
check_ending (const char *path, GError **error)
{
  TesseraFormat format;

  return image_format_from_path (path, &format) || output_is_stream (path)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "the extension must be that of a %s picture",
                          image_format_list ());
}

gboolean
picture_option_output (const Option *option, const char *text, GError **error)
{
  return option_file (option, text, error) && check_ending (text, error);
}

/* A mask must come back bit for bit, so it is a PNG. */
static gboolean
check_mask_ending (const char *path, GError **error)
{
  TesseraFormat format = TESSERA_PNG;

  return output_is_stream (path)
         || (image_format_from_path (path, &format) && format == TESSERA_PNG)
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "masks are written as PNG; use the extension .png");
}

static gboolean
option_mask_output (const Option *option, const char *text, GError **error)
{
  return option_file (option, text, error) && check_mask_ending (text, error);
}

static void
add_encoding (CommandLine *line, PictureOutput *output)
{
  const Option rows[] = {
    { "jpeg-quality", 0, "N", "quality of JPEG output, 1 to 100 (95)",
      option_int, .value = &output->encode.jpeg_quality, .min = 1,
      .max = 100 },
    { "webp-quality", 0, "N", "make WebP output lossy, 1 to 100 (lossless)",
      option_int, .value = &output->encode.webp_quality, .min = 1,
      .max = 100 },
  };

  command_line_add (line, rows, G_N_ELEMENTS (rows));
}

void
picture_add_output (CommandLine *line, PictureOutput *output)
{
  const Option rows[] = {
    { "output", 'o', "FILE", "picture to write, or - for standard output",
      picture_option_output, .value = &output->path, .role = OUTPUT_FILE,
      .required = TRUE },
    { "mask-out", 0, "FILE", "also write the mask, as a PNG",
      option_mask_output, .value = &output->mask_path, .role = OUTPUT_FILE },
  };

  command_line_add (line, rows, G_N_ELEMENTS (rows));
  add_encoding (line, output);
}

void
picture_add_place (CommandLine *line, PictureOutput *output)
{
  const Option place = {
    "output", 'o', "FILE", "picture or folder to write, or - for stdout",
    option_file, .value = &output->path, .role = OUTPUT_PLACE,
    .required = TRUE
  };

  command_line_add (line, &place, 1);
}

void
picture_add_output_or_folder (CommandLine *line, PictureOutput *output)
{
  const Option mask = { "mask-out",
                        0,
                        "FILE",
                        "also write the mask, as a PNG; or a folder of them",
                        option_file,
                        .value = &output->mask_path,
                        .role = OUTPUT_BESIDE };

  picture_add_place (line, output);
  command_line_add (line, &mask, 1);
  add_encoding (line, output);
}

/* A folder that is not there yet must not look like a picture: that is what
 * "tessera denoise a.png b.png -o c.png" would make. */
static gboolean
may_be_folder (const char *path)
{
  TesseraFormat format;

  return g_file_test (path, G_FILE_TEST_IS_DIR)
         || (!image_format_from_path (path, &format)
             && !output_is_stream (path)
             && !g_file_test (path, G_FILE_TEST_EXISTS));
}

static gboolean
check_folder_name (char **inputs, const char *path, GError **error)
{
  if (may_be_folder (path))
    return TRUE;
  if (g_file_test (inputs[0], G_FILE_TEST_IS_DIR))
    return tessera_fail (error, TESSERA_ERROR_USAGE,
                         "%s: is a folder; its pictures need a folder to go "
                         "to, and '%s' is not one",
                         inputs[0], output_name (path));
  return tessera_fail (error, TESSERA_ERROR_USAGE,
                       "several pictures need a folder to go to, and '%s' is "
                       "not one",
                       output_name (path));
}

static gboolean
check_mask_place (const CommandLine *line, const char *path, GError **error)
{
  if (path == NULL)
    return TRUE;
  if (line->into_folder)
    return may_be_folder (path)
           || tessera_fail (error, TESSERA_ERROR_USAGE,
                            "--mask-out %s: the masks of several pictures "
                            "need a folder to go to",
                            path);
  if (check_mask_ending (path, error))
    return TRUE;
  g_prefix_error (error, "--mask-out %s: ", path);
  return FALSE;
}

gboolean
picture_check_place (const CommandLine *line, const PictureOutput *output,
                     GError **error)
{
  if (!check_mask_place (line, output->mask_path, error))
    return FALSE;
  if (line->into_folder)
    return check_folder_name (line->arguments, output->path, error);
  if (check_ending (output->path, error))
    return TRUE;
  g_prefix_error (error, "-o %s: ", output->path);
  return FALSE;
}

TesseraFormat
picture_format (const Image *image, const char *path)
{
  TesseraFormat format = image->meta.format;

  image_format_from_path (path, &format);
  return format;
}

GBytes *
picture_encode (const Image *image, const char *path,
                const EncodeOptions *options, GError **error)
{
  GBytes *bytes =
    image_encode (image, picture_format (image, path), options, error);

  if (bytes == NULL)
    g_prefix_error (error, "%s: ", output_name (path));
  return bytes;
}

gboolean
picture_add_page (const Image *image, PageWriter **writer, const char *path,
                  const EncodeOptions *options, GError **error)
{
  if (*writer == NULL)
    *writer = page_writer_new (picture_format (image, path), options);
  if (page_writer_add (*writer, image, error))
    return TRUE;
  g_prefix_error (error, "%s: ", output_name (path));
  return FALSE;
}

void
picture_add_left_out (const Image *image, const char *path, GPtrArray **names)
{
  if (*names == NULL)
    *names = g_ptr_array_new_with_free_func (g_free);
  image_left_out (image, picture_format (image, path), *names);
}

void
picture_note_left_out (const char *path, const GPtrArray *names)
{
  g_autofree char *words = image_join_names (names);

  if (words != NULL)
    terminal_note ("%s: left out of the result: %s", input_name (path), words);
}

gboolean
picture_check_output (const Image *image, const PictureOutput *output,
                      GError **error)
{
  /* The encoder knows best: try to encode one pixel. */
  g_autoptr (Image) pixel = image_new_like (image, 1, 1, error);
  g_autoptr (GBytes) bytes = NULL;

  if (pixel != NULL)
    bytes = picture_encode (pixel, output->path, &output->encode, error);
  return bytes != NULL;
}

GBytes *
picture_encode_mask (const Mask *mask, const char *path, GError **error)
{
  g_autoptr (Image) picture = mask_to_picture (mask, error);

  return picture != NULL
           ? picture_encode (picture, path, &ENCODE_DEFAULTS, error)
           : NULL;
}

static gboolean
save_mask (const Mask *mask, const char *path, gboolean force, GError **error)
{
  g_autoptr (GBytes) bytes = picture_encode_mask (mask, path, error);

  return bytes != NULL && output_write (path, bytes, force, error);
}

gboolean
picture_save (const Image *image, const Mask *mask,
              const PictureOutput *output, gboolean force, GError **error)
{
  g_autoptr (GBytes) bytes =
    picture_encode (image, output->path, &output->encode, error);

  return bytes != NULL
         && picture_save_bytes (bytes, mask, output, force, error);
}

gboolean
picture_save_bytes (GBytes *bytes, const Mask *mask,
                    const PictureOutput *output, gboolean force,
                    GError **error)
{
  if (output->mask_path != NULL
      && !save_mask (mask, output->mask_path, force, error))
    return FALSE;
  return output_write (output->path, bytes, force, error);
}
