/* test_chromableed.c - colours that JPEGs have spread from marks */
#include "imaging/chromableed.h"
#include "imaging/codec/pngmeta.h"
#include "imaging/restore.h"
#include "tests/pictures.h"
#include "tests/support.h"

#include <math.h>

enum { BAND = 8, SCRATCH = 3 };

/* @image as a JPEG of good quality with colour cells of @across x @down
 * pixels, read again. */
static Image *
through_cells (const Image *image, int across, int down)
{
  struct jpeg_error_mgr errors;
  struct jpeg_compress_struct cinfo = { .err = jpeg_std_error (&errors) };
  g_autofree guint8 *row = g_new (guint8, 3 * (gsize) image->width);
  g_autoptr (GBytes) bytes = NULL;
  unsigned char *data = NULL;
  unsigned long size = 0;

  jpeg_create_compress (&cinfo);
  jpeg_mem_dest (&cinfo, &data, &size);
  cinfo.image_width = (JDIMENSION) image->width;
  cinfo.image_height = (JDIMENSION) image->height;
  cinfo.input_components = 3;
  cinfo.in_color_space = JCS_RGB;
  jpeg_set_defaults (&cinfo);
  jpeg_set_quality (&cinfo, 90, TRUE);
  cinfo.comp_info[0].h_samp_factor = across;
  cinfo.comp_info[0].v_samp_factor = down;
  jpeg_start_compress (&cinfo, TRUE);
  for (int y = 0; y < image->height; y++) {
    for (int i = 0; i < 3 * image->width; i++)
      row[i] = (guint8) image_pixel (image, 0, y)[i];
    jpeg_write_scanlines (&cinfo, &row, 1);
  }
  jpeg_finish_compress (&cinfo);
  jpeg_destroy_compress (&cinfo);
  bytes = g_bytes_new_with_free_func (data, size, free, data);
  return decode (bytes);
}

/* Draws a yellow scratch from top to bottom, three pixels wide. */
static Mask *
draw_scratch (Image *image)
{
  static const guint16 colour[] = { 250, 235, 90 };
  Mask *mask = mask_new (image->width, image->height, NULL);

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < SCRATCH; x++) {
      int column = image->width / 3 + y / 3 + x;

      memcpy (image_pixel (image, column, y), colour, sizeof colour);
      mask->missing[y * image->width + column] = MASK_PIXEL;
    }
  return mask;
}

static double
brightness (const guint16 *pixel)
{
  return 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
}

static gboolean
is_beside (const Mask *mask, int x, int y)
{
  gsize i = (gsize) y * (gsize) mask->width;

  if (mask->missing[i + (gsize) x])
    return FALSE;
  for (int u = MAX (x - BAND, 0); u <= MIN (x + BAND, mask->width - 1); u++)
    if (mask->missing[i + (gsize) u])
      return TRUE;
  return FALSE;
}

/* Mean square of the error of blue and red differences beside the marks. */
static double
colour_error (const Image *clean, const Image *image, const Mask *mask)
{
  double sum = 0;
  int count = 0;

  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++) {
      const guint16 *a = image_pixel (clean, x, y);
      const guint16 *b = image_pixel (image, x, y);
      double bright = brightness (a) - brightness (b);

      if (!is_beside (mask, x, y))
        continue;
      sum += pow (a[0] - b[0] - bright, 2) + pow (a[2] - b[2] - bright, 2);
      count++;
    }
  return sum / count;
}

static void
restore (Image *image, const Mask *mask)
{
  RestoreOptions options = RESTORE_DEFAULTS;
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (GError) error = NULL;

  options.quality = QUALITY_FAST;
  image_restore (image, mask, &options, &report, NULL, &error);
  g_assert_no_error (error);
}

static void
test_trail_goes (void)
{
  static const char *const names[] = { "city10", "beach0", "fields5" };

  g_test_summary ("No trail is left in a JPEG with colours at half the size; "
                  "brightness stays, and pixels farther away do");
  for (guint n = 0; n < G_N_ELEMENTS (names); n++) {
    g_autoptr (Image) clean = load_photo (names[n]);
    g_autoptr (Image) scratched = image_copy (clean, NULL);
    g_autoptr (Mask) mask = draw_scratch (scratched);
    g_autoptr (Image) before = through_cells (scratched, 2, 2);
    g_autoptr (Image) after = image_copy (before, NULL);
    g_autoptr (Mask) touched = chroma_bleed_find (before, mask, NULL);

    restore (after, mask);
    g_assert_cmpfloat (colour_error (clean, after, mask), <,
                       colour_error (clean, before, mask) / 2);
    for (gsize i = 0; i < image_pixels (clean); i++)
      if (touched->missing[i])
        assert_at_most (fabs (brightness (before->samples + 3 * i)
                              - brightness (after->samples + 3 * i)),
                        /* rounding, and clipping of what has no such colour */
                        4);
      else if (!mask->missing[i])
        assert_same_memory (before->samples + 3 * i, after->samples + 3 * i,
                            3 * sizeof *before->samples);
  }
}

