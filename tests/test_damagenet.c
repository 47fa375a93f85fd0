/* The network that finds damage, and the marks that are made of its map. */
#include "base/parallel.h"
#include "base/random.h"
#include "imaging/detect/damagenet.h"
#include "imaging/detect/mapmarks.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { SIDE = 64 };

/* ---- the layers by their definition, in double precision ---- */

typedef struct {
  int side, channels;
  double *data;
} Values;

static Values
values_new (int side, int channels)
{
  return (Values){ side, channels, g_new0 (double, side *side *channels) };
}

static double
value_at (const Values *v, int x, int y, int c)
{
  if (x < 0 || y < 0 || x >= v->side || y >= v->side)
    return 0;
  return v->data[(y * v->side + x) * v->channels + c];
}

static Values
values_of_picture (const DamagePass *pass)
{
  Values v = values_new (SIDE / 2, DAMAGENET_INPUTS);

  for (int y = 0; y < v.side; y++)
    for (int x = 0; x < v.side; x++)
      for (int c = 0; c < v.channels; c++)
        v.data[(y * v.side + x) * v.channels + c] =
          net_plane_at (&pass->picture, x, y)[c];
  return v;
}

/* The largest of each square. */
static Values
values_pooled (const Values *v)
{
  Values half = values_new (v->side / 2, v->channels);

  for (int y = 0; y < half.side; y++)
    for (int x = 0; x < half.side; x++)
      for (int c = 0; c < v->channels; c++)
        half.data[(y * half.side + x) * v->channels + c] =
          fmax (fmax (value_at (v, 2 * x, 2 * y, c),
                      value_at (v, 2 * x + 1, 2 * y, c)),
                fmax (value_at (v, 2 * x, 2 * y + 1, c),
                      value_at (v, 2 * x + 1, 2 * y + 1, c)));
  return half;
}

/* W * x + up (V z) + G m + b, before it is cut off. */
static Values
values_of_layer (const DamageNet *net, int k, const Values *x, const Values *z,
                 const float *m)
{
  Values out = values_new (x->side, net->W[k].rows);

  for (int row = 0; row < out.side; row++)
    for (int col = 0; col < out.side; col++)
      for (int c = 0; c < out.channels; c++) {
        double sum = net->b[k][c];

        for (int place = 0; place < 9; place++)
          for (int j = 0; j < x->channels; j++)
            sum += (double) *matf_at (&net->W[k], c, place * x->channels + j)
                   * value_at (x, col + place % 3 - 1, row + place / 3 - 1, j);
        for (int j = 0; z != NULL && j < z->channels; j++)
          sum += (double) *matf_at (&net->V[k], c, j)
                 * value_at (z, col / 2, row / 2, j);
        for (int j = 0; j < net->G[k].cols; j++)
          sum += (double) *matf_at (&net->G[k], c, j) * m[j];
        out.data[(row * out.side + col) * out.channels + c] =
          k == DAMAGENET_LAYERS - 1 ? sum : fmax (0, sum);
      }
  return out;
}

/* All layers, down and up again. */
static void
compute_by_definition (const DamageNet *net, const Values *picture,
                       const float *m, Values *y)
{
  /* What each layer takes, -1 for the picture, and its coarser layer. */
  static const int fine[] = { -1, 0, 1, 2,  3, 4,  5, 6,  7,
                              8,  7, 5, 11, 3, 13, 1, 15, 16 };
  static const int coarse[] = { -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                -1, 9,  10, -1, 12, -1, 14, -1, -1 };

  for (int k = 0; k < DAMAGENET_LAYERS; k++) {
    Values x = fine[k] < 0 ? *picture : y[fine[k]];
    gboolean is_pooled = k == 2 || k == 4 || k == 6 || k == 8;
    const Values *z = coarse[k] < 0 ? NULL : &y[coarse[k]];

    if (is_pooled)
      x = values_pooled (&x);
    y[k] = values_of_layer (net, k, &x, z, m);
    if (is_pooled)
      g_free (x.data);
  }
}

static void
make_noise (DamagePass *pass)
{
  for (int y = 0; y < pass->height; y++)
    for (int x = 0; x < pass->width; x++)
      for (int c = 0; c < 3; c++)
        damage_pass_pixel (pass, x, y)[c] =
          (float) random_uniform (1, (guint64) c,
                                  (guint64) (y * pass->width + x))
          - 0.5f;
}

