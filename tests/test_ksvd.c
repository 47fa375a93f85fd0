/* test_ksvd.c - K-SVD: its atom updates, its treatment of weak atoms, what it
 * finds */
#include "base/parallel.h"
#include "base/random.h"
#include "dictlearn/ksvd.h"
#include "dictlearn/recovery.h"
#include "tests/learning.h"
#include "tests/support.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

/* ---- data ---- */

/* Columns of @atoms atoms of @D each, with codes of magnitude 0.5 .. 1.5. */
static Mat
sparse_samples (const Mat *D, int count, int atoms, guint64 seed)
{
  Mat Y = mat_new (D->rows, count);
  g_autofree gsize *order = g_new (gsize, D->cols);

  for (int p = 0; p < count; p++) {
    random_permutation (seed, (guint64) p, (gsize) D->cols, order);
    for (int s = 0; s < atoms; s++) {
      guint64 key = (guint64) (p * atoms + s);
      double x = 0.5 + random_uniform (seed + 1, 0, key);

      x = random_bits (seed + 2, 0, key) % 2 == 0 ? x : -x;
      for (int i = 0; i < D->rows; i++)
        *mat_at (&Y, i, p) += x * *mat_at (D, i, (int) order[s]);
    }
  }
  return Y;
}

static Mat
random_atoms (int n, int k, guint64 seed)
{
  Mat D = random_mat (n, k, seed);

  mat_normalise_columns (&D);
  return D;
}

/* Random samples, coded, before any update. */
static Learner *
coded_noise (int n, int k, int count, guint64 seed)
{
  g_auto (Mat) Y = random_mat (n, count, seed);
  LearnOptions options = LEARN_DEFAULTS;

  options.atoms = k;
  options.init = INIT_DATA;
  options.atoms_per_sample = 4;
  options.iterations = 0;
  return learn_from ("ksvd", &Y, &options);
}

/* ---- one atom ---- */

/* |Y - D X|_F^2 / p from scratch, in double. */
static double
error_from_scratch (const CodingStage *self)
{
  double sum = 0;

  for (int p = 0; p < self->Y.cols; p++)
    for (int i = 0; i < self->Y.rows; i++) {
      double r = *matf_at (&self->Y, i, p);

      for (int s = 0; s < self->X.count[p]; s++)
        r -= (double) sparse_value (&self->X, p)[s]
             * *matf_at (&self->D, i, sparse_index (&self->X, p)[s]);
      sum += r * r;
    }
  return sum / self->Y.cols;
}

static double
length (const MatF *A, int col)
{
  double sum = 0;

  for (int i = 0; i < A->rows; i++)
    sum += (double) *matf_at (A, i, col) * *matf_at (A, i, col);
  return sqrt (sum);
}

typedef enum { APPROXIMATE, EXACT } Kind;

static void
update (CodingStage *self, int atom, Kind kind)
{
  if (kind == APPROXIMATE)
    ksvd_update_approximately (self, atom);
  else
    g_assert_true (ksvd_update_exactly (self, atom));
}

static void
check_never_raises (Kind kind, guint64 seed)
{
  g_autoptr (Learner) learner = coded_noise (24, 40, 300, seed);
  CodingStage *self = (CodingStage *) learner;
  int bytes = self->X.cols * self->X.capacity * (int) sizeof (int);
  g_autofree int *support = g_memdup2 (self->X.index, (gsize) bytes);
  double first = coding_stage_error (self), last = first;

  for (int j = 0; j < self->D.cols; j++) {
    double now;

    update (self, j, kind);
    now = coding_stage_error (self);
    g_assert_cmpfloat (now, <=, last * (1 + 1e-6));
    assert_at_most (fabs (length (&self->D, j) - 1), 1e-6);
    last = now;
  }
  g_assert_cmpfloat (last, <, 0.99 * first);
  assert_at_most (fabs (last - error_from_scratch (self)), 1e-5 * last);
  g_assert_cmpmem (support, bytes, self->X.index, bytes);
}

static void
test_update_never_raises (void)
{
  for (guint64 seed = 0; seed < 5; seed++) {
    check_never_raises (APPROXIMATE, seed);
    check_never_raises (EXACT, seed);
  }
}

/* E from its definition: the samples that use @atom, less what the other atoms
 * say about them. */
