/* test_qrcode.c - QR codes
 *
 * That a camera reads them is tested in cli_network.sh, where zbar is
 * installed.
 */
#include "app/serve/qrcode.h"
#include "tests/support.h"

#include <string.h>

static void
test_reference (void)
{
  g_test_summary (
    "A code of version 1, which zbarimg 0.23 reads as \"tessera\"");

  static const char *const expected[] = {
    "#######...###.#######", "#.....#.###.#.#.....#", "#.###.#...###.#.###.#",
    "#.###.#.##..#.#.###.#", "#.###.#..#..#.#.###.#", "#.....#.#..#..#.....#",
    "#######.#.#.#.#######", ".........#...........", "#####.###..#.#.#.#.#.",
    "#.####..#..#####.##.#", "..#.###..##.#.##.###.", "##..##...######..##..",
    ".##.#.##.#..#..#.#.#.", "........##..#..##.###", "#######.#..#.#...#.#.",
    "#.....#...#....######", "#.###.#.##.#.#.#.#.#.", "#.###.#.#######.#.#..",
    "#.###.#.##..#.#..#...", "#.....#.#..####..##..", "#######.###.#......#."
  };
  QrCode code;

  g_assert_true (qr_code_make (&code, "tessera"));
  g_assert_cmpint (code.side, ==, 21);
  for (int row = 0; row < code.side; row++)
    for (int column = 0; column < code.side; column++)
      g_assert_cmpint (code.dark[row][column], ==,
                       expected[row][column] == '#');
}

static void
test_sizes (void)
{
  g_test_summary ("A code is as small as its text allows, and a longer text "
                  "is refused");

  static const int most[] = { 17, 32, 53, 78, 106 };
  QrCode code;

  for (int version = 1; version <= 5; version++) {
    g_autofree char *text = g_strnfill ((gsize) most[version - 1], 'x');
    g_autofree char *longer = g_strconcat (text, "x", NULL);

    g_assert_true (qr_code_make (&code, text));
    g_assert_cmpint (code.side, ==, 17 + 4 * version);
    g_assert_cmpint (qr_code_make (&code, longer), ==, version < 5);
  }
}

static void
test_drawing (void)
{
  g_test_summary ("Drawn are lines of equal length, two rows of modules each, "
                  "inside of a light margin");

  QrCode code;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_true (qr_code_make (&code, "tessera"));
  text = qr_code_draw (&code);
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 15 + 1);
  for (int i = 0; i < 15; i++)
    g_assert_cmpint (g_utf8_strlen (lines[i], -1), ==,
                     qr_code_columns (&code));
  for (int i = 0; i < 2; i++)
    g_assert_null (strchr (lines[i], ' '));
  /* The light ring of the first pattern lies inside of its dark one. */
  g_assert_true (g_str_has_prefix (
    lines[2], "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88 "
              "\xe2\x96\x84"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/qrcode/reference", test_reference);
  g_test_add_func ("/qrcode/sizes", test_sizes);
  g_test_add_func ("/qrcode/drawing", test_drawing);
  return g_test_run ();
}
