/* test_marks.c - planes of bytes, against what their definitions say */
#include "base/random.h"
#include "imaging/detect/marks.h"

#include <string.h>

static void
fill_plane (BytePlane *plane, int width, int height, guint64 seed)
{
  g_assert_true (byte_plane_init (plane, width, height, NULL));
  for (gsize i = 0; i < byte_plane_size (plane); i++)
    plane->data[i] = (guint8) (256 * random_uniform (seed, 0, i));
}

/* The rounded mean along one axis, by its definition. */
static guint8
mean_at (const BytePlane *plane, int x, int y, int across, int down)
{
  int sum = 0, count = 0;

  for (int row = MAX (0, y - down); row <= MIN (y + down, plane->height - 1);
       row++)
    for (int col = MAX (0, x - across);
         col <= MIN (x + across, plane->width - 1); col++, count++)
      sum += plane->data[row * plane->width + col];
  return (guint8) ((sum + count / 2) / count);
}

static void
test_mean (void)
{
  static const int sizes[][4] = { { 1, 1, 3, 5 },   { 7, 9, 1, 0 },
                                  { 40, 30, 0, 4 }, { 150, 5, 60, 0 },
                                  { 3, 150, 0, 60 } };

  g_test_summary ("A mean along rows or columns is rounded, to the level");
  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++) {
    g_auto (BytePlane) plane = { 0 };
    g_auto (BytePlane) mean = { 0 };
    int across = sizes[k][2], down = sizes[k][3];

    fill_plane (&plane, sizes[k][0], sizes[k][1], k);
    if (k == 3)
      memset (plane.data, 255, byte_plane_size (&plane));
    g_assert_true (byte_plane_mean (&plane, across, down, &mean, NULL));
    for (int y = 0; y < plane.height; y++)
      for (int x = 0; x < plane.width; x++)
        g_assert_cmpint (mean.data[y * plane.width + x], ==,
                         mean_at (&plane, x, y, across, down));
  }
}

static void
test_turn (void)
{
  g_auto (BytePlane) plane = { 0 };
  g_auto (BytePlane) turned = { 0 };

  g_test_summary ("Rows become columns");
  fill_plane (&plane, 131, 70, 1);
  g_assert_true (byte_plane_turn (&plane, &turned, NULL));
  g_assert_cmpint (turned.width, ==, 70);
  g_assert_cmpint (turned.height, ==, 131);
  for (int y = 0; y < 70; y++)
    for (int x = 0; x < 131; x++)
      g_assert_cmpint (turned.data[x * 70 + y], ==, plane.data[y * 131 + x]);
}

static void
test_extremes (void)
{
  g_autoptr (Image) image = image_new (2, 1, 3, 16, NULL);
  g_auto (Extremes) extremes = { 0 };

  g_test_summary ("The least and the largest colour, in 8 bits");
  for (int c = 0; c < 3; c++) {
    image_pixel (image, 0, 0)[c] = (guint16) (257 * (c == 1 ? 9 : 200 + c));
    image_pixel (image, 1, 0)[c] = 65535;
  }
  g_assert_true (extremes_init (&extremes, image, NULL));
  g_assert_cmpint (extremes.least.data[0], ==, 9);
  g_assert_cmpint (extremes.most.data[0], ==, 202);
  g_assert_cmpint (extremes.least.data[1], ==, 255);
  g_assert_cmpint (extremes.most.data[1], ==, 255);
}

static void
test_mask_shrink (void)
{
  g_autoptr (Mask) mask = mask_new (9, 7, NULL);

  g_test_summary ("Shrinking leaves what has nothing else around it; beyond the "
                  "picture there is nothing");
  for (gsize i = 0; i < 63; i++)
    mask->missing[i] = i != 31; /* column 4 of row 3 */
  g_assert_true (mask_shrink (mask, 2, NULL));
  for (int y = 0; y < 7; y++)
    for (int x = 0; x < 9; x++)
      g_assert_cmpint (mask->missing[y * 9 + x], ==,
                       ABS (x - 4) > 2 || ABS (y - 3) > 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/marks/mean", test_mean);
  g_test_add_func ("/marks/turn", test_turn);
  g_test_add_func ("/marks/extremes", test_extremes);
  g_test_add_func ("/marks/shrink", test_mask_shrink);
  return g_test_run ();
}
