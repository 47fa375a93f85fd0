/* The network that finds specks. */
#include "base/parallel.h"
#include "base/random.h"
#include "imaging/detect/specknet.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

enum { SIDE = 32, HALF = SIDE / 2 };

static void
make_net (SpeckNet *net)
{
  specknet_init (net);
  for (gsize i = 0; i < specknet_size (); i++)
    net->weights[i] = (float) (0.15 * random_normal (1, 0, i));
}

static Image *
make_noise (int width, int height, int channels, int depth)
{
  Image *image = image_new (width, height, channels, depth, NULL);

  for (gsize i = 0; i < image_pixels (image) * (gsize) channels; i++)
    image->samples[i] =
      (guint16) random_below (2, 0, i, (guint64) image_peak (image) + 1);
  return image;
}

/* ---- the layers by their definition, in double precision ---- */

typedef struct {
  int side, channels;
  double *data;
} Values;

static double
value_at (const Values *v, int x, int y, int c)
{
  if (x < 0 || y < 0 || x >= v->side || y >= v->side)
    return 0;
  return v->data[(y * v->side + x) * v->channels + c];
}

static Values
values_new (int side, int channels)
{
  return (Values){ side, channels, g_new0 (double, side *side *channels) };
}

static Values
values_of_picture (const Image *image)
{
  Values v = values_new (HALF, SPECKNET_INPUTS);

  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      for (int c = 0; c < 3; c++)
        v.data[(y / 2 * HALF + x / 2) * SPECKNET_INPUTS
               + 3 * (2 * (y % 2) + x % 2) + c] =
          image_pixel (image, x, y)[c] / 255. - 0.5;
  return v;
}

/* The largest of each square. */
static Values
values_pooled (const Values *v)
{
  Values half = values_new (v->side / 2, v->channels);

  for (int y = 0; y < v->side; y++)
    for (int x = 0; x < v->side; x++)
      for (int c = 0; c < v->channels; c++) {
        double *to = &half.data[(y / 2 * half.side + x / 2) * v->channels + c];
        double value = value_at (v, x, y, c);

        *to = x % 2 == 0 && y % 2 == 0 ? value : fmax (*to, value);
      }
  return half;
}

/* b + W * x + up (V z) at one place. */
static double
sum_at (const SpeckNet *net, int k, const Values *in, const Values *coarse,
        int x, int y, int c)
{
  double sum = net->b[k][c];

  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++)
      for (int j = 0; j < in->channels; j++)
        sum += (double) *matf_at (&net->W[k], c,
                                  (3 * dy + dx) * in->channels + j)
               * value_at (in, x + dx - 1, y + dy - 1, j);
  for (int j = 0; coarse != NULL && j < coarse->channels; j++)
    sum += (double) *matf_at (&net->V[k], c, j)
           * value_at (coarse, x / 2, y / 2, j);
  return sum;
}

static Values
values_of_layer (const SpeckNet *net, int k, const Values *picture,
                 const Values *layers)
{
  const SpeckLayer *layer = &specknet_layers[k];
  Values in = layer->fine == SPECKNET_PICTURE ? *picture
                                              : layers[layer->fine];
  Values out = values_new (SIDE >> layer->halvings, layer->channels);
  gboolean is_pooled = in.side > out.side;
  const Values *coarse =
    layer->coarse == SPECKNET_NONE ? NULL : &layers[layer->coarse];

  if (is_pooled)
    in = values_pooled (&in);
  for (int y = 0; y < out.side; y++)
    for (int x = 0; x < out.side; x++)
      for (int c = 0; c < out.channels; c++) {
        double sum = sum_at (net, k, &in, coarse, x, y, c);

        out.data[(y * out.side + x) * out.channels + c] =
          k < SPECKNET_LAYERS - 1 ? fmax (sum, 0) : sum;
      }
  if (is_pooled)
    g_free (in.data);
  return out;
}

static void
test_definition (void)
{
  g_autoptr (Image) image = make_noise (SIDE, SIDE, 3, 8);
  g_auto (SpeckNet) net = { 0 };
  g_auto (SpeckPass) pass = { 0 };
  Values picture = values_of_picture (image), layers[SPECKNET_LAYERS];
  const Values *last = &layers[SPECKNET_LAYERS - 1];
  double most = 0;

  g_test_summary ("Logits are what the formulas of specknet.h say");
  make_net (&net);
  g_assert_true (speck_pass_init (&pass, SIDE, NULL));
  speck_pass_load (&pass, image, 0, 0);
  specknet_run (&net, &pass);
  for (int k = 0; k < SPECKNET_LAYERS; k++)
    layers[k] = values_of_layer (&net, k, &picture, layers);
  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++) {
      double logit = value_at (last, x / 2, y / 2, 2 * (y % 2) + x % 2);

      most = fmax (most, fabs (logit));
      g_assert_cmpfloat_with_epsilon (speck_pass_logit (&pass, x, y), logit,
                                      1e-4);
    }
  g_assert_cmpfloat (most, >, 0.1);
  for (int k = 0; k < SPECKNET_LAYERS; k++)
    g_free (layers[k].data);
  g_free (picture.data);
}