static Mat
restricted_error (const CodingStage *self, int atom)
{
  int uses = coding_stage_uses (self, atom);
  Mat E = mat_new (self->D.rows, uses);

  for (int c = 0; c < uses; c++) {
    int p =
      coding_stage_sample (self, self->use[self->first[atom] + (gsize) c]);

    for (int i = 0; i < E.rows; i++) {
      double e = *matf_at (&self->Y, i, p);

      for (int s = 0; s < self->X.count[p]; s++)
        if (sparse_index (&self->X, p)[s] != atom)
          e -= (double) sparse_value (&self->X, p)[s]
               * *matf_at (&self->D, i, sparse_index (&self->X, p)[s]);
      *mat_at (&E, i, c) = e;
    }
  }
  return E;
}

/* Updates @atom exactly, and compares with the singular value decomposition of
 * E by LAPACK.  How far a float E may turn the vector depends on how far the
 * two largest singular values are apart. */
static void
compare_with_svd (CodingStage *self, int atom)
{
  g_auto (Mat) E = restricted_error (self, atom);
  int m = MIN (E.rows, E.cols);
  g_auto (Mat) U = mat_new (E.rows, m);
  g_auto (Mat) Vt = mat_new (m, E.cols);
  g_autofree double *s = g_new0 (double, m + 1);
  g_autofree double *unused = g_new (double, m);
  double sign, tolerance;

  g_assert_cmpint (LAPACKE_dgesvd (LAPACK_COL_MAJOR, 'S', 'S', E.rows, E.cols,
                                   E.data, E.ld, s, U.data, U.ld, Vt.data,
                                   Vt.ld, unused),
                   ==, 0);
  tolerance = 1e-6 * fmax (1, 0.3 / (1 - s[1] / s[0]));
  g_assert_true (ksvd_update_exactly (self, atom));
  sign = *mat_at (&U, 0, 0) * *matf_at (&self->D, 0, atom) < 0 ? -1 : 1;
  for (int i = 0; i < E.rows; i++)
    assert_at_most (
      fabs (sign * *mat_at (&U, i, 0) - *matf_at (&self->D, i, atom)),
      tolerance);
  for (int c = 0; c < E.cols; c++) {
    gsize use = self->use[self->first[atom] + (gsize) c];

    assert_at_most (
      fabs (sign * s[0] * *mat_at (&Vt, 0, c) - self->X.value[use]),
      tolerance * s[0]);
  }
}

static void
test_exact_equals_svd (void)
{
  /* About 60 uses per atom against 24 rows, then about 10. */
  const int counts[] = { 600, 100 };

  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_autoptr (Learner) learner = coded_noise (24, 40, counts[i], 7);
    CodingStage *self = (CodingStage *) learner;

    for (int j = 0; j < self->D.cols; j++)
      compare_with_svd (self, j);
  }
}

static void
test_exact_is_at_least_as_good (void)
{
  for (int j = 0; j < 40; j++) {
    g_autoptr (Learner) one = coded_noise (24, 40, 300, 5);
    g_autoptr (Learner) other = coded_noise (24, 40, 300, 5);

    update ((CodingStage *) one, j, APPROXIMATE);
    update ((CodingStage *) other, j, EXACT);
    g_assert_cmpfloat (coding_stage_error ((CodingStage *) other), <=,
                       coding_stage_error ((CodingStage *) one) * (1 + 1e-6));
  }
}

/* ---- the learner ---- */

/* Share of true atoms that a learned one matches to |a't| > 0.99. */
static double
share_found (const Learner *learner, const Mat *truth)
{
  int k = truth->cols, found = 0;
  g_auto (Mat) A = mat_new (truth->rows, k);
  g_autofree int *atom = g_new (int, k);
  g_autofree double *sign = g_new (double, k);

  learner_dictionary (learner, &A);
  recovery_match (&A, truth, atom, sign);
  for (int j = 0; j < k; j++) {
    Mat a = mat_columns (&A, atom[j], 1), t = mat_columns (truth, j, 1);

    found += fabs (mat_dot (&a, &t)) > 0.99;
  }
  return (double) found / k;
}

/* Random dictionaries and 3-sparse samples.  K-SVD is known to miss a few
 * atoms when the data has no noise to shake it. */
static void
test_recovery (void)
{
  const char *const names[] = { "approximate", "exact" };
  double share[2] = { 0 };

  for (guint64 seed = 0; seed < 4; seed++) {
    g_auto (Mat) truth = random_atoms (20, 40, 10 * seed);
    g_auto (Mat) Y = sparse_samples (&truth, 1500, 3, 10 * seed + 1);
    LearnOptions options = LEARN_DEFAULTS;

    options.atoms = 40;
    options.init = INIT_DATA;
    options.atoms_per_sample = 3;
    options.iterations = 40;
    for (int exact = 0; exact <= 1; exact++) {
      g_autoptr (Learner) learner = NULL;

      options.exact_update = exact;
      learner = learn_from ("ksvd", &Y, &options);
      share[exact] += share_found (learner, &truth) / 4;
    }
  }
  for (int exact = 0; exact <= 1; exact++) {
    g_test_message ("%s: %.3f found", names[exact], share[exact]);
    g_assert_cmpfloat (share[exact], >=, 0.8);
  }
}

