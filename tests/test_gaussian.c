/* test_gaussian.c - models of similar patches against what they are by
 * definition */
#include "base/multiplyadd.h"
#include "base/random.h"
#include "imaging/inpaint/gaussian.h"
#include "imaging/inpaint/normalequations.h"
#include "imaging/similar.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

#define SIDE 4
#define NUMBERS (SIDE * SIDE * 3)

G_STATIC_ASSERT (NUMBERS % NORMAL_PADDING == 0);
#define WIDTH 20
#define HEIGHT 18

static const GaussianSettings settings = {
  .passes = 1, .side = SIDE, .step = 2, .similar = 13, .radius = 5,
  .fall = 1.3, .noise = 0.02
};

static Image *
waves (void)
{
  Image *image = image_new (WIDTH, HEIGHT, 3, 16, NULL);

  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int c = 0; c < 3; c++)
        image_pixel (image, x, y)[c] = (guint16) (
          32000 + 12000 * sin (0.7 * x + 0.2 * y + c)
          + 9000 * random_uniform (2, 0, (guint64) (x + WIDTH * y)));
  return image;
}

/* A share of the samples, each by itself. */
static Mask *
lost_samples (double share)
{
  Mask *mask = mask_new (WIDTH, HEIGHT, NULL);

  for (guint64 i = 0; i < WIDTH * HEIGHT; i++)
    for (int c = 0; c < 3; c++)
      if (random_uniform (3, (guint64) c, i) < share)
        mask->missing[i] |= MASK_CHANNEL (c);
  return mask;
}

/* b = A^-1 b by elimination; A is positive definite. */
static void
solve (double A[NUMBERS][NUMBERS], double *b, int n)
{
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) {
      double factor = A[i][j] / A[j][j];

      for (int k = j; k < n; k++)
        A[i][k] -= factor * A[j][k];
      b[i] -= factor * b[j];
    }
  for (int j = n - 1; j >= 0; j--) {
    for (int k = j + 1; k < n; k++)
      b[j] -= A[j][k] * b[k];
    b[j] /= A[j][j];
  }
}

static double
patch_sample (const Planes *planes, int x, int y, int i)
{
  return *planes_at (planes, i / (SIDE * SIDE), x + i % SIDE,
                     y + i / SIDE % SIDE);
}

/* Shares of draws, one in the mean, that fall with the distance. */
static void
shares_of (const Candidate *draws, int count, double *shares)
{
  double farthest = 0, sum = 0;

  for (int k = 0; k < count; k++)
    farthest = MAX (farthest, (double) draws[k].distance);
  for (int k = 0; k < count; k++)
    sum += shares[k] = exp (-settings.fall * (double) draws[k].distance / farthest);
  for (int k = 0; k < count; k++)
    shares[k] *= count / sum;
}

/* mu + C M' (M C M' + v I)^-1 M (y - mu), with C itself. */
static void
expected_patch (const Planes *values, const Planes *known,
                const Candidate *draws, int count, int x, int y, double *out)
{
  static double C[NUMBERS][NUMBERS], A[NUMBERS][NUMBERS];
  double mean[NUMBERS] = { 0 }, right[NUMBERS];
  double shares[11 * 11];
  int seen[NUMBERS], m = 0;

  shares_of (draws, count, shares);
  memset (C, 0, sizeof C);
  for (int i = 0; i < NUMBERS; i++)
    for (int k = 0; k < count; k++)
      mean[i] += shares[k] * patch_sample (values, draws[k].x, draws[k].y, i)
                 / count;
  for (int i = 0; i < NUMBERS; i++)
    for (int j = 0; j < NUMBERS; j++)
      for (int k = 0; k < count; k++)
        C[i][j] += shares[k]
                   * (patch_sample (values, draws[k].x, draws[k].y, i) - mean[i])
                   * (patch_sample (values, draws[k].x, draws[k].y, j)
                      - mean[j])
                   / (count - 1);
  for (int i = 0; i < NUMBERS; i++)
    if (patch_sample (known, x, y, i) == 1) {
      right[m] = patch_sample (values, x, y, i) - mean[i];
      seen[m++] = i;
    }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      A[i][j] = C[seen[i]][seen[j]]
                + (i == j ? settings.noise * settings.noise : 0);
  solve (A, right, m);
  for (int i = 0; i < NUMBERS; i++) {
    out[i] = mean[i];
    for (int j = 0; j < m; j++)
      out[i] += C[i][seen[j]] * right[j];
  }
}

/* The weight of a patch: a hundredth and what is known of it. */
static double
weight_at (const Planes *known, int x, int y)
{
  double sum = 0.01;

  for (int i = 0; i < NUMBERS; i++)
    sum += patch_sample (known, x, y, i) / NUMBERS;
  return sum;
}

static gboolean
holds_missing (const Planes *known, int x, int y)
{
  for (int i = 0; i < NUMBERS; i++)
    if (patch_sample (known, x, y, i) == 0)
      return TRUE;
  return FALSE;
}

static void
add_patch (const Planes *values, const Planes *known, const GreyRows *grey,
           int x, int y, double *sums, double *weights)
{
  Candidate draws[11 * 11];
  double patch[NUMBERS], weight = weight_at (known, x, y);
  int count =
    similar_list (grey, x, y, SIDE, settings.radius, draws);

  count = similar_select (draws, count, settings.similar);
  expected_patch (values, known, draws, count, x, y, patch);
  for (int i = 0; i < NUMBERS; i++) {
    int at = (i / (SIDE * SIDE) * HEIGHT + y + i / SIDE % SIDE) * WIDTH + x
             + i % SIDE;

    sums[at] += weight * patch[i];
    weights[at] += weight;
  }
}