/* ---- pictures ---- */

static void
score (const Image *image, BytePlane *scores)
{
  g_auto (SpeckNet) net = { 0 };

  g_assert_true (specknet_load (&net, NULL));
  g_assert_true (
    byte_plane_init (scores, image->width, image->height, NULL));
  g_assert_true (specknet_score (&net, image, scores, NULL, NULL));
}

static void
test_threads (void)
{
  g_autoptr (Image) image = make_noise (500, 400, 3, 8);
  BytePlane of[2] = { 0 };

  g_test_summary ("One thread gives the scores that four give");
  for (int i = 0; i < 2; i++) {
    g_autoptr (ThreadPool) pool = thread_pool_new (i == 0 ? 1 : 4);
    ParallelScope scope;

    parallel_enter (&scope, pool);
    score (image, &of[i]);
    parallel_leave (&scope);
  }
  g_assert_cmpmem (of[0].data, (int) byte_plane_size (&of[0]), of[1].data,
                   (int) byte_plane_size (&of[1]));
  byte_plane_clear (&of[0]);
  byte_plane_clear (&of[1]);
}

static void
test_kinds_of_pictures (void)
{
  g_autoptr (Image) grey = make_noise (70, 50, 1, 8);
  g_autoptr (Image) colour = image_new (70, 50, 4, 16, NULL);
  g_auto (BytePlane) of_grey = { 0 };
  g_auto (BytePlane) of_colour = { 0 };

  g_test_summary ("Grey, colour, alpha and 16 bits look alike");
  for (gsize i = 0; i < image_pixels (grey); i++)
    for (int c = 0; c < 4; c++)
      colour->samples[4 * i + (gsize) c] =
        (guint16) (c < 3 ? 257 * grey->samples[i] : 65535);
  score (grey, &of_grey);
  score (colour, &of_colour);
  for (gsize i = 0; i < byte_plane_size (&of_grey); i++)
    g_assert_cmpint (ABS (of_grey.data[i] - of_colour.data[i]), <=, 1);
}

static void
test_small (void)
{
  g_auto (SpeckNet) net = { 0 };

  g_test_summary ("Any size has scores");
  g_assert_true (specknet_load (&net, NULL));
  for (int side = 1; side < 12; side += 5) {
    g_autoptr (Image) image = make_noise (side, 12 - side, 3, 8);
    g_auto (BytePlane) scores = { 0 };

    /* No pixel of noise is that likely, so all of them have a new score. */
    g_assert_true (byte_plane_init (&scores, side, 12 - side, NULL));
    memset (scores.data, 255, byte_plane_size (&scores));
    g_assert_true (specknet_score (&net, image, &scores, NULL, NULL));
    for (gsize i = 0; i < byte_plane_size (&scores); i++)
      g_assert_cmpint (scores.data[i], <, 255);
  }
}

static void
test_speck (void)
{
  g_autoptr (Image) image = image_new (120, 90, 3, 8, NULL);
  g_auto (BytePlane) scores = { 0 };

  g_test_summary ("A speck on a slope stands out, and nothing else");
  for (int y = 0; y < 90; y++)
    for (int x = 0; x < 120; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] =
          (guint16) (hypot (x - 60, y - 45) < 3.3 ? 225 : 60 + x / 2 + 5 * c);
  score (image, &scores);
  for (int y = 0; y < 90; y++)
    for (int x = 0; x < 120; x++) {
      double distance = hypot (x - 60, y - 45);
      int value = scores.data[y * 120 + x];

      if (distance < 3)
        g_assert_cmpint (value, >, SCORE_ZERO + SCORE_UNIT);
      else if (distance > 6)
        g_assert_cmpint (value, <, SCORE_ZERO);
    }
}

/* ---- files ---- */

static void
test_file (void)
{
  g_auto (SpeckNet) net = { 0 };
  g_auto (SpeckNet) again = { 0 };
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) cut = NULL;
  g_autoptr (GError) error = NULL;

  g_test_summary ("Weights are read as they were written");
  make_net (&net);
  bytes = specknet_to_bytes (&net);
  g_assert_true (specknet_from_bytes (bytes, &again, NULL));
  for (gsize i = 0; i < specknet_size (); i++)
    g_assert_cmpfloat_with_epsilon (again.weights[i], net.weights[i], 1e-3);
  cut = g_bytes_new_from_bytes (bytes, 0, g_bytes_get_size (bytes) - 2);
  specknet_clear (&again);
  g_assert_false (specknet_from_bytes (cut, &again, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/specknet/definition", test_definition);
  g_test_add_func ("/specknet/threads", test_threads);
  g_test_add_func ("/specknet/kinds", test_kinds_of_pictures);
  g_test_add_func ("/specknet/small", test_small);
  g_test_add_func ("/specknet/speck", test_speck);
  g_test_add_func ("/specknet/file", test_file);
  return g_test_run ();
}