/* All atoms have length one and a use. */
static void
check_used (const Learner *learner)
{
  const CodingStage *self = (const CodingStage *) learner;

  for (int j = 0; j < self->D.cols; j++) {
    assert_at_most (fabs (length (&self->D, j) - 1), 1e-6);
    g_assert_cmpint (coding_stage_uses (self, j), >, 0);
  }
}

/* No two atoms point the same way. */
static void
check_unlike (const Learner *learner)
{
  const MatF *D = &((const CodingStage *) learner)->D;
  g_auto (MatF) gram = matf_new (D->cols, D->cols);

  matf_multiply (1, D, TRANSPOSED, D, PLAIN, 0, &gram);
  for (int j = 0; j < D->cols; j++)
    for (int i = 0; i < j; i++)
      assert_at_most (fabsf (*matf_at (&gram, i, j)), 0.9901f);
}

/* Makes atoms 1 and 2 of the start equal to atom 0, and 3 and 4 nearly; atom 6
 * opposite to 5; atom 7 zero; and atom 8 away from all samples, whose last
 * entry is zero. */
static void
spoil (Mat *start, Mat *Y)
{
  int last = start->rows - 1;

  for (int p = 0; p < Y->cols; p++)
    *mat_at (Y, last, p) = 0;
  for (int i = 0; i <= last; i++) {
    for (int j = 1; j <= 4; j++) {
      double far = j <= 2 ? 0 : 0.02;

      *mat_at (start, i, j) =
        *mat_at (start, i, 0) + far * *mat_at (start, i, j);
    }
    *mat_at (start, i, 6) = -*mat_at (start, i, 5);
    *mat_at (start, i, 7) = 0;
    *mat_at (start, i, 8) = i == last;
  }
}

static void
test_weak_atoms_are_replaced (void)
{
  g_auto (Mat) start = random_atoms (16, 24, 3);
  g_auto (Mat) Y = random_mat (16, 500, 4);
  LearnOptions options = LEARN_DEFAULTS;

  spoil (&start, &Y);
  options.atoms = 24;
  options.init = INIT_GIVEN;
  options.start = &start;
  options.atoms_per_sample = 3;
  for (options.iterations = 0; options.iterations <= 4; options.iterations++) {
    g_autoptr (Learner) learner = learn_from ("ksvd", &Y, &options);

    check_used (learner);
    if (options.iterations > 0)
      check_unlike (learner);
  }
}

/* Samples are multiples of ten directions, with a little noise; the start has
 * eight of them, one of which three times, nearly.  All three are used, but
 * two are to move to the directions that are missing. */
static void
test_near_duplicates_are_put_to_use (void)
{
  const double near = 0.03, noise = 0.02;
  g_auto (Mat) truth = random_atoms (16, 10, 11);
  g_auto (Mat) start = random_atoms (16, 10, 12);
  g_auto (Mat) Y = sparse_samples (&truth, 400, 1, 13);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;

  for (int j = 0; j < 10; j++)
    for (int i = 0; i < 16; i++)
      *mat_at (&start, i, j) =
        *mat_at (&truth, i, j < 8 ? j : 0) + near * *mat_at (&start, i, j);
  for (int i = 0; i < 16 * 400; i++)
    Y.data[i] += noise * random_normal (14, 0, (guint64) i);
  options.atoms = 10;
  options.init = INIT_GIVEN;
  options.start = &start;
  options.atoms_per_sample = 1;
  options.iterations = 4;
  learner = learn_from ("ksvd", &Y, &options);
  assert_at_most (learner_status (learner)->objective, 16 * noise * noise);
}

/* The status is what its definition says. */
static void
test_status (void)
{
  g_auto (Mat) Y = random_mat (12, 200, 5);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;
  const LearnStatus *status;

  options.atoms = 8; /* fewer atoms than samples have entries */
  options.init = INIT_RANDOM;
  options.atoms_per_sample = 3;
  options.iterations = 5;
  learner = learn_from ("ksvd", &Y, &options);
  status = learner_status (learner);
  assert_at_most (
    fabs (status->objective - error_from_scratch ((CodingStage *) learner)),
    1e-5 * status->objective);
  assert_at_most (fabs (status->density - 3.0 / 8), 1e-12);
  g_assert_cmpint (status->iteration, ==, 5);
  check_used (learner);
  check_unlike (learner);
}

