/* test_fill.c - the fill by pursuit against what it is by definition */
#include "base/parallel.h"
#include "base/random.h"
#include "dictlearn/builtin.h"
#include "imaging/inpaint/fill.h"
#include "omp/confidence.h"
#include "omp/pursuit.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

#define SIDE 10
#define NUMBERS (SIDE * SIDE * 3)
#define SIZE 24 /* of pictures */
#define SAMPLES (SIZE * SIZE * 3)

static const FillSettings settings = {
  .step = 2, .max_atoms = 6, .max_error = 1e-6, .ridge = 0.02,
  .least_share = 0.3
};

static FillSettings
with_passes (int again)
{
  FillSettings more = settings;

  more.again = again;
  return more;
}

static Image *
waves (void)
{
  Image *image = image_new (SIZE, SIZE, 3, 16, NULL);

  for (int y = 0; y < SIZE; y++)
    for (int x = 0; x < SIZE; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] = (guint16) (
          32000 + 12000 * sin (0.7 * x + 0.2 * y + c)
          + 9000 * random_uniform (2, 0, (guint64) (x + SIZE * y)));
  return image;
}

static Mask *
lost_pixels (int width, int height, double share)
{
  Mask *mask = mask_new (width, height, NULL);

  for (guint64 i = 0; i < (guint64) (width * height); i++)
    if (random_uniform (3, 0, i) < share)
      mask->missing[i] = MASK_PIXEL;
  return mask;
}

/* ---- the weight of a patch ---- */

static void
test_confidence (void)
{
  g_auto (MatF) y = random_matf (30, 1, 1);
  g_auto (MatF) found = random_matf (30, 1, 2);
  g_auto (MatF) w = matf_new (30, 1);
  double known = 0, sum = 0, share, expected, found_slope;
  Confidence all, more, less;

  g_test_summary ("The weight is its formula, and its slope the difference");
  for (int i = 0; i < 30; i++) {
    float *weight = matf_at (&w, i, 0);
    double r = (double) y.data[i] - found.data[i];

    *weight = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : 0.3f;
    known += *weight;
    sum += *weight * r * r;
  }
  all = confidence_of (y.data, w.data, found.data, 30);
  share = known / 30;
  expected = share / (sum / known + CONFIDENCE_FLOOR / share);
  assert_at_most (fabs (all.weight - expected), 1e-6 * expected);
  found.data[1] += 1e-2f;
  more = confidence_of (y.data, w.data, found.data, 30);
  found.data[1] -= 2e-2f;
  less = confidence_of (y.data, w.data, found.data, 30);
  /* |r|^2 changes by 4 r h. */
  found_slope = (more.weight - less.weight)
                / (4 * 1e-2 * ((double) found.data[1] + 1e-2 - y.data[1]));
  assert_at_most (fabs (all.slope - found_slope), 1e-3 * fabs (found_slope));
}

/* ---- a pass ---- */

typedef struct {
  const Dictionary *dictionary;
  Pursuit *pursuit;
  float *ridge;
  double sums[SAMPLES], weights[SAMPLES];
} Oracle;

/* Adds what the patch at column @x, row @y predicts. */
static void
add_patch (Oracle *o, const Planes *values, const Planes *trust, int x, int y)
{
  g_auto (MatF) Y = matf_new (NUMBERS, 1);
  g_auto (MatF) W = matf_new (NUMBERS, 1);
  g_auto (SparseMat) X = sparse_new (NUMBERS, 1, settings.max_atoms);
  PursuitOptions options = { settings.max_atoms, settings.max_error,
                             o->ridge };
  float predicted[NUMBERS];
  double weight;

  for (int i = 0; i < NUMBERS; i++) {
    int at = (i / 100 * SIZE + y + i / 10 % 10) * SIZE + x + i % 10;

    W.data[i] = trust->data[at];
    Y.data[i] = W.data[i] > 0 ? values->data[at] : 0;
  }
  g_assert_true (
    pursuit_encode (o->pursuit, &Y, &W, &options, &X, NULL, NULL));
  sparse_apply (&o->dictionary->atoms, &X, 0, predicted);
  weight = confidence_of (Y.data, W.data, predicted, NUMBERS).weight;
  for (int i = 0; i < NUMBERS; i++) {
    int at = (i / 100 * SIZE + y + i / 10 % 10) * SIZE + x + i % 10;

    o->sums[at] += weight * predicted[i];
    o->weights[at] += weight;
  }
}

