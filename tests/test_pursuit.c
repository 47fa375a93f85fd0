/* test_pursuit.c - the fast coder equals the textbook coder */
#include "base/cholesky.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"
#include "omp/pursuit.h"
#include "tests/support.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

/* The best x for the @count atoms @chosen, from the normal equations
 *     (D_I' W D_I + ridge) x = D_I' W y. */
static void
least_squares (const MatF *D, const float *y, const float *w,
               const float *ridge, const int *chosen, int count, double *x)
{
  g_auto (Mat) A = mat_new (count, count);

  for (int s = 0; s < count; s++) {
    const float *ds = matf_at (D, 0, chosen[s]);

    x[s] = 0;
    for (int i = 0; i < D->rows; i++)
      x[s] += w[i] > 0 ? (double) w[i] * ds[i] * y[i] : 0;
    for (int t = 0; t < count; t++)
      for (int i = 0; i < D->rows; i++)
        *mat_at (&A, s, t) +=
          (double) w[i] * ds[i] * *matf_at (D, i, chosen[t]);
    *mat_at (&A, s, s) += ridge != NULL ? ridge[chosen[s]] : 0;
  }
  g_assert_true (cholesky_factor (&A));
  cholesky_solve (&A, count, x);
}

/* Orthogonal matching pursuit as a textbook has it: one signal, residual
 * recomputed in each step, least squares from scratch.  @w is 0 .. 1. */
static int
textbook_pursuit (const MatF *D, const float *y, const float *w,
                  const PursuitOptions *options, int *chosen, double *x)
{
  int n = D->rows, k = D->cols, count = 0;
  g_autofree double *r = g_new (double, n);
  double total = 0;

  for (int i = 0; i < n; i++) {
    r[i] = w[i] > 0 ? y[i] : 0;
    total += w[i];
  }
  for (;;) {
    double error = 0, best = 0;
    int atom = -1;

    for (int i = 0; i < n; i++)
      error += w[i] * r[i] * r[i];
    if (count == options->max_atoms || error <= options->max_error * total)
      return count;

    for (int j = 0; j < k; j++) {
      double product = 0, norm = 0;
      gboolean used = FALSE;

      for (int s = 0; s < count; s++)
        used |= chosen[s] == j;
      for (int i = 0; i < n; i++) {
        product += w[i] * r[i] * *matf_at (D, i, j);
        norm += w[i] * *matf_at (D, i, j) * *matf_at (D, i, j);
      }
      norm += options->ridge != NULL ? options->ridge[j] : 0;
      if (!used && norm > 1e-6 && product * product / norm > best) {
        best = product * product / norm;
        atom = j;
      }
    }
    if (atom < 0)
      return count;
    chosen[count++] = atom;

    least_squares (D, y, w, options->ridge, chosen, count, x);
    for (int i = 0; i < n; i++) {
      r[i] = w[i] > 0 ? y[i] : 0;
      for (int s = 0; s < count && w[i] > 0; s++)
        r[i] -= x[s] * *matf_at (D, i, chosen[s]);
    }
  }
}

typedef enum { ALL_SEEN, HALF_HIDDEN, MOSTLY_HIDDEN, HALF_TRUSTED } Seen;

static float
random_weight (Seen seen, guint64 i)
{
  double u = random_uniform (11, 0, i);

  switch (seen) {
  case ALL_SEEN:
    return 1;
  case HALF_HIDDEN:
    return u < 0.5 ? 0 : 1;
  case MOSTLY_HIDDEN:
    return u < 0.75 ? 0 : 1;
  default:
    return u < 0.3 ? 0 : u < 0.6 ? 0.5f : 1;
  }
}