static void
grey_of (const Planes *values, GreyRows *grey)
{
  g_assert_true (grey_rows_init (grey, WIDTH, HEIGHT, HEIGHT, NULL));
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      float sum = 0;

      for (int c = 0; c < 3; c++)
        sum += *planes_at (values, c, x, y);
      *grey_rows_at (grey, x, y) = sum / 3;
    }
}

/* The mean of conditional expectations, in double precision, by covariances
 * and without what makes it fast. */
static void
check_expectation (double share)
{
  g_autoptr (Image) image = waves ();
  g_autoptr (Mask) mask = lost_samples (share);
  g_autoptr (Canvas) canvas =
    canvas_new (image, mask, 3, gaussian_reach (&settings), NULL);
  g_autoptr (Planes) before = planes_new (WIDTH, HEIGHT, 3, NULL);
  g_autoptr (Planes) after = planes_new (WIDTH, HEIGHT, 3, NULL);
  g_autoptr (Planes) known = planes_new (WIDTH, HEIGHT, 3, NULL);
  double sums[WIDTH * HEIGHT * 3] = { 0 }, weights[WIDTH * HEIGHT * 3] = { 0 };
  GreyRows grey;
  gsize patches = 0;
  int moved = 0;

  g_assert_true (canvas_fill_rest (canvas));
  canvas_read (canvas, 0, 0, before, known);
  grey_of (before, &grey);
  for (int y = 0; y <= HEIGHT - SIDE; y += settings.step)
    for (int x = 0; x <= WIDTH - SIDE; x += settings.step)
      if (holds_missing (known, x, y))
        add_patch (before, known, &grey, x, y, sums, weights);
  g_assert_true (canvas_model (canvas, &settings, &patches, NULL, NULL));
  g_assert_cmpuint (patches, >, 20);
  canvas_read (canvas, 0, 0, after, known);
  for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
    if (known->data[i] == 1)
      g_assert_cmpfloat (after->data[i], ==, before->data[i]);
    else
      g_assert_cmpfloat_with_epsilon (after->data[i],
                                      (float) (sums[i] / weights[i]), 2e-4f);
    moved += fabsf (after->data[i] - before->data[i]) > 0.001f;
  }
  g_assert_cmpint (moved, >, 100);
  grey_rows_clear (&grey);
}

static void
test_more_known_than_draws (void)
{
  check_expectation (0.3);
}

static void
test_fewer_known_than_draws (void)
{
  check_expectation (0.85);
}

/* Where all patches are alike there is nothing to learn, and nothing to divide
 * by. */
static void
test_flat (void)
{
  g_autoptr (Image) image = image_new (12, 12, 3, 8, NULL);
  g_autoptr (Mask) mask = mask_new (12, 12, NULL);
  g_autoptr (Canvas) canvas = NULL;
  gsize patches;

  for (gsize i = 0; i < 3 * image_pixels (image); i++)
    image->samples[i] = 77;
  for (int i = 0; i < 144; i += 2)
    mask->missing[i] = MASK_PIXEL;
  canvas = canvas_new (image, mask, 3, gaussian_reach (&settings), NULL);
  g_assert_true (canvas_fill_rest (canvas));
  g_assert_true (canvas_model (canvas, &settings, &patches, NULL, NULL));
  canvas_write_back (canvas, image);
  for (gsize i = 0; i < 3 * image_pixels (image); i++)
    g_assert_cmpint (image->samples[i], ==, 77);
}

/* ---- normal equations ---- */

/* All sets of instructions solve what elimination in double precision does,
 * and those that round alike with the same bits. */
static void
check_solve (int unknowns, int rows)
{
  static double A[NUMBERS][NUMBERS];
  int n = normal_padded (unknowns);
  g_autofree float *R = g_new0 (float, n *rows);
  g_autofree float *factor = g_new (float, n *n);
  NormalEquations equations = { R, rows, n, 0.3f };
  float right[NUMBERS] = { 0 }, first[NUMBERS], b[NUMBERS];
  double expected[NUMBERS];

  for (int i = 0; i < unknowns; i++) {
    for (int r = 0; r < rows; r++)
      R[r * n + i] =
        (float) random_uniform (5, (guint64) i, (guint64) r) - 0.5f;
    expected[i] = right[i] = (float) random_uniform (6, 0, (guint64) i);
  }
  for (int i = 0; i < unknowns; i++)
    for (int j = 0; j < unknowns; j++) {
      A[i][j] = i == j ? 0.3 : 0;
      for (int r = 0; r < rows; r++)
        A[i][j] += R[r * n + i] * R[r * n + j];
    }
  solve (A, expected, unknowns);
  for (int set = 0;; set++) {
    memcpy (b, right, sizeof b);
    if (!normal_solve_with (set, &equations, factor, b))
      break;
    for (int i = 0; i < unknowns; i++)
      g_assert_cmpfloat_with_epsilon (b[i], (float) expected[i], 1e-4f);
    if (set == 0)
      memcpy (first, b, sizeof b);
    else if (cpu_set_fuses (cpu_set (set)) == cpu_set_fuses (cpu_set (0)))
      g_assert_cmpmem (b, sizeof b, first, sizeof first);
  }
}

static void
test_normal_equations (void)
{
  for (int unknowns = 1; unknowns <= NUMBERS; unknowns += 5) {
    check_solve (unknowns, unknowns / 2 + 1);
    check_solve (unknowns, 2 * unknowns);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/gaussian/expectation/draws", test_more_known_than_draws);
  g_test_add_func ("/gaussian/expectation/samples",
                   test_fewer_known_than_draws);
  g_test_add_func ("/gaussian/flat", test_flat);
  g_test_add_func ("/gaussian/normal-equations", test_normal_equations);
  return g_test_run ();
}