/* Whether patches begin at coordinate @at: every second pixel, and the edges.
 */
static gboolean
is_place (int at, int shift)
{
  return (at + shift) % settings.step == 0 || at == 0 || at == SIZE - SIDE;
}

/* Replaces all that is not known by the mean of the predictions. */
static void
oracle_pass (Oracle *o, Planes *values, Planes *trust, int shift)
{
  memset (o->sums, 0, sizeof o->sums);
  memset (o->weights, 0, sizeof o->weights);
  for (int y = 0; y <= SIZE - SIDE; y++)
    for (int x = 0; x <= SIZE - SIDE; x++)
      if (is_place (x, shift) && is_place (y, shift))
        add_patch (o, values, trust, x, y);
  for (int i = 0; i < SAMPLES; i++)
    if (trust->data[i] < 1) {
      values->data[i] = (float) (o->sums[i] / o->weights[i]);
      trust->data[i] = FILL_LATER_TRUST;
    }
}

static void
test_definition (void)
{
  g_autoptr (Dictionary) cosines = dictionary_cosines (3, NULL);
  g_autoptr (Image) image = waves ();
  g_autoptr (Mask) mask = lost_pixels (SIZE, SIZE, 0.5);
  g_autoptr (Planes) values = planes_new (SIZE, SIZE, 3, NULL);
  g_autoptr (Planes) trust = planes_new (SIZE, SIZE, 3, NULL);
  g_autoptr (Planes) found = planes_new (SIZE, SIZE, 3, NULL);
  g_autoptr (Planes) known = planes_new (SIZE, SIZE, 3, NULL);
  g_autoptr (Pursuit) pursuit = pursuit_new (&cosines->atoms, NULL);
  g_autofree float *ridge = fill_make_ridge (cosines, settings.ridge, NULL);
  Oracle oracle = { .dictionary = cosines, .pursuit = pursuit,
                    .ridge = ridge };

  g_test_summary ("One pass is the mean of all predictions by their weights; a"
                  " second one, of patches between them, trusts it a"
                  " little");
  for (int again = 0; again <= 1; again++) {
    g_autoptr (Canvas) canvas = canvas_new (image, mask, 3, SIDE, NULL);
    FillSettings passes = with_passes (again);
    gsize patches;

    if (again == 0)
      canvas_read (canvas, 0, 0, values, trust);
    for (int i = 0; again == 0 && i < SAMPLES; i++)
      trust->data[i] = mask->missing[i % (SIZE * SIZE)] ? 0 : 1;
    oracle_pass (&oracle, values, trust, again);
    g_assert_true (
      canvas_fill (canvas, cosines, &passes, &patches, NULL, NULL));
    g_assert_cmpuint (patches, ==, again == 0 ? 8 * 8 : 8 * 8 + 9 * 9);
    canvas_read (canvas, 0, 0, found, known);
    for (int i = 0; i < SAMPLES; i++)
      g_assert_cmpfloat_with_epsilon (found->data[i], values->data[i], 2e-4f);
  }
}

/* ---- properties ---- */