static void
test_layers (void)
{
  g_auto (DamageNet) net = { 0 };
  g_auto (DamagePass) pass = { 0 };
  Values y[DAMAGENET_LAYERS], picture;
  float m[DAMAGENET_CONTEXT];
  double sum[DAMAGENET_CONTEXT] = { 0 };
  gsize places;

  g_test_summary ("All layers are what their definition says");
  g_assert_true (damagenet_load (&net, NULL));
  g_assert_true (damage_pass_init (&pass, SIDE, SIDE, NULL));
  make_noise (&pass);
  picture = values_of_picture (&pass);
  places = damagenet_add_context (&net, &pass, 0, 0, SIDE, SIDE, sum);
  g_assert_cmpuint (places, ==, 4);
  for (int c = 0; c < DAMAGENET_CONTEXT; c++)
    m[c] = (float) (sum[c] / 4);
  damagenet_run (&net, &pass, m);
  compute_by_definition (&net, &picture, m, y);
  for (int c = 0; c < DAMAGENET_CONTEXT; c++) {
    double mean = 0;

    for (int i = 0; i < 4; i++)
      mean += y[8].data[i * DAMAGENET_CONTEXT + c] / 4;
    g_assert_cmpfloat (fabs (mean - m[c]), <=, 1e-3);
  }
  for (int k = 0; k < DAMAGENET_LAYERS; k++)
    for (int i = 0; i < y[k].side * y[k].side; i++)
      for (int c = 0; c < y[k].channels; c++) {
        double value = y[k].data[i * y[k].channels + c];
        float got =
          net_plane_at (&pass.layer[k], i % y[k].side, i / y[k].side)[c];

        g_assert_cmpfloat (fabs (value - (double) got), <=,
                           1e-4 * (1 + fabs (value)));
      }
  for (int k = 0; k < DAMAGENET_LAYERS; k++)
    g_free (y[k].data);
  g_free (picture.data);
}

/* Runs @net on @pass, with the mean of its own. */
static void
run_alone (const DamageNet *net, DamagePass *pass)
{
  double sum[DAMAGENET_CONTEXT] = { 0 };
  gsize places =
    damagenet_add_context (net, pass, 0, 0, pass->width, pass->height, sum);
  float m[DAMAGENET_CONTEXT];

  for (int c = 0; c < DAMAGENET_CONTEXT; c++)
    m[c] = (float) (sum[c] / (double) places);
  damagenet_run (net, pass, m);
}

static void
test_transpose (void)
{
  g_auto (DamageNet) net = { 0 };
  g_auto (DamageNet) transposed = { 0 };
  g_auto (DamagePass) pass = { 0 };
  g_auto (DamagePass) turned = { 0 };

  g_test_summary ("The transposed network sees in a transposed picture what "
                  "the network sees in the picture");
  g_assert_true (damagenet_load (&net, NULL));
  g_assert_true (damagenet_transpose (&net, &transposed, NULL));
  g_assert_true (damage_pass_init (&pass, SIDE, 2 * SIDE, NULL));
  g_assert_true (damage_pass_init (&turned, 2 * SIDE, SIDE, NULL));
  make_noise (&pass);
  for (int y = 0; y < pass.height; y++)
    for (int x = 0; x < pass.width; x++)
      memcpy (damage_pass_pixel (&turned, y, x),
              damage_pass_pixel (&pass, x, y), 3 * sizeof (float));
  run_alone (&net, &pass);
  run_alone (&transposed, &turned);
  for (int y = 0; y < pass.height; y++)
    for (int x = 0; x < pass.width; x++) {
      const float *square = damage_pass_square (&pass, x, y);
      const float *other = damage_pass_square (&turned, y, x);
      int corner = 2 * (y % 2) + x % 2, across = 2 * (x % 2) + y % 2;

      for (int i = 0; i < DAMAGENET_OUTPUTS; i++) {
        int of = i < 8 ? i / 4 * 4 + across : i;
        int at = i < 8 ? i / 4 * 4 + corner : i;

        g_assert_cmpfloat (fabsf (square[at] - other[of]), <=,
                           1e-3f * (1 + fabsf (square[at])));
      }
    }
}

static void
test_wrong_weights (void)
{
  static const char text[] = "no tensors";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, sizeof text);
  g_autoptr (GError) error = NULL;
  g_auto (DamageNet) net = { 0 };

  g_assert_false (damagenet_from_bytes (bytes, &net, &error));
  g_assert_nonnull (error);
}

/* ---- maps ---- */

static Image *
noisy_image (int width, int height, int channels, int depth)
{
  Image *image = image_new (width, height, channels, depth, NULL);

  for (gsize i = 0; i < image_pixels (image) * (gsize) channels; i++)
    image->samples[i] =
      (guint16) random_below (2, 0, i, (guint64) image_peak (image) + 1);
  return image;
}

static gboolean
maps_equal (const DamageMap *a, const DamageMap *b)
{
  gsize size = (gsize) a->width * (gsize) a->height;

  return memcmp (a->likelihood, b->likelihood, size) == 0
         && memcmp (a->kind, b->kind, size) == 0;
}

static void
test_threads (void)
{
  g_autoptr (Image) image = noisy_image (230, 190, 3, 8);
  g_autoptr (DamageMap) one = NULL, three = NULL;
  int threads = parallel_threads ();

  g_test_summary ("Any number of threads, the same map");
  parallel_init (1);
  one = damage_map_new (image, NULL, NULL);
  parallel_init (3);
  three = damage_map_new (image, NULL, NULL);
  parallel_init (threads);
  g_assert_true (maps_equal (one, three));
}

