/* pngrows.c - the order in which a PNG stores its pixels */
#include "imaging/codec/pngrows.h"

#include <png.h>

static void
for_each_row (const Image *image, PngRowFunc func, gpointer user_data)
{
  PngRow all = { .step = 1, .columns = image->width };

  for (all.y = 0; all.y < image->height; all.y++)
    func (&all, user_data);
}

static void
for_each_pass_row (const Image *image, PngRowFunc func, gpointer user_data)
{
  for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; pass++) {
    int rows = (int) PNG_PASS_ROWS (image->height, pass);
    PngRow row = {
      .x = PNG_PASS_START_COL (pass),
      .step = 1 << PNG_PASS_COL_SHIFT (pass),
      .columns = (int) PNG_PASS_COLS (image->width, pass),
    };

    for (int i = 0; row.columns > 0 && i < rows; i++) {
      row.y = (int) PNG_ROW_FROM_PASS_ROW (i, pass);
      func (&row, user_data);
    }
  }
}

void
pngrows_visit (const Image *image, PngRowFunc func, gpointer user_data)
{
  if (image->meta.interlaced)
    for_each_pass_row (image, func, user_data);
  else
    for_each_row (image, func, user_data);
}