static void
test_flat (void)
{
  g_autoptr (Dictionary) cosines = dictionary_cosines (3, NULL);
  g_autoptr (Image) image = image_new (SIZE, SIZE, 3, 8, NULL);
  g_autoptr (Mask) mask = lost_pixels (SIZE, SIZE, 0.8);
  g_autoptr (Canvas) canvas = NULL;
  FillSettings passes = with_passes (2);
  gsize patches;

  g_test_summary ("A picture of one colour stays so");
  for (gsize i = 0; i < SAMPLES; i++)
    image->samples[i] = (guint16) (40 + 60 * (i % 3));
  canvas = canvas_new (image, mask, 3, SIDE, NULL);
  g_assert_true (
    canvas_fill (canvas, cosines, &passes, &patches, NULL, NULL));
  canvas_write_back (canvas, image);
  for (gsize i = 0; i < SAMPLES; i++)
    g_assert_cmpint (image->samples[i], ==, (int) (40 + 60 * (i % 3)));
}

/* Half of a photograph restored. */
static Image *
restore_photo (const Image *photo, int again)
{
  g_autoptr (Dictionary) cosines = dictionary_cosines (3, NULL);
  g_autoptr (Mask) mask = lost_pixels (photo->width, photo->height, 0.5);
  Image *result = image_copy (photo, NULL);
  FillSettings passes = with_passes (again);
  g_autoptr (Canvas) canvas = NULL;
  gsize patches;

  for (gsize i = 0; i < image_pixels (result); i++)
    for (int c = 0; mask->missing[i] && c < 3; c++)
      result->samples[3 * i + (gsize) c] = 0;
  passes.max_atoms = 20;
  canvas = canvas_new (result, mask, 3, SIDE, NULL);
  g_assert_true (
    canvas_fill (canvas, cosines, &passes, &patches, NULL, NULL));
  canvas_write_back (canvas, result);
  for (gsize i = 0; i < image_pixels (photo); i++)
    for (int c = 0; !mask->missing[i] && c < 3; c++)
      g_assert_cmpint (result->samples[3 * i + (gsize) c], ==,
                       photo->samples[3 * i + (gsize) c]);
  return result;
}

static void
test_again (void)
{
  g_autoptr (Image) photo = load_photo_middle ("canyon7", 64, 64);
  g_autoptr (Image) once = restore_photo (photo, 0);
  g_autoptr (Image) twice = restore_photo (photo, 1);
  g_autoptr (ThreadPool) pool = thread_pool_new (3);
  g_autoptr (Image) threaded = NULL;
  ParallelScope scope;
  gsize size = 3 * image_pixels (photo) * sizeof *photo->samples;

  g_test_summary ("A second pass gains, leaves what is known, and threads do"
                  " not change it");
  assert_at_most (psnr (photo, once) + 0.05, psnr (photo, twice));
  parallel_enter (&scope, pool);
  threaded = restore_photo (photo, 1);
  parallel_leave (&scope);
  g_assert_cmpint (memcmp (threaded->samples, twice->samples, size), ==, 0);
}

/* ---- its dictionary ---- */

static void
test_learned_and_cosines (void)
{
  g_autoptr (Dictionary) both = dictionary_learned_and_cosines (NULL);
  g_autoptr (Dictionary) learned = dictionary_learned (NULL);
  g_autoptr (Dictionary) cosines = dictionary_cosines (3, NULL);
  int first = learned->atoms.cols;

  g_test_summary ("The learned atoms, then the cosines, and no others");
  g_assert_cmpint (both->patch, ==, SIDE);
  g_assert_cmpint (both->channels, ==, 3);
  g_assert_cmpint (both->atoms.cols, ==, first + cosines->atoms.cols);
  for (int j = 0; j < both->atoms.cols; j++)
    for (int i = 0; i < NUMBERS; i++)
      g_assert_cmpfloat (*matf_at (&both->atoms, i, j), ==,
                         j < first
                           ? *matf_at (&learned->atoms, i, j)
                           : *matf_at (&cosines->atoms, i, j - first));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/fill/confidence", test_confidence);
  g_test_add_func ("/fill/definition", test_definition);
  g_test_add_func ("/fill/flat", test_flat);
  g_test_add_func ("/fill/again", test_again);
  g_test_add_func ("/fill/dictionary", test_learned_and_cosines);
  return g_test_run ();
}