/* Codes @cols random signals both ways and compares atoms and values. */
static void
compare_with_textbook (int n, int k, int cols, Seen seen,
                       const PursuitOptions *options, guint64 seed)
{
  g_auto (MatF) D = random_dictionary (n, k, seed);
  g_auto (MatF) Y = random_matf (n, cols, seed + 1);
  g_auto (MatF) W = matf_new (n, cols);
  g_auto (SparseMat) X = sparse_new (k, cols, options->max_atoms);
  g_autoptr (Pursuit) pursuit = pursuit_new (&D, NULL);
  g_autofree int *chosen = g_new (int, options->max_atoms);
  g_autofree double *x = g_new (double, options->max_atoms);

  for (int i = 0; i < n * cols; i++)
    W.data[i] = random_weight (seen, (guint64) i);
  g_assert_true (pursuit_encode (pursuit, &Y, seen == ALL_SEEN ? NULL : &W,
                                 options, &X, NULL, NULL));
  for (int p = 0; p < cols; p++) {
    int count = textbook_pursuit (&D, matf_at (&Y, 0, p), matf_at (&W, 0, p),
                                  options, chosen, x);

    g_assert_cmpint (X.count[p], ==, count);
    for (int s = 0; s < count; s++) {
      g_assert_cmpint (sparse_index (&X, p)[s], ==, chosen[s]);
      assert_at_most (fabs (sparse_value (&X, p)[s] - x[s]), 2e-4);
    }
  }
}

static void
test_plain_equals_textbook (void)
{
  PursuitOptions options = { .max_atoms = 8 };

  compare_with_textbook (40, 90, 500, ALL_SEEN, &options, 100);
  options.max_error = 0.3;
  compare_with_textbook (40, 90, 500, ALL_SEEN, &options, 200);
  compare_with_textbook (5, 9, 30, ALL_SEEN, &options, 210);
  options = (PursuitOptions){ .max_atoms = 1 };
  compare_with_textbook (40, 64, 1, ALL_SEEN, &options, 220);
}

/* Penalties of @k atoms. */
static float *
some_ridge (int k)
{
  float *ridge = g_new (float, k);

  for (int j = 0; j < k; j++)
    ridge[j] = 0.01f * (float) (j % 7);
  return ridge;
}

static void
test_ridge_equals_textbook (void)
{
  g_autofree float *ridge = some_ridge (90);
  PursuitOptions options = { .max_atoms = 8, .ridge = ridge };

  compare_with_textbook (60, 90, 300, ALL_SEEN, &options, 230);
  compare_with_textbook (60, 90, 300, HALF_HIDDEN, &options, 700);
  options =
    (PursuitOptions){ .max_atoms = 20, .max_error = 0.4, .ridge = ridge };
  compare_with_textbook (60, 90, 200, ALL_SEEN, &options, 240);
  compare_with_textbook (60, 90, 200, HALF_TRUSTED, &options, 250);
}

static void
test_masked_equals_textbook (void)
{
  PursuitOptions options = { .max_atoms = 8 };

  compare_with_textbook (60, 90, 400, HALF_HIDDEN, &options, 300);
  compare_with_textbook (60, 60, 200, HALF_TRUSTED, &options, 400);
  options.max_atoms = 3;
  compare_with_textbook (60, 90, 100, MOSTLY_HIDDEN, &options, 500);
  options = (PursuitOptions){ .max_atoms = 12, .max_error = 0.4 };
  compare_with_textbook (60, 90, 300, HALF_HIDDEN, &options, 600);
  compare_with_textbook (17, 75, 33, HALF_TRUSTED, &options, 800);
  /* Several strips of several tiles each. */
  options = (PursuitOptions){ .max_atoms = 6 };
  compare_with_textbook (230, 420, 40, HALF_HIDDEN, &options, 900);
}

/* |y - D x|_w^2 */
static double
squared_residual (const MatF *D, const float *y, const float *w,
                  const int *chosen, const double *x, int count)
{
  double sum = 0;

  for (int i = 0; i < D->rows; i++) {
    double r = y[i];

    for (int s = 0; s < count; s++)
      r -= x[s] * *matf_at (D, i, chosen[s]);
    sum += w[i] * r * r;
  }
  return sum;
}

/* Bells so wide that neighbours are nearly equal: what is new in an atom is
 * little beside rounding in all of it.  Codes still fit nearly as well as the
 * atoms allow; with weights better, since no Gram matrix is rounded there. */
