/* test_student.c - Student's distribution, means and intervals */
#include "base/random.h"
#include "base/student.h"
#include "tests/support.h"

#include <math.h>

static void
test_table (void)
{
  /* Two-sided bounds, W. S. Gosset's table as it is printed everywhere. */
  static const struct {
    int freedom;
    double confidence, bound;
  } rows[] = {
    { 1, 0.90, 6.314 },   { 1, 0.95, 12.706 }, { 1, 0.99, 63.657 },
    { 2, 0.95, 4.303 },   { 3, 0.95, 3.182 },  { 4, 0.99, 4.604 },
    { 5, 0.95, 2.571 },   { 9, 0.95, 2.262 },  { 10, 0.90, 1.812 },
    { 19, 0.95, 2.093 },  { 20, 0.99, 2.845 }, { 29, 0.95, 2.045 },
    { 30, 0.95, 2.042 },  { 60, 0.95, 2.000 }, { 99, 0.95, 1.984 },
    { 120, 0.99, 2.617 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_at_most (
      fabs (student_quantile (rows[i].freedom, rows[i].confidence)
            - rows[i].bound),
      0.0006);
}

static void
test_closed_forms (void)
{
  g_test_summary ("One and two degrees of freedom have formulas of their own");

  for (double c = 0; c < 1; c += 0.0999) {
    double one = tan (c * G_PI_2), two = c * sqrt (2 / (1 - c * c));

    assert_at_most (fabs (student_quantile (1, c) - one), 1e-12 * (1 + one));
    assert_at_most (fabs (student_quantile (2, c) - two), 1e-12 * (1 + two));
  }
}

/* The density of Student's distribution. */
static double
density (int freedom, double t)
{
  double v = freedom;

  return exp (lgamma ((v + 1) / 2) - lgamma (v / 2)) / sqrt (v * G_PI)
         * pow (1 + t * t / v, -(v + 1) / 2);
}

/* Its integral from -@t to @t, by Simpson's rule. */
static double
probability (int freedom, double t)
{
  enum { PARTS = 20000 };
  double step = t / PARTS, sum = density (freedom, 0) + density (freedom, t);

  for (int i = 1; i < PARTS; i++)
    sum += (i % 2 ? 4 : 2) * density (freedom, i * step);
  return 2 * sum * step / 3;
}

static void
test_inverse (void)
{
  g_test_summary (
    "The density within the bounds integrates to the confidence");

  for (int freedom = 1; freedom <= 500; freedom = 2 * freedom + 1)
    for (double c = 0.1; c < 1; c += 0.2)
      assert_at_most (
        fabs (probability (freedom, student_quantile (freedom, c)) - c), 1e-9);
}

static void
test_normal_limit (void)
{
  g_test_summary ("With many degrees of freedom it is the normal one");

  assert_at_most (fabs (student_quantile (100000, 0.95) - 1.959964), 1e-4);
}

static void
test_sample (void)
{
  const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
  double far[8];
  SampleStats sample = sample_stats (values, 8), moved;

  g_assert_cmpint (sample.count, ==, 8);
  g_assert_cmpfloat (sample.mean, ==, 5);
  assert_at_most (fabs (sample.deviation - sqrt (32. / 7)), 1e-15);
  for (int i = 0; i < 8; i++)
    far[i] = 1e9 + values[i];
  moved = sample_stats (far, 8);
  assert_at_most (fabs (moved.deviation - sample.deviation), 1e-12);

  sample = sample_stats (values, 1);
  g_assert_cmpfloat (sample.mean, ==, 2);
  g_assert_true (isnan (sample.deviation));
  g_assert_true (isnan (confidence_margin (&sample, 0.95)));
  sample = sample_stats (values, 0);
  g_assert_true (isnan (sample.mean));
}

static void
test_coverage (void)
{
  enum { TRIALS = 4000, COUNT = 5 };
  int held = 0;

  g_test_summary ("95 of 100 intervals hold the true mean");

  for (int trial = 0; trial < TRIALS; trial++) {
    double values[COUNT];
    SampleStats sample;

    for (int i = 0; i < COUNT; i++)
      values[i] = 3 + 2 * random_normal (1, 77, (guint64) (trial * COUNT + i));
    sample = sample_stats (values, COUNT);
    held += fabs (sample.mean - 3) <= confidence_margin (&sample, 0.95);
  }
  /* Three standard deviations of a count of trials. */
  g_assert_cmpfloat (fabs (held - 0.95 * TRIALS), <=, 42);
}

/* x_ps = a_p + b_s + e_ps with those deviations. */
static void
draw (guint64 seed, int rows, int columns, double a, double b, double *x)
{
  for (int p = 0; p < rows; p++)
    for (int s = 0; s < columns; s++)
      x[p * columns + s] =
        a * random_normal (seed, 1, (guint64) p)
        + b * random_normal (seed, 2, (guint64) s)
        + random_normal (seed, 3, (guint64) (p * columns + s));
}

static void
test_crossed_one_column (void)
{
  g_test_summary ("With one seed the interval is that of the plain sample");

  double x[20];

  draw (7, 20, 1, 2, 0, x);

  SampleStats sample = sample_stats (x, 20);
  CrossedStats crossed = crossed_stats (x, 20, 1, 0.95);

  assert_at_most (fabs (crossed.mean - sample.mean), 1e-12);
  assert_at_most (fabs (crossed.deviation - sample.deviation), 1e-12);
  assert_at_most (fabs (crossed.margin - confidence_margin (&sample, 0.95)),
                  1e-12);
  g_assert_true (isnan (crossed_stats (x, 1, 1, 0.95).margin));
}

static void
test_crossed_coverage (void)
{
  g_test_summary ("Intervals hold the true mean nearly always as often as "
                  "they say, whether pictures or seeds differ more");

  static const double deviations[][2] = { { 3, 0 }, { 1, 1 }, { 0, 0 } };
  const int trials = 2000;
  double x[20 * 3];

  for (gsize d = 0; d < G_N_ELEMENTS (deviations); d++) {
    int held = 0;

    for (int t = 0; t < trials; t++) {
      draw ((guint64) t + 1, 20, 3, deviations[d][0], deviations[d][1], x);

      CrossedStats stats = crossed_stats (x, 20, 3, 0.95);

      held += fabs (stats.mean) <= stats.margin;
    }
    /* Satterthwaite is an approximation, and the floor is careful. */
    g_assert_cmpint (held, >=, 92 * trials / 100);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/student/table", test_table);
  g_test_add_func ("/student/closed-forms", test_closed_forms);
  g_test_add_func ("/student/inverse", test_inverse);
  g_test_add_func ("/student/normal-limit", test_normal_limit);
  g_test_add_func ("/student/sample", test_sample);
  g_test_add_func ("/student/coverage", test_coverage);
  g_test_add_func ("/student/crossed-one-column", test_crossed_one_column);
  g_test_add_func ("/student/crossed-coverage", test_crossed_coverage);
  return g_test_run ();
}
