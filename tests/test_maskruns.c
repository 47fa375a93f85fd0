/* test_maskruns.c - masks as runs, and bytes that are none */
#include "base/error.h"
#include "base/random.h"
#include "imaging/maskruns.h"
#include "tests/support.h"

static void
assert_same_after_all (const Mask *mask)
{
  g_autoptr (GBytes) runs = mask_to_runs (mask, NULL);
  g_autoptr (Mask) back =
    mask_from_runs (runs, mask->width, mask->height, NULL);
  int pixels = mask->width * mask->height;

  g_assert_nonnull (back);
  g_assert_cmpmem (back->missing, pixels, mask->missing, pixels);
}

static void
test_random_masks (void)
{
  g_test_summary ("Any mask comes back, whatever share of it is missing");

  for (guint64 seed = 0; seed < 60; seed++) {
    int width = 1 + (int) (seed * 37 % 400), height = 1 + (int) (seed % 23);
    double share = (double) (seed % 11) / 10;
    g_autoptr (Mask) mask = mask_new (width, height, NULL);

    for (gsize i = 0; i < (gsize) width * (gsize) height; i++)
      mask->missing[i] = random_uniform (seed, 0, i) < share;
    assert_same_after_all (mask);
  }
}

/* The example of the header. */
static void
test_bytes (void)
{
  const guint8 expected[] = { 0x03, 0xc8, 0x01, 0x01 };
  g_autoptr (Mask) mask = mask_new (12, 17, NULL);
  g_autoptr (GBytes) runs = NULL;

  memset (mask->missing + 3, 1, 200);
  runs = mask_to_runs (mask, NULL);
  g_assert_cmpmem (g_bytes_get_data (runs, NULL),
                   (int) g_bytes_get_size (runs), expected, sizeof expected);
}

static void
test_nonsense (void)
{
  g_test_summary ("Bytes that no mask of 4 x 2 pixels has are refused");

  static const struct {
    gsize size;
    guint8 bytes[12];
  } wrong[] = {
    { 0, { 0 } },       /* nothing */
    { 1, { 7 } },       /* too short */
    { 1, { 9 } },       /* too long */
    { 3, { 4, 0, 4 } }, /* an empty run in the middle */
    { 2, { 8, 0 } },    /* and at the end */
    { 1, { 0x88 } },    /* a length that breaks off */
    { 2, { 0x88, 0 } }, /* one byte more than it needs */
    { 11, { 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 } },
    { 10, { 7, 255, 255, 255, 255, 255, 255, 255, 255, 127 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GBytes) runs = g_bytes_new (wrong[i].bytes, wrong[i].size);
    g_autoptr (GError) error = NULL;

    g_assert_null (mask_from_runs (runs, 4, 2, &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/maskruns/random-masks", test_random_masks);
  g_test_add_func ("/maskruns/bytes", test_bytes);
  g_test_add_func ("/maskruns/nonsense", test_nonsense);
  return g_test_run ();
}