static void
test_coherent_atoms (void)
{
  enum { N = 64, K = 128, COLS = 300, ATOMS = 16 };
  PursuitOptions options = { .max_atoms = ATOMS };
  g_auto (MatF) D = matf_new (N, K);
  g_auto (MatF) Y = random_matf (N, COLS, 6);
  g_auto (MatF) W = matf_new (N, COLS);
  g_auto (SparseMat) X = sparse_new (K, COLS, ATOMS);
  g_autoptr (Pursuit) pursuit = NULL;

  for (int j = 0; j < K; j++) {
    double norm = 0;

    for (int i = 0; i < N; i++) {
      double bell = exp (-pow (0.06 * (i - j / 2.), 2));

      *matf_at (&D, i, j) = (float) bell;
      norm += bell * bell;
    }
    for (int i = 0; i < N; i++)
      *matf_at (&D, i, j) /= (float) sqrt (norm);
  }
  for (int p = 0; p < COLS; p++)
    for (int t = 0; t < 16; t++) {
      guint64 entry = (guint64) (p * 16 + t);
      int atom = (int) random_below (7, 0, entry, K);
      double value = random_uniform (7, 1, entry) - 0.5;

      for (int i = 0; i < N; i++)
        *matf_at (&Y, i, p) += (float) (30 * value * *matf_at (&D, i, atom));
    }
  pursuit = pursuit_new (&D, NULL);
  for (int masked = 0; masked <= 1; masked++) {
    for (int i = 0; i < N * COLS; i++)
      W.data[i] =
        random_weight (masked ? HALF_TRUSTED : ALL_SEEN, (guint64) i);
    pursuit_encode (pursuit, &Y, masked ? &W : NULL, &options, &X, NULL, NULL);
    for (int p = 0; p < COLS; p++) {
      const float *y = matf_at (&Y, 0, p), *w = matf_at (&W, 0, p);
      const int *chosen = sparse_index (&X, p);
      double x[ATOMS], best[ATOMS], none = 0;

      for (int s = 0; s < X.count[p]; s++)
        x[s] = sparse_value (&X, p)[s];
      least_squares (&D, y, w, NULL, chosen, X.count[p], best);
      assert_at_most (
        squared_residual (&D, y, w, chosen, x, X.count[p])
          - squared_residual (&D, y, w, chosen, best, X.count[p]),
        (masked ? 1e-6 : 1e-2)
          * squared_residual (&D, y, w, chosen, &none, 0));
    }
  }
}

static void
assert_same_codes (const SparseMat *one, const SparseMat *other)
{
  for (int p = 0; p < one->cols; p++) {
    g_assert_cmpmem (sparse_index (one, p), one->count[p] * 4,
                     sparse_index (other, p), other->count[p] * 4);
    g_assert_cmpmem (sparse_value (one, p), one->count[p] * 4,
                     sparse_value (other, p), other->count[p] * 4);
  }
}

