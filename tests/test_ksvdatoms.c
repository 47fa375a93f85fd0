/* test_ksvdatoms.c - which atoms K-SVD gives up, and what they become */
#include "tests/learning.h"
#include "tests/support.h"

#include <math.h>

/* An atom that a single sample uses, among noisy samples that use others. */
static double
rare_atom_after_a_step (gboolean textbook)
{
  enum { N = 8, COUNT = 200 };
  g_auto (Mat) start = mat_new (N, N);
  g_auto (Mat) Y = random_mat (N, COUNT, 5);
  g_auto (Mat) A = mat_new (N, N);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;

  for (int i = 0; i < N; i++)
    *mat_at (&start, i, i) = 1;
  for (int p = 0; p < COUNT; p++) {
    for (int i = 0; i < N; i++)
      *mat_at (&Y, i, p) *= 0.01;
    *mat_at (&Y, p == 0 ? N - 1 : p % (N - 1), p) += 3;
  }
  options.init = INIT_GIVEN;
  options.start = &start;
  options.atoms_per_sample = 1;
  options.iterations = 1;
  options.textbook = textbook;
  learner = learn_from ("ksvd", &Y, &options);
  learner_dictionary (learner, &A);
  return fabs (*mat_at (&A, N - 1, N - 1));
}

static void
test_textbook_keeps_rare_atoms (void)
{
  g_assert_cmpfloat (rare_atom_after_a_step (TRUE), >, 0.99);
  g_assert_cmpfloat (rare_atom_after_a_step (FALSE), <, 0.9);
}

/* Whether an atom has two large entries. */
static gboolean
has_mixed_atom (const Mat *A)
{
  for (int j = 0; j < A->cols; j++) {
    int large = 0;

    for (int i = 0; i < A->rows; i++)
      large += fabs (*mat_at (A, i, j)) > 0.4 ? 1 : 0;
    if (large == 2)
      return TRUE;
  }
  return FALSE;
}

/* Samples of seven directions, one with an eighth.  Eight atoms that are
 * samples have one to spare: it moves to the sample of two, and not to what is
 * left of that, which is one direction. */
static void
test_start_from_samples_moves_to_samples (void)
{
  enum { N = 8, COUNT = 210, DIRECTIONS = 7 };
  g_auto (Mat) Y = random_mat (N, COUNT, 5);
  g_auto (Mat) A = mat_new (N, N);
  LearnOptions options = LEARN_DEFAULTS;
  g_autoptr (Learner) learner = NULL;

  for (int p = 0; p < COUNT; p++) {
    for (int i = 0; i < N; i++)
      *mat_at (&Y, i, p) *= 0.001;
    *mat_at (&Y, p % DIRECTIONS, p) += 3;
    if (p == COUNT - 1)
      *mat_at (&Y, N - 1, p) += 3.5;
  }
  options.init = INIT_DATA;
  options.atoms_per_sample = 1;
  options.iterations = 1;
  learner = learn_from ("ksvd", &Y, &options);
  learner_dictionary (learner, &A);
  g_assert_true (has_mixed_atom (&A));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/ksvdatoms/textbook", test_textbook_keeps_rare_atoms);
  g_test_add_func ("/ksvdatoms/from-samples",
                   test_start_from_samples_moves_to_samples);
  return g_test_run ();
}
