/* test_landscape.c - quality on the landscape pictures, with their masks
 *
 * The bounds are what the program must reach; figures of other programs are in
 * docs/benchmarks.md.  The engine gets the damaged picture and the mask.
 */
#include "imaging/metric.h"
#include "imaging/restore.h"
#include "tests/support.h"

/* A sanitizer looks for other mistakes, and two pictures show them. */
#define ALL 20
#define PICTURES (SANITIZED ? 2 : ALL)

typedef struct {
  const char *kind; /* of the mask */
  double psnr;      /* least mean */
} Bound;

static Image *
load (const char *folder, int number, const char *ending)
{
  g_autofree char *path = g_strdup_printf (
    "../shared/data/landscape/%s/%03d.%s", folder, number, ending);

  return load_image (path);
}

/* Pixels are lost after the file was read, so none of its colours are mixed
 * with theirs. */
static void
blacken (Image *image, const Mask *mask)
{
  image->meta.cell_width = image->meta.cell_height = 0;
  for (gsize i = 0; i < image_pixels (image); i++)
    for (gsize c = 0; c < 3 && mask->missing[i]; c++)
      image->samples[3 * i + c] = 0;
}

static double
restored_psnr (const char *kind, int number)
{
  g_autofree char *folder = g_strdup_printf ("masks/%s", kind);
  g_autoptr (Image) clean = load ("test", number, "jpg");
  g_autoptr (Image) marks = load (folder, number, "png");
  g_autoptr (Mask) mask = mask_from_picture (marks, MASK_AUTO, NULL);
  g_autoptr (Image) image = image_copy (clean, NULL);
  RestoreOptions options = RESTORE_DEFAULTS;
  g_auto (RestoreReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  ImageScore score;

  blacken (image, mask);
  image_restore (image, mask, &options, &report, NULL, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < image_pixels (image); i++)
    for (gsize c = 0; c < 3 && !mask->missing[i]; c++)
      g_assert_cmpint (image->samples[3 * i + c], ==,
                       clean->samples[3 * i + c]);
  image_score (clean, image, NULL, &score, NULL);
  return score.psnr;
}

static void
check_kind (gconstpointer data)
{
  const Bound *bound = data;
  g_autofree char *path = shared_path ("data/landscape/test");
  double sum = 0;

  if (path == NULL)
    return;
  for (int i = 0; i < PICTURES; i++)
    sum += restored_psnr (bound->kind, i);
  g_test_message ("%s %.2f dB", bound->kind, sum / PICTURES);
  if (PICTURES == ALL)
    g_assert_cmpfloat (sum / PICTURES, >=, bound->psnr);
}

int
main (int argc, char **argv)
{
  static const Bound bounds[] = { { "random50", 25.4 },
                                  { "block3", 40.6 },
                                  { "block10", 27.5 } };

  test_start (&argc, &argv);
  for (gsize i = 0; i < G_N_ELEMENTS (bounds); i++) {
    g_autofree char *name = g_strdup_printf ("/landscape/%s", bounds[i].kind);

    g_test_add_data_func (name, &bounds[i], check_kind);
  }
  return g_test_run ();
}