static void
test_samples (void)
{
  g_autoptr (Image) eight = noisy_image (70, 50, 1, 8);
  g_autoptr (Image) sixteen = image_new (70, 50, 1, 16, NULL);
  g_autoptr (Image) colours = image_new (70, 50, 3, 8, NULL);
  g_autoptr (DamageMap) a = NULL, b = NULL, c = NULL;

  g_test_summary ("Grey, three equal colours and 16 bits give the same map");
  for (gsize i = 0; i < image_pixels (eight); i++) {
    sixteen->samples[i] = (guint16) (257 * eight->samples[i]);
    for (int k = 0; k < 3; k++)
      colours->samples[3 * i + (gsize) k] = eight->samples[i];
  }
  a = damage_map_new (eight, NULL, NULL);
  b = damage_map_new (sixteen, NULL, NULL);
  c = damage_map_new (colours, NULL, NULL);
  g_assert_true (maps_equal (a, b) && maps_equal (a, c));
}

static void
test_small_and_odd (void)
{
  static const int sizes[][2] = { { 1, 1 }, { 3, 200 }, { 33, 31 },
                                  { 795, 40 }, { 40, 1433 } };

  g_test_summary ("Pictures of any size have a map of that size");
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autoptr (Image) image = noisy_image (sizes[i][0], sizes[i][1], 3, 8);
    g_autoptr (DamageMap) map = damage_map_new (image, NULL, NULL);

    g_assert_cmpint (map->width, ==, sizes[i][0]);
    g_assert_cmpint (map->height, ==, sizes[i][1]);
  }
}

/* ---- marks ---- */

enum { WIDTH = 40, HEIGHT = 30 };

/* Random bytes that are correlated, so that there are marks of all sizes. */
static void
fill_map (DamageMap *map, guint64 seed)
{
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      guint64 i = (guint64) (y * WIDTH + x);

      map->likelihood[i] =
        (guint8) (128 + 60 * sin (x * 0.7 + (double) seed) * cos (y * 0.9)
                  + 30 * random_uniform (seed, 0, i));
      map->kind[i] = (guint8) ((x / 7 + y / 5 + (int) seed) % DAMAGE_CLASSES);
    }
}

/* Whether @a names nothing that @b does not name. */
static gboolean
is_inside (const Mask *a, const Mask *b)
{
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    if (a->missing[i] && !b->missing[i])
      return FALSE;
  return TRUE;
}

static void
test_marks (void)
{
  static const DamageClasses all = (1u << DAMAGE_CLASSES) - 1;
  guint8 likelihood[WIDTH * HEIGHT], kind[WIDTH * HEIGHT];
  DamageMap map = { WIDTH, HEIGHT, likelihood, kind };

  g_test_summary ("More strength marks more; kinds divide the marks");
  for (guint64 seed = 0; seed < 20; seed++) {
    g_autoptr (Mask) before = NULL;
    gsize parts = 0;

    fill_map (&map, seed);
    for (double strength = 0.25; strength <= 4; strength *= 2) {
      Mask *mask = damage_map_marks (&map, all, strength, NULL);

      g_assert_true (before == NULL || is_inside (before, mask));
      mask_free (before);
      before = mask;
    }
    for (int k = 0; k < DAMAGE_CLASSES; k++) {
      g_autoptr (Mask) mask =
        damage_map_marks (&map, DAMAGE_CLASS (k), 4, NULL);

      g_assert_true (is_inside (mask, before));
      parts += mask_count (mask);
    }
    g_assert_cmpuint (parts, ==, mask_count (before));
  }
}

/* A line of one logit, and @sure pixels of four. */
static gsize
marked_beside (int sure)
{
  guint8 likelihood[WIDTH * HEIGHT] = { 0 };
  guint8 kind[WIDTH * HEIGHT] = { DAMAGE_LINES };
  DamageMap map = { WIDTH, HEIGHT, likelihood, kind };
  g_autoptr (Mask) mask = NULL;

  for (int x = 5; x < 30; x++)
    likelihood[5 * WIDTH + x] = LIKELIHOOD_ZERO + LIKELIHOOD_UNIT / 2;
  for (int x = 0; x < sure; x++)
    likelihood[20 * WIDTH + x] = LIKELIHOOD_ZERO + 4 * LIKELIHOOD_UNIT;
  mask = damage_map_marks (&map, DAMAGE_CLASS (DAMAGE_LINES), 1, NULL);
  return mask_count (mask);
}

static void
test_threshold (void)
{
  g_test_summary ("A faint line counts in a picture with sure damage");
  g_assert_cmpuint (marked_beside (0), ==, 0);
  g_assert_cmpuint (marked_beside (40), ==, 65);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/damagenet/layers", test_layers);
  g_test_add_func ("/damagenet/transpose", test_transpose);
  g_test_add_func ("/damagenet/wrong-weights", test_wrong_weights);
  g_test_add_func ("/damagemap/threads", test_threads);
  g_test_add_func ("/damagemap/samples", test_samples);
  g_test_add_func ("/damagemap/sizes", test_small_and_odd);
  g_test_add_func ("/mapmarks/strength-and-kinds", test_marks);
  g_test_add_func ("/mapmarks/threshold", test_threshold);
  return g_test_run ();
}
