/* test_api_learn.c - the public interface: dictionaries, arrays, learning */
#include "tests/apiphoto.h"
#include "tests/support.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* ---- dictionaries and arrays ---- */

static void
test_dictionaries (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tessera-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "d.safetensors", NULL);
  TesseraDictionary *dct = tessera_dictionary_dct (4, 3, NULL), *other;
  g_autofree double *a = g_new (double, 48 * 48), *b = g_new (double, 48 * 48);
  TesseraMatrix columns = { a, TESSERA_FLOAT64, 48, 48, 8, 8 * 48 };
  TesseraMatrix rows = { b, TESSERA_FLOAT64, 48, 48, 8 * 48, 8 };
  TesseraImage *mosaic;
  GError *error = NULL;

  g_assert_true (tessera_dictionary_get_atoms (dct, &columns, NULL));
  for (int i = 0; i < 48 * 48; i++)
    a[i] *= 5; /* lengths do not matter */
  other = tessera_dictionary_from_atoms (&columns, 4, 3, NULL);
  g_assert_cmpint (tessera_dictionary_patch (other), ==, 4);
  g_assert_cmpint (tessera_dictionary_channels (other), ==, 3);
  g_assert_cmpint (tessera_dictionary_atoms (other), ==, 48);
  g_assert_true (tessera_dictionary_write (other, path, NULL));
  tessera_dictionary_free (other);
  other = tessera_dictionary_read (path, NULL);
  g_assert_true (tessera_dictionary_get_atoms (other, &rows, NULL));
  for (int j = 0; j < 48; j++)
    for (int i = 0; i < 48; i++)
      g_assert_cmpfloat (fabs (b[i * 48 + j] - a[j * 48 + i] / 5), <, 1e-6);
  mosaic = tessera_dictionary_mosaic (other, 2, NULL);
  g_assert_nonnull (mosaic);
  a[48 * 3] = INFINITY;
  g_assert_null (tessera_dictionary_from_atoms (&columns, 4, 3, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_null (tessera_dictionary_from_atoms (&columns, 5, 3, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_null (tessera_dictionary_dct (65, 3, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  g_remove (path);
  g_rmdir (folder);
  tessera_image_free (mosaic);
  tessera_dictionary_free (other);
  tessera_dictionary_free (dct);
}

/* The bytes in memory are those of the file, and say the same. */
static void
test_encoded_dictionary (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tessera-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "d.safetensors", NULL);
  TesseraDictionary *learned = tessera_dictionary_learned (), *again;
  g_autofree char *file = NULL;
  size_t size = 0;
  gsize file_size = 0;
  void *bytes = tessera_dictionary_encode (learned, &size, NULL);

  g_assert_nonnull (bytes);
  g_assert_true (tessera_dictionary_write (learned, path, NULL));
  g_assert_true (g_file_get_contents (path, &file, &file_size, NULL));
  g_assert_cmpuint (size, ==, file_size);
  g_assert_true (memcmp (bytes, file, size) == 0);
  again = tessera_dictionary_decode (bytes, size, NULL);
  g_assert_cmpstr (tessera_dictionary_algorithm (again), ==,
                   tessera_dictionary_algorithm (learned));
  g_remove (path);
  g_rmdir (folder);
  tessera_free (bytes);
  tessera_dictionary_free (again);
  tessera_dictionary_free (learned);
}

enum { N = 12, K = 20, P = 50, S = 3 };

/* Three random atoms for each of P signals, as rows of doubles; the codes are
 * found exactly, with and without hidden samples. */
static void
test_pursuit (void)
{
  g_auto (MatF) D = random_dictionary (N, K, 1);
  TesseraMatrix atoms = { D.data, TESSERA_FLOAT32, N, K, 4, 4 * D.ld };
  g_auto (Mat) values = random_mat (S, P, 2);
  g_autofree double *Y = g_new0 (double, N *P), *back = g_new0 (double, N *P);
  g_autofree float *weights = g_new (float, N *P);
  /* One signal per row, as numpy has it. */
  TesseraMatrix signals = { Y, TESSERA_FLOAT64, N, P, 8, 8 * N };
  TesseraMatrix result = { back, TESSERA_FLOAT64, N, P, 8, 8 * N };
  TesseraMatrix w = { weights, TESSERA_FLOAT32, N, P, 4, 4 * N };
  int counts[P], indices[P * S];
  float x[P * S];
  TesseraCodes codes = { S, counts, indices, x };
  TesseraContext *context = tessera_context_new (2);
  TesseraPursuit *pursuit = tessera_pursuit_new (context, &atoms, NULL);
  GError *error = NULL;

  tessera_context_free (context); /* the pursuit keeps it */
  for (int j = 0; j < P; j++) {
    int first = j % K;
    double size = 1 + fabs (*mat_at (&values, 0, j));

    for (int i = 0; i < N; i++)
      Y[j * N + i] = size * *matf_at (&D, i, first);
  }
  for (int i = 0; i < N * P; i++)
    weights[i] = i % 5 != 0;
  for (int masked = 0; masked < 2; masked++) {
    for (int i = 0; i < N * P; i++)
      if (masked && weights[i] == 0)
        Y[i] = NAN; /* hidden, so it does not count */
    g_assert_true (tessera_pursuit_encode (
      pursuit, &signals, masked ? &w : NULL, NULL, &codes, &error));
    g_assert_no_error (error);
    g_assert_true (tessera_pursuit_decode (pursuit, &codes, &result, NULL));
    for (int j = 0; j < P; j++) {
      double size = 1 + fabs (*mat_at (&values, 0, j));

      g_assert_cmpint (counts[j], >=, 1);
      g_assert_cmpint (indices[j * S], ==, j % K);
      for (int i = 0; i < N; i++)
        g_assert_cmpfloat (
          fabs (back[j * N + i] - size * *matf_at (&D, i, j % K)), <, 1e-4);
    }
  }
  g_assert_false (
    tessera_pursuit_encode (pursuit, &signals, NULL, NULL, &codes, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT); /* NaN */
  g_clear_error (&error);
  weights[7] = 1.5f;
  g_assert_false (
    tessera_pursuit_encode (pursuit, &signals, &w, NULL, &codes, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  indices[0] = K;
  g_assert_false (tessera_pursuit_decode (pursuit, &codes, &result, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  tessera_pursuit_free (pursuit);
  D.data[0] += 1;
  g_assert_null (tessera_pursuit_new (NULL, &atoms, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
}

/* ---- learning ---- */

static void
test_learner (void)
{
  g_auto (Mat) Y = random_mat (16, 400, 5);
  TesseraMatrix samples = { Y.data, TESSERA_FLOAT64, 16, 400, 8, 8 * 16 };
  g_auto (MatF) D = matf_new (16, 24);
  TesseraMatrix atoms = { D.data, TESSERA_FLOAT32, 16, 24, 4, 4 * 16 };
  TesseraLearnOptions options = { .size = sizeof options,
                                  .algorithm = "ksvd",
                                  .length = 16,
                                  .atoms = 24,
                                  .iterations = 3,
                                  .atoms_per_sample = 3 };
  TesseraLearnStatus status = { .size = sizeof status };
  TesseraLearner *learner = tessera_learner_new (NULL, &options, NULL);
  GError *error = NULL;

  g_assert_false (tessera_learner_get_atoms (learner, &atoms, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  g_assert_true (tessera_learner_feed (learner, &samples, NULL));
  g_assert_false (tessera_learner_done (learner));
  g_assert_true (tessera_learner_finish (learner, NULL));
  g_assert_true (tessera_learner_status (learner, &status, NULL));
  g_assert_cmpint (status.iterations, ==, 3);
  g_assert_cmpuint (status.samples, ==, 400);
  g_assert_true (tessera_learner_get_atoms (learner, &atoms, NULL));
  for (int j = 0; j < 24; j++) {
    double sum = 0;

    for (int i = 0; i < 16; i++)
      sum += pow (*matf_at (&D, i, j), 2);
    g_assert_cmpfloat (fabs (sum - 1), <, 1e-5);
  }
  g_assert_null (tessera_learner_dictionary (learner, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  *mat_at (&Y, 3, 3) = NAN;
  g_assert_false (tessera_learner_feed (learner, &samples, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  tessera_learner_free (learner);
}

static void
test_every_algorithm (void)
{
  g_auto (Mat) Y = random_mat (27, 300, 5);
  TesseraMatrix samples = { Y.data, TESSERA_FLOAT64, 27, 300, 8, 8 * 27 };
  int count = 0;

  for (; tessera_algorithm_name (count) != NULL; count++) {
    TesseraLearnOptions options = { .size = sizeof options,
                                    .algorithm =
                                      tessera_algorithm_name (count),
                                    .patch = 3,
                                    .iterations = 2,
                                    .window = 50 };
    g_autoptr (GError) error = NULL;
    TesseraLearner *learner = tessera_learner_new (NULL, &options, &error);
    TesseraDictionary *dictionary;

    g_assert_no_error (error);
    tessera_learner_feed (learner, &samples, &error);
    g_assert_no_error (error);
    tessera_learner_finish (learner, &error);
    g_assert_no_error (error);
    dictionary = tessera_learner_dictionary (learner, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (tessera_dictionary_algorithm (dictionary), ==,
                     options.algorithm);
    g_assert_cmpint (tessera_dictionary_atoms (dictionary), ==, 27);
    g_assert_nonnull (tessera_algorithm_summary (count));
    tessera_dictionary_free (dictionary);
    tessera_learner_free (learner);
  }
  g_assert_cmpint (count, >=, 7);
}

static void
test_learn_from_files (void)
{
  const char *paths[] = { "no/such/file.png", PHOTO };
  TesseraLearnOptions options = {
    .size = sizeof options, .patch = 4, .iterations = 3, .window = 200
  };
  TesseraDictionary *dictionary =
    tessera_learn_from_files (NULL, paths, 2, &options, NULL);
  GError *error = NULL;

  g_assert_cmpint (tessera_dictionary_atoms (dictionary), ==, 48);
  tessera_dictionary_free (dictionary);
  g_assert_null (tessera_learn_from_files (NULL, paths, 1, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, paths[0]));
  g_clear_error (&error);
  options.algorithm = "frobnicate";
  g_assert_null (tessera_learn_from_files (NULL, paths, 2, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
}

static void
test_learn_for_task (void)
{
  const char *paths[] = { "no-such-file.png", PHOTO };
  TesseraTaskOptions options = { .size = sizeof options,
                                 .task = "missing:0.5",
                                 .patch = 4,
                                 .iterations = 3,
                                 .batch = 40,
                                 .seed = 2 };
  TesseraDictionary *dct = tessera_dictionary_dct (4, 3, NULL), *learned[2];
  float atoms[3][48 * 48];
  GError *error = NULL;

  for (int i = 0; i < 2; i++) {
    TesseraContext *context = tessera_context_new (i + 1);
    TesseraMatrix place = { atoms[i], TESSERA_FLOAT32, 48, 48, 4, 4 * 48 };

    learned[i] = tessera_learn_for_task (context, paths, 2, &options, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (tessera_dictionary_algorithm (learned[i]), ==, "task");
    g_assert_true (tessera_dictionary_get_atoms (learned[i], &place, NULL));
    tessera_dictionary_free (learned[i]);
    tessera_context_free (context);
  }
  g_assert_cmpmem (atoms[0], sizeof atoms[0], atoms[1], sizeof atoms[1]);
  tessera_dictionary_get_atoms (
    dct, &(TesseraMatrix){ atoms[2], TESSERA_FLOAT32, 48, 48, 4, 4 * 48 },
    NULL);
  g_assert_cmpint (memcmp (atoms[0], atoms[2], sizeof atoms[0]), !=, 0);
  tessera_dictionary_free (dct);
  options.task = "missing:2";
  g_assert_null (tessera_learn_for_task (NULL, paths, 2, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  options.task = NULL;
  g_assert_null (tessera_learn_for_task (NULL, paths, 1, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
}

/* Atoms of 4 x 4 x 3 that the program learns for a task. */
static TesseraDictionary *
learn_with_program (const char *program, const char *coder)
{
  g_autofree char *folder = g_dir_make_tmp ("tessera-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "d.safetensors", NULL);
  const char *argv[] = { program,       "learn",   PHOTO, "--task",
                         "missing:0.5", "--patch", "4",   "--task-iterations",
                         "3",           "--coder", coder, "--seed",
                         "2",           "--quiet", "-o",  path,
                         NULL };
  TesseraDictionary *learned;
  GError *error = NULL;
  int status;

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, 0, NULL, NULL, NULL,
                               NULL, &status, &error));
  g_assert_cmpint (status, ==, 0);
  learned = tessera_dictionary_read (path, &error);
  g_assert_no_error (error);
  g_remove (path);
  g_rmdir (folder);
  return learned;
}

static void
test_task_as_the_program (void)
{
  g_test_summary ("For a task, library and program learn the same atoms");

  const char *program = g_getenv ("TESSERA"), *paths[] = { PHOTO };

  if (program == NULL) {
    g_test_skip ("TESSERA does not name the program");
    return;
  }
  for (int separate = 0; separate < 2; separate++) {
    TesseraTaskOptions options = { .size = sizeof options,
                                   .task = "missing:0.5",
                                   .patch = 4,
                                   .separate = separate,
                                   .iterations = 3,
                                   .seed = 2 };
    TesseraDictionary *both[] = {
      tessera_learn_for_task (NULL, paths, 1, &options, NULL),
      learn_with_program (program, separate ? "separate" : "overlapping")
    };
    float atoms[2][48 * 48];

    for (int i = 0; i < 2; i++) {
      TesseraMatrix place = { atoms[i], TESSERA_FLOAT32, 48, 48, 4, 4 * 48 };

      g_assert_nonnull (both[i]);
      g_assert_true (tessera_dictionary_get_atoms (both[i], &place, NULL));
      tessera_dictionary_free (both[i]);
    }
    g_assert_cmpmem (atoms[0], sizeof atoms[0], atoms[1], sizeof atoms[1]);
  }
}

static void
test_learn_convolutional (void)
{
  const char *paths[] = { PHOTO };
  TesseraConvolutionalOptions options = { .size = sizeof options,
                                          .task = "missing:0.5",
                                          .patch = 4,
                                          .atoms = 8,
                                          .rounds = 2,
                                          .levels = 1,
                                          .crop = 16,
                                          .batch = 2,
                                          .iterations = 2 };
  TesseraRestoreOptions with = { .size = sizeof with,
                                 .quality = TESSERA_QUALITY_FAST };
  g_autofree char *folder = g_dir_make_tmp ("tessera-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "c.safetensors", NULL);
  TesseraMask *missing;
  TesseraImage *image = damaged_photo (&missing);
  TesseraDictionary *learned, *again;
  GError *error = NULL;

  learned = tessera_learn_convolutional (NULL, paths, 1, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (tessera_dictionary_algorithm (learned), ==,
                   "convolutional");
  g_assert_cmpint (tessera_dictionary_atoms (learned), ==, 8);
  g_assert_true (tessera_dictionary_write (learned, path, NULL));
  again = tessera_dictionary_read (path, &error);
  g_assert_no_error (error);
  with.dictionary = again;
  g_assert_true (tessera_restore (NULL, image, missing, &with, NULL, &error));
  g_assert_no_error (error);
  options.spacing = 5;
  g_assert_null (
    tessera_learn_convolutional (NULL, paths, 1, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  tessera_dictionary_free (learned);
  tessera_dictionary_free (again);
  tessera_mask_free (missing);
  tessera_image_free (image);
  g_remove (path);
  g_rmdir (folder);
}

static void
test_learn_transform (void)
{
  const char *paths[] = { PHOTO };
  TesseraTransformOptions options = { .size = sizeof options,
                                      .patch = 4,
                                      .spacing = 2,
                                      .rounds = 2,
                                      .crop = 16,
                                      .batch = 2,
                                      .iterations = 3 };
  TesseraRestoreOptions with = { .size = sizeof with };
  TesseraMask *missing;
  TesseraImage *image = damaged_photo (&missing);
  TesseraDictionary *learned, *again, *atoms;
  GError *error = NULL;
  size_t size;
  void *bytes;
  double psnr[3];

  g_test_summary ("A transform keeps its thresholds in a file and restores "
                  "with them");
  learned = tessera_learn_transform (NULL, paths, 1, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (tessera_dictionary_algorithm (learned), ==, "transform");
  g_assert_cmpint (tessera_dictionary_atoms (learned), ==, 48);
  bytes = tessera_dictionary_encode (learned, &size, &error);
  g_assert_no_error (error);
  again = tessera_dictionary_decode (bytes, size, &error);
  g_assert_no_error (error);
  atoms = tessera_dictionary_dct (4, 3, &error);
  g_assert_no_error (error);
  for (int i = 0; i < 3; i++) {
    TesseraImage *copy = tessera_image_copy (image, NULL);
    TesseraImage *clean = read_photo ();
    TesseraScore report = { .size = sizeof report };

    with.dictionary = i == 0 ? learned : i == 1 ? again : atoms;
    g_assert_true (
      tessera_restore (NULL, copy, missing, &with, NULL, &error));
    g_assert_no_error (error);
    g_assert_true (tessera_score (clean, copy, missing, &report, &error));
    psnr[i] = report.psnr;
    tessera_image_free (copy);
    tessera_image_free (clean);
  }
  g_test_message ("%g dB, atoms alone %g dB", psnr[0], psnr[2]);
  g_assert_cmpfloat (psnr[0], ==, psnr[1]);
  g_assert_cmpfloat (psnr[0], !=, psnr[2]);

  options.start = again;
  options.rounds = 3;
  tessera_dictionary_free (learned);
  learned = tessera_learn_transform (NULL, paths, 1, &options, &error);
  g_assert_no_error (error);
  options.patch = 5;
  g_assert_null (tessera_learn_transform (NULL, paths, 1, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_clear_error (&error);
  options.patch = 17;
  g_assert_null (tessera_learn_transform (NULL, paths, 1, &options, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_USAGE);
  g_clear_error (&error);
  tessera_dictionary_free (learned);
  tessera_dictionary_free (again);
  tessera_dictionary_free (atoms);
  tessera_free (bytes);
  tessera_mask_free (missing);
  tessera_image_free (image);
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/api/dictionaries", test_dictionaries);
  g_test_add_func ("/api/encoded-dictionary", test_encoded_dictionary);
  g_test_add_func ("/api/pursuit", test_pursuit);
  g_test_add_func ("/api/learner", test_learner);
  g_test_add_func ("/api/every-algorithm", test_every_algorithm);
  g_test_add_func ("/api/learn-from-files", test_learn_from_files);
  g_test_add_func ("/api/learn-for-task", test_learn_for_task);
  g_test_add_func ("/api/task-as-the-program", test_task_as_the_program);
  g_test_add_func ("/api/learn-convolutional", test_learn_convolutional);
  g_test_add_func ("/api/learn-transform", test_learn_transform);
  return g_test_run ();
}
