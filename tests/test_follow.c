/* test_follow.c - scratches are followed to their ends, and no further */
#include "imaging/detect/follow.h"

#include <math.h>

#define SIDE 240
#define FIRST 20 /* row of the scratch, and ... */
#define LAST 200 /* ... the last one */
#define SHADE 215.

/* A bent line: its column in row @y. */
static double
column (double y)
{
  return 40 + 0.25 * y + 0.0022 * y * y;
}

/* How much of a pixel at @x, @y a line of @width covers. */
static double
cover_at (int x, int y, double width)
{
  double nearest = SIDE;

  for (double row = MAX (FIRST, y - 8); row <= MIN (LAST, y + 8); row += 0.25)
    nearest = MIN (nearest, hypot (x - column (row), y - row));
  return CLAMP (0.5 * width + 0.5 - nearest, 0, 1);
}

/* A picture with a scratch of some @opacity; @truth gets what it covers. */
static Image *
scratched (double width, double opacity, gboolean turned, Mask *truth)
{
  Image *image = image_new (SIDE, SIDE, 3, 8, NULL);

  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      double cover = cover_at (x, y, width), a = cover * opacity;
      int col = turned ? y : x, row = turned ? x : y;

      for (int c = 0; c < 3; c++) {
        double ground =
          90 + 30 * sin (x / 23. + c) + 25 * cos (y / 17.) + (x * 5 + y * 3) % 7;

        image_pixel (image, col, row)[c] =
          (guint16) lround ((1 - a) * ground + a * SHADE);
      }
      truth->missing[row * SIDE + col] = cover > 0.02;
    }
  return image;
}

/* Marks what follows when rows 80 to 111 have been found, a pixel aside. */
static void
follow_into (const Image *image, double width, gboolean turned, Mask *mask)
{
  int core[32];
  Segment segment = { .top = 80, .rows = 32, .core = core, .turned = turned };

  for (int i = 0; i < 32; i++)
    core[i] = (int) lround (column (80 + i)) + i % 2;
  segment.left = segment.right = (int) (width / 2);
  scratch_follow (image, &segment, mask);
}

static Mask *
follow (const Image *image, double width, gboolean turned)
{
  Mask *mask = mask_new (SIDE, SIDE, NULL);

  follow_into (image, width, turned, mask);
  return mask;
}

static void
test_whole_line (void)
{
  static const double widths[] = { 1, 2, 3 };

  g_test_summary ("From a piece of a line the rest is found, as wide as it is");
  for (int k = 0; k < 6; k++) {
    double width = widths[k / 2];
    gboolean turned = k % 2;
    g_autoptr (Mask) truth = mask_new (SIDE, SIDE, NULL);
    g_autoptr (Image) image = scratched (width, 0.8, turned, truth);
    g_autoptr (Mask) found = follow (image, width, turned);
    gsize common = 0;

    for (gsize i = 0; i < SIDE * SIDE; i++)
      common += found->missing[i] && truth->missing[i];
    g_test_message ("width %g: %zu of %zu, %zu marked", width, common,
                    mask_count (truth), mask_count (found));
    g_assert_cmpuint (common, >=, mask_count (truth) * 9 / 10);
    g_assert_cmpuint (mask_count (found), <=, mask_count (truth) * 13 / 10);
  }
}

static void
test_ends (void)
{
  g_autoptr (Mask) truth = mask_new (SIDE, SIDE, NULL);
  g_autoptr (Image) image = scratched (2, 0.8, FALSE, truth);
  g_autoptr (Mask) found = follow (image, 2, FALSE);

  g_test_summary ("Nothing is marked beyond the ends of a line");
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      if (y < FIRST - 6 || y > LAST + 6)
        g_assert_cmpint (found->missing[y * SIDE + x], ==, 0);
}

/* Crosses @image with a straight band of @shade; @mask gets what it covers. */
static void
put_band (Image *image, int shade, Mask *mask)
{
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      if (ABS (x + y / 3 - 155) <= 4) {
        for (int c = 0; c < 3; c++)
          image_pixel (image, x, y)[c] = (guint16) shade;
        mask->missing[y * SIDE + x] = MASK_PIXEL;
      }
}

static void
test_crossing (void)
{
  gsize missed[2] = { 0, 0 };

  g_test_summary ("A line goes on beyond a wider one that is marked");
  for (int marked = 0; marked < 2; marked++) {
    g_autoptr (Mask) truth = mask_new (SIDE, SIDE, NULL);
    g_autoptr (Mask) band = mask_new (SIDE, SIDE, NULL);
    g_autoptr (Image) image = scratched (2, 0.6, FALSE, truth);
    g_autoptr (Mask) found = mask_new (SIDE, SIDE, NULL);

    put_band (image, 5, band);
    if (marked)
      mask_add (found, band);
    follow_into (image, 2, FALSE, found);
    for (gsize i = 0; i < SIDE * SIDE; i++)
      missed[marked] +=
        truth->missing[i] && !band->missing[i] && !found->missing[i];
    g_test_message ("%zu of %zu missed", missed[marked], mask_count (truth));
    g_assert_cmpuint (missed[1], <=, mask_count (truth) / 10);
  }
}

static void
test_edge_of_picture (void)
{
  int core[32];
  Segment segment = { .top = 0, .rows = 32, .core = core };
  g_autoptr (Image) image = image_new (8, 32, 1, 16, NULL);
  g_autoptr (Mask) mask = mask_new (8, 32, NULL);

  g_test_summary ("A line with no picture on one side is left");
  for (int x = 0; x < 8; x += 7) {
    for (int i = 0; i < 32; i++) {
      core[i] = x;
      *image_pixel (image, x, i) = 60000;
    }
    scratch_follow (image, &segment, mask);
  }
  g_assert_cmpuint (mask_count (mask), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/follow/whole-line", test_whole_line);
  g_test_add_func ("/follow/ends", test_ends);
  g_test_add_func ("/follow/crossing", test_crossing);
  g_test_add_func ("/follow/edge-of-picture", test_edge_of_picture);
  return g_test_run ();
}