/* Nothing to learn from: fewer samples than atoms, and black ones. */
static void
test_degenerate_samples (void)
{
  LearnOptions options = LEARN_DEFAULTS;

  options.atoms = 20;
  options.init = INIT_DATA;
  options.atoms_per_sample = 3;
  options.iterations = 3;
  for (int exact = 0; exact <= 1; exact++)
    for (int black = 0; black <= 1; black++) {
      g_auto (Mat) Y = random_mat (10, 5, 6);
      g_autoptr (Learner) learner = NULL;

      if (black)
        memset (Y.data, 0, 10 * 5 * sizeof (double));
      options.exact_update = exact;
      learner = learn_from ("ksvd", &Y, &options);
      for (int j = 0; j < 20; j++)
        assert_at_most (fabs (length (&((CodingStage *) learner)->D, j) - 1),
                        1e-6);
    }
}

static void
test_threads_give_the_same (void)
{
  enum { N = 40, K = 60 };
  g_auto (Mat) Y = random_mat (N, 700, 9);
  LearnOptions options = LEARN_DEFAULTS;
  g_auto (Mat) one = mat_new (N, K);

  options.atoms = K;
  options.init = INIT_DATA;
  options.atoms_per_sample = 4;
  options.iterations = 5;
  for (int threads = 1; threads <= 4; threads *= 2) {
    g_auto (Mat) D = mat_new (N, K);
    g_autoptr (Learner) learner = NULL;

    parallel_init (threads);
    learner = learn_from ("ksvd", &Y, &options);
    learner_dictionary (learner, &D);
    if (threads == 1)
      mat_copy (&D, &one);
    g_assert_cmpmem (one.data, N * K * sizeof (double), D.data,
                     N * K * sizeof (double));
  }
}

/* ---- photographs ---- */

#define SIDE 10
#define LENGTH (SIDE * SIDE * 3)

static void
draw_patch (const Image *image, guint64 number, double *y)
{
  int left = (int) random_below (1, 0, number, image->width - SIDE + 1);
  int top = (int) random_below (1, 1, number, image->height - SIDE + 1);

  for (int c = 0; c < 3; c++)
    for (int i = 0; i < SIDE * SIDE; i++)
      *y++ = image_pixel (image, left + i % SIDE, top + i / SIDE)[c] / 255.0;
}

/* As many patches of each of the pictures 020 to 320, of which one number is
 * missing. */
static Mat
landscape_patches (int count)
{
  Mat Y = mat_new (LENGTH, count);
  int p = 0;

  for (int number = 20; number <= 320; number++) {
    g_autofree char *path =
      g_strdup_printf ("../shared/data/landscape/train/%03d.jpg", number);
    g_autoptr (Image) image = NULL;

    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      continue;
    image = load_image (path);
    for (int i = 0; i <= count / 300 && p < count; i++, p++)
      draw_patch (image, (guint64) p, mat_at (&Y, 0, p));
  }
  g_assert_cmpint (p, ==, count);
  return Y;
}

/* 10,000 patches, 300 atoms, 10 per patch, 20 iterations: K-SVD prototypes
 * leave 16.8 of 255. */
static void
test_landscape (void)
{
  g_autofree char *path = shared_path ("data/landscape/train");
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;
  g_auto (Mat) Y = { 0 };
  double rms;

  if (path == NULL)
    return;
  Y = landscape_patches (10000);
  options.init = INIT_DATA;
  options.iterations = 20;
  learner = learn_from ("ksvd", &Y, &options);
  rms = 255 * sqrt (learner_status (learner)->objective / LENGTH);
  g_test_message ("root mean square residual %.2f of 255", rms);
  assert_at_most (rms, 16);
  check_used (learner);
  check_unlike (learner);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/ksvd/never-raises", test_update_never_raises);
  g_test_add_func ("/ksvd/svd", test_exact_equals_svd);
  g_test_add_func ("/ksvd/exact", test_exact_is_at_least_as_good);
  g_test_add_func ("/ksvd/recovery", test_recovery);
  g_test_add_func ("/ksvd/weak", test_weak_atoms_are_replaced);
  g_test_add_func ("/ksvd/duplicates", test_near_duplicates_are_put_to_use);
  g_test_add_func ("/ksvd/status", test_status);
  g_test_add_func ("/ksvd/degenerate", test_degenerate_samples);
  g_test_add_func ("/ksvd/threads", test_threads_give_the_same);
  g_test_add_func ("/ksvd/landscape", test_landscape);
  return g_test_run ();
}
