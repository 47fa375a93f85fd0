/* test_pursuitkernels.c - the inner loops of the pursuit, in every instruction
 * set that this processor has, do what kernels.h defines */
#include "base/multiplyadd.h"
#include "base/random.h"
#include "omp/kernels.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

/* A matrix as kernels want it, the padding zero. */
static MatF
random_padded (int rows, int cols, guint64 seed)
{
  g_auto (MatF) A = random_matf (rows, cols, seed);
  MatF padded = matf_new (kernel_padded (rows), cols);

  for (int j = 0; j < cols; j++)
    memcpy (matf_at (&padded, 0, j), matf_at (&A, 0, j),
            (gsize) rows * sizeof (float));
  return padded;
}

/* Rounding of a sum of @terms products of normal numbers. */
static double
rounding (int terms)
{
  return 1e-6 * (1 + sqrt (terms));
}

static void
check_sums (const Kernels *kernels, int rows, int cols)
{
  g_auto (MatF) U = random_padded (rows, cols, 1);
  g_auto (MatF) v = random_padded (rows, 1, 2);
  g_auto (MatF) less = matf_new (U.rows, 1);
  g_auto (MatF) more = random_padded (rows, 1, 2);
  g_autofree float *l = g_new (float, cols);
  g_autofree int *which = g_new (int, cols);

  kernels->project (&U, v.data, l);
  for (int j = 0; j < cols; j++) {
    double sum = 0;

    for (int i = 0; i < rows; i++)
      sum += (double) *matf_at (&U, i, j) * v.data[i];
    assert_at_most (fabs (sum - l[j]), rounding (rows));
    l[j] = (float) random_uniform (4, 0, (guint64) j);
    which[j] = (3 * j + 1) % cols;
  }
  kernels->subtract (&U, l, v.data, less.data);
  kernels->add_columns (&U, cols / 2, which, l, more.data);
  for (int i = 0; i < U.rows; i++) {
    double down = v.data[i], up = v.data[i];

    for (int j = 0; j < cols; j++)
      down -= (double) l[j] * *matf_at (&U, i, j);
    for (int j = 0; j < cols / 2; j++)
      up += (double) l[j] * *matf_at (&U, i, which[j]);
    assert_at_most (fabs (down - less.data[i]), rounding (cols));
    assert_at_most (fabs (up - more.data[i]), rounding (cols));
  }
}

/* a b + c as multiplyadd.h defines it; volatile, so that nothing is fused but
 * what is meant to be. */
static float
step (gboolean fused, float a, float b, float c)
{
  volatile float product = a * b;

  return fused ? fmaf (a, b, c) : product + c;
}

/* u' v as kernels.h defines it. */
static float
defined_product (gboolean fused, int rows, const float *u, const float *v)
{
  float sums[KERNEL_PADDING] = { 0 };

  for (int i = 0; i < rows; i++) {
    float *sum = &sums[i % KERNEL_PADDING];

    *sum = step (fused, u[i], v[i], *sum);
  }
  for (int half = KERNEL_PADDING / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++)
      sums[i] += sums[i + half];
  return sums[0];
}

/* Every bit of a sum is as the definition says. */
static void
check_bits (const Kernels *kernels, gboolean fused, int rows, int cols)
{
  g_auto (MatF) U = random_padded (rows, cols, 1);
  g_auto (MatF) v = random_padded (rows, 1, 2);
  g_auto (MatF) out = matf_new (U.rows, 1);
  g_autofree float *l = g_new (float, cols);

  kernels->project (&U, v.data, l);
  for (int j = 0; j < cols; j++)
    g_assert_cmpfloat (
      l[j], ==, defined_product (fused, rows, matf_at (&U, 0, j), v.data));
  kernels->subtract (&U, l, v.data, out.data);
  for (int i = 0; i < rows; i++) {
    float sum = v.data[i];

    for (int j = 0; j < cols; j++)
      sum = step (fused, -l[j], *matf_at (&U, i, j), sum);
    g_assert_cmpfloat (out.data[i], ==, sum);
  }
}

/* Each place wins once, also against a later one that is as good. */
static void
check_choice (const Kernels *kernels, int rows)
{
  int length = kernel_padded (rows);
  g_auto (MatF) c = matf_new (length, 1);
  g_auto (MatF) scale = matf_new (length, 1);

  for (int j = 0; j < rows; j++) {
    c.data[j] = (j % 2 ? 0.9f : -0.9f) * (float) random_uniform (5, 0, j);
    scale.data[j] = 0.5f;
  }
  g_assert_cmpint (kernels->choose (length, c.data, scale.data, 1), ==, -1);
  for (int j = 0; j < rows; j++) {
    float was = c.data[j];

    for (int later = j + 1; later < rows; later += 7) {
      float other = c.data[later];

      c.data[j] = -2;
      c.data[later] = 2;
      g_assert_cmpint (kernels->choose (length, c.data, scale.data, 0.5f), ==,
                       j);
      scale.data[j] = 0;
      g_assert_cmpint (kernels->choose (length, c.data, scale.data, 0.5f), ==,
                       later);
      scale.data[j] = 0.5f;
      c.data[later] = other;
    }
    c.data[j] = was;
  }
}

static void
test_kernels (void)
{
  const Kernels *kernels;

  for (int i = 0; (kernels = kernels_get (i)) != NULL; i++) {
    g_test_message ("%s", kernels->name);
    for (int rows = 1; rows <= 420; rows += rows < 40 ? 3 : 29) {
      for (int cols = 1; cols <= 20; cols++) {
        check_sums (kernels, rows, cols);
        check_bits (kernels, cpu_set_fuses (cpu_set (i)), rows, cols);
      }
      if (rows < 160)
        check_choice (kernels, rows);
    }
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/pursuitkernels/sets", test_kernels);
  return g_test_run ();
}