static void
test_others_stay (void)
{
  g_test_summary (
    "Where each pixel has its own colours, all known pixels come "
    "back bit for bit");
  for (int has_been_jpeg = 0; has_been_jpeg < 2; has_been_jpeg++) {
    g_autoptr (Image) scratched = load_photo_middle ("city10", 96, 96);
    g_autoptr (Mask) mask = draw_scratch (scratched);
    g_autoptr (Image) before = has_been_jpeg ? through_cells (scratched, 1, 1)
                                             : image_copy (scratched, NULL);
    g_autoptr (Image) after = image_copy (before, NULL);

    restore (after, mask);
    for (gsize i = 0; i < image_pixels (before); i++)
      if (!mask->missing[i])
        assert_same_memory (before->samples + 3 * i, after->samples + 3 * i,
                            3 * sizeof *before->samples);
  }
}

static void
test_missing_has_no_effect (void)
{
  g_autoptr (Image) scratched = load_photo_middle ("city10", 96, 96);
  g_autoptr (Mask) mask = draw_scratch (scratched);
  g_autoptr (Image) first = through_cells (scratched, 2, 2);
  g_autoptr (Image) second = image_copy (first, NULL);
  g_autoptr (Mask) touched = chroma_bleed_find (first, mask, NULL);

  g_test_summary ("Missing pixels do not affect the colours beside them");
  for (gsize i = 0; i < image_pixels (first); i++)
    for (gsize c = 0; c < 3 && mask->missing[i]; c++)
      first->samples[3 * i + c] = second->samples[3 * i + c] ^ 255;
  image_undo_chroma_bleed (first, mask, touched, NULL);
  image_undo_chroma_bleed (second, mask, touched, NULL);
  for (gsize i = 0; i < image_pixels (first); i++)
    if (!mask->missing[i])
      assert_same_memory (first->samples + 3 * i, second->samples + 3 * i,
                          3 * sizeof *first->samples);
}

static void
check_reach (int across, int down, int orientation, int expected_across,
             int expected_down)
{
  g_autoptr (Image) plain = image_new (48, 32, 3, 8, NULL);
  g_autoptr (Image) image = through_cells (plain, across, down);
  g_autoptr (Mask) mask = mask_new (48, 32, NULL);
  g_autoptr (Mask) touched = NULL;

  image->meta.orientation = orientation;
  mask->missing[16 * 48 + 24] = MASK_PIXEL;
  touched = chroma_bleed_find (image, mask, NULL);
  for (int y = 0; y < 32; y++)
    for (int x = 0; x < 48; x++)
      g_assert_cmpint (touched->missing[y * 48 + x] != 0, ==,
                       ABS (x - 24) <= expected_across
                         && ABS (y - 16) <= expected_down
                         && !(x == 24 && y == 16));
}

static void
test_reach (void)
{
  g_test_summary ("Marks reach as far as a cell of the file, turned or not");
  check_reach (2, 2, 1, 2, 2);
  check_reach (2, 1, 1, 2, 0);
  check_reach (2, 1, 6, 0, 2);
  check_reach (1, 2, 1, 0, 2);
}

static void
test_nothing_sound (void)
{
  g_autoptr (Image) before = random_picture (32, 32, 3, 8);
  g_autoptr (Image) after = NULL;
  g_autoptr (Mask) mask = mask_new (32, 32, NULL);
  g_autoptr (Mask) touched = NULL;

  g_test_summary ("Where marks are everywhere, known pixels stay");
  before->meta.cell_width = before->meta.cell_height = 2;
  for (int i = 0; i < 32 * 32; i += 2)
    mask->missing[i] = MASK_PIXEL;
  after = image_copy (before, NULL);
  touched = chroma_bleed_find (before, mask, NULL);
  g_assert_cmpuint (mask_count (touched), ==, 32 * 32 / 2);
  image_undo_chroma_bleed (after, mask, touched, NULL);
  assert_same_samples (before, after);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/chromableed/trail-goes", test_trail_goes);
  g_test_add_func ("/chromableed/others-stay", test_others_stay);
  g_test_add_func ("/chromableed/missing-has-no-effect",
                   test_missing_has_no_effect);
  g_test_add_func ("/chromableed/reach", test_reach);
  g_test_add_func ("/chromableed/nothing-sound", test_nothing_sound);
  return g_test_run ();
}