/* What is hidden, and NaN or infinity there, changes nothing. */
static void
test_hidden_samples_have_no_influence (void)
{
  PursuitOptions options = { .max_atoms = 6 };
  g_auto (MatF) D = random_dictionary (50, 70, 1);
  g_auto (MatF) Y = random_matf (50, 40, 2);
  g_auto (MatF) W = matf_new (50, 40);
  g_auto (SparseMat) before = sparse_new (70, 40, 6);
  g_auto (SparseMat) after = sparse_new (70, 40, 6);
  g_autoptr (Pursuit) pursuit = pursuit_new (&D, NULL);

  for (int i = 0; i < 50 * 40; i++)
    W.data[i] = random_weight (HALF_HIDDEN, (guint64) i);
  pursuit_encode (pursuit, &Y, &W, &options, &before, NULL, NULL);
  for (int i = 0; i < 50 * 40; i++)
    if (W.data[i] == 0)
      Y.data[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : 1e9f;
  pursuit_encode (pursuit, &Y, &W, &options, &after, NULL, NULL);

  assert_same_codes (&before, &after);
}

static void
test_sparse_signals_come_back (void)
{
  enum { N = 64, K = 96, COLS = 300, ATOMS = 4 };
  PursuitOptions options = { .max_atoms = ATOMS };
  g_auto (MatF) D = random_dictionary (N, K, 5);
  g_auto (MatF) Y = matf_new (N, COLS);
  g_auto (SparseMat) truth = sparse_new (K, COLS, ATOMS);
  g_auto (SparseMat) X = sparse_new (K, COLS, ATOMS);
  g_autoptr (Pursuit) pursuit = pursuit_new (&D, NULL);
  g_autofree float *back = g_new (float, N);
  int exact = 0;

  for (int p = 0; p < COLS; p++) {
    truth.count[p] = ATOMS;
    for (int s = 0; s < ATOMS; s++) {
      guint64 i = (guint64) (p * ATOMS + s);

      sparse_index (&truth, p)[s] =
        s * K / ATOMS + (int) random_below (6, 0, i, K / ATOMS);
      sparse_value (&truth, p)[s] = (float) (1 + random_uniform (6, 1, i));
    }
    sparse_apply (&D, &truth, p, matf_at (&Y, 0, p));
  }
  pursuit_encode (pursuit, &Y, NULL, &options, &X, NULL, NULL);
  for (int p = 0; p < COLS; p++) {
    double error = 0;

    sparse_apply (&D, &X, p, back);
    for (int i = 0; i < N; i++)
      error = fmax (error, fabs (back[i] - *matf_at (&Y, i, p)));
    exact += error < 1e-4;
  }
  g_assert_cmpint (exact, >, COLS * 9 / 10);
}

static void
test_corner_cases (void)
{
  PursuitOptions options = { .max_atoms = 5 };
  g_auto (MatF) D = random_dictionary (20, 30, 8);
  g_auto (MatF) Y = random_matf (20, 4, 9);
  g_auto (MatF) W = matf_new (20, 4);
  g_auto (SparseMat) X = sparse_new (30, 4, 5);
  g_autoptr (Pursuit) pursuit = NULL;

  /* Atom 1 repeats atom 0: both together must not break the factor. */
  memcpy (matf_at (&D, 0, 1), matf_at (&D, 0, 0), 20 * sizeof (float));
  pursuit = pursuit_new (&D, NULL);
  for (int i = 0; i < 20; i++) {
    *matf_at (&W, i, 1) = 1;
    *matf_at (&Y, i, 1) = 0;     /* nothing to explain */
    *matf_at (&W, i, 2) = i < 2; /* fewer samples than atoms */
    *matf_at (&W, i, 3) = 1;
    *matf_at (&Y, i, 3) = *matf_at (&D, i, 0);
  }
  g_assert_true (pursuit_encode (pursuit, &Y, &W, &options, &X, NULL, NULL));
  g_assert_cmpint (X.count[0], ==, 0); /* no sample at all */
  g_assert_cmpint (X.count[1], ==, 0);
  g_assert_cmpint (X.count[2], <=, 2);
  g_assert_cmpint (X.count[3], >=, 1);
  g_assert_cmpint (sparse_index (&X, 3)[0], ==, 0);
  for (int p = 0; p < 4; p++)
    for (int s = 0; s < X.count[p]; s++)
      g_assert_true (isfinite (sparse_value (&X, p)[s]));
}

/* NaN, infinity, or numbers too large to be squared. */
static void
test_not_finite (void)
{
  PursuitOptions options = { .max_atoms = 5 };
  static const float odd[] = { NAN, INFINITY, -INFINITY, 1e30f, -3e38f };
  g_auto (MatF) D = random_dictionary (20, 30, 8);
  g_auto (SparseMat) X = sparse_new (30, 4, 5);
  g_autoptr (Pursuit) pursuit = pursuit_new (&D, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (odd); i++)
    for (int masked = 0; masked < 2; masked++) {
      g_auto (MatF) Y = random_matf (20, 4, 9);
      g_auto (MatF) W = matf_new (20, 4);
      g_autoptr (GError) error = NULL;
      gboolean ok;

      for (int j = 0; j < 20 * 4; j++)
        W.data[j] = 1;
      *matf_at (&Y, 7, 2) = odd[i];
      ok = pursuit_encode (pursuit, &Y, masked ? &W : NULL, &options, &X, NULL,
                           &error);
      g_assert_true (ok == (isfinite (odd[i]) != 0));
      if (!ok)
        g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
      for (int p = 0; ok && p < 4; p++)
        for (int s = 0; s < X.count[p]; s++)
          g_assert_cmpint (sparse_index (&X, p)[s], <, 30);

      /* A sample that does not count may be anything. */
      *matf_at (&W, 7, 2) = 0;
      g_assert_true (
        pursuit_encode (pursuit, &Y, &W, &options, &X, NULL, NULL));
    }
}

static void
test_threads_give_the_same (void)
{
  PursuitOptions options = { .max_atoms = 20 };
  g_auto (MatF) D = random_dictionary (100, 150, 3);
  g_auto (MatF) Y = random_matf (100, 500, 4);
  g_auto (MatF) W = matf_new (100, 500);
  g_autoptr (Pursuit) pursuit = pursuit_new (&D, NULL);

  for (int i = 0; i < 100 * 500; i++)
    W.data[i] = random_weight (HALF_HIDDEN, (guint64) i);
  for (int masked = 0; masked <= 1; masked++) {
    const MatF *weights = masked ? &W : NULL;
    g_auto (SparseMat) one = sparse_new (150, 500, 20);

    parallel_init (1);
    pursuit_encode (pursuit, &Y, weights, &options, &one, NULL, NULL);
    for (int threads = 2; threads <= 4; threads++) {
      g_auto (SparseMat) more = sparse_new (150, 500, 20);

      parallel_init (threads);
      pursuit_encode (pursuit, &Y, weights, &options, &more, NULL, NULL);
      assert_same_codes (&one, &more);
    }
  }
}

typedef struct {
  int reports; /* while the one chunk was being done */
  int most;    /* of these, before it is cancelled; 0: it is not */
  GCancellable *cancellable;
} Asked;

static void
count_report (double done, gpointer data)
{
  Asked *asked = data;

  if (done < 1 && ++asked->reports == asked->most)
    g_cancellable_cancel (asked->cancellable);
}

static void
test_cancel_within_a_chunk (void)
{
  enum { ROWS = 300, COUNT = 3000, CODED = 100, SIGNALS = 16 };
  PursuitOptions options = { .max_atoms = CODED };
  g_auto (MatF) D = random_dictionary (ROWS, COUNT, 5);
  g_auto (MatF) Y = random_matf (ROWS, SIGNALS, 6);
  g_auto (MatF) W = matf_new (ROWS, SIGNALS);
  g_auto (SparseMat) X = sparse_new (COUNT, SIGNALS, CODED);
  g_autoptr (Pursuit) pursuit = pursuit_new (&D, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_test_summary ("However large the dictionary is, it is asked often "
                  "whether to go on");
  parallel_init (1);
  for (int i = 0; i < ROWS * SIGNALS; i++)
    W.data[i] = 1;
  pursuit_encode (pursuit, &Y, NULL, &options, &X, NULL, NULL);
  for (int masked = 0; masked <= 1; masked++) {
    const MatF *weights = masked ? &W : NULL;
    g_autoptr (GError) error = NULL;
    Asked whole = { .cancellable = cancellable };
    Asked part = { .most = 4, .cancellable = cancellable };
    Progress patient = { count_report, &whole, cancellable };
    Progress hasty = { count_report, &part, cancellable };

    g_assert_true (pursuit_encode (pursuit, &Y, weights, &options, &X,
                                   &patient, NULL));
    g_assert_cmpint (whole.reports, >, 10);
    g_assert_false (pursuit_encode (pursuit, &Y, weights, &options, &X, &hasty,
                                    &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_CANCELLED);
    g_assert_cmpint (part.reports, <, 10);
    g_cancellable_reset (cancellable);
  }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/pursuit/plain", test_plain_equals_textbook);
  g_test_add_func ("/pursuit/masked", test_masked_equals_textbook);
  g_test_add_func ("/pursuit/ridge", test_ridge_equals_textbook);
  g_test_add_func ("/pursuit/coherent", test_coherent_atoms);
  g_test_add_func ("/pursuit/hidden", test_hidden_samples_have_no_influence);
  g_test_add_func ("/pursuit/recovery", test_sparse_signals_come_back);
  g_test_add_func ("/pursuit/corners", test_corner_cases);
  g_test_add_func ("/pursuit/not-finite", test_not_finite);
  g_test_add_func ("/pursuit/cancel", test_cancel_within_a_chunk);
  g_test_add_func ("/pursuit/threads", test_threads_give_the_same);
  return g_test_run ();
}
