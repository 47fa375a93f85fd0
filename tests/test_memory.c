/* test_memory.c - as much memory as data asks for may not be there
 *
 * Each test goes on in a process of its own, whose address space is limited:
 * then what asks for more than there is must come back with an error.
 */
#include "base/error.h"
#include "base/parallel.h"
#include "dictlearn/learner.h"
#include "dictlearn/tensor.h"
#include "imaging/codec/codec.h"
#include "tests/support.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MEGABYTE ((gsize) 1 << 20)

/* Address space that this process has taken. */
static gsize
space_taken (void)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  return (gsize) g_ascii_strtoull (text, NULL, 10)
         * (gsize) sysconf (_SC_PAGESIZE);
}

/* OpenBLAS tries forever to get its buffer, so that comes first. */
static void
limit_memory (gsize megabytes)
{
  g_auto (Mat) A = random_mat (128, 128, 1);
  g_auto (Mat) B = mat_new (128, 128);
  struct rlimit limit;

  parallel_init (1);
  mat_multiply (1, &A, PLAIN, &A, PLAIN, 0, &B);
  limit.rlim_cur = limit.rlim_max = space_taken () + megabytes * MEGABYTE;
  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
}

/* TRUE in a process of its own, which can have @megabytes more than it has;
 * FALSE in the one that has waited for it. */
static gboolean
in_little_memory (gsize megabytes)
{
  if (SANITIZED) {
    g_test_skip ("a sanitizer needs all the address space there is");
    return FALSE;
  }
  if (g_test_subprocess ()) {
    limit_memory (megabytes);
    return TRUE;
  }
  g_setenv ("OPENBLAS_NUM_THREADS", "1", TRUE); /* as the program does */
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  return FALSE;
}

/* A PNG of one pixel with a profile that says it has @size bytes. */
static GBytes *
png_with_profile (gsize size)
{
  const guint8 profile[128] = { (guint8) (size >> 24), (guint8) (size >> 16),
                                (guint8) (size >> 8), (guint8) size };
  g_autoptr (Image) image = image_new (1, 1, 1, 8, NULL);

  image->meta.icc = g_bytes_new (profile, sizeof profile);
  return image_encode (image, TESSERA_PNG, &ENCODE_DEFAULTS, NULL);
}

static void
test_profile (void)
{
  g_test_summary ("A small picture with a large colour profile");

  g_autoptr (GBytes) png = png_with_profile (60 * MEGABYTE);
  g_autoptr (GError) error = NULL;

  if (!in_little_memory (40))
    return;
  g_assert_null (image_decode (png, "x", &IMAGE_LIMITS_DEFAULTS, &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY);
}

static void
test_array (void)
{
  g_test_summary ("A large array, in either order of its numbers");

  static const char *const orders[] = { "False", "True" };

  if (!in_little_memory (100))
    return;
  for (int i = 0; i < 2; i++) {
    gsize count = (i == 0 ? 15 : 9) * MEGABYTE;
    g_autofree char *header = g_strdup_printf (
      "{'descr': '<f4', 'fortran_order': %s, 'shape': (%" G_GSIZE_FORMAT
      ",), }",
      orders[i], count);
    gsize start = 10 + strlen (header), size = start + count * sizeof (float);
    guint8 *data = g_malloc0 (size);
    g_autoptr (GBytes) file = g_bytes_new_take (data, size);
    g_auto (Tensor) tensor = { 0 };
    g_autoptr (GError) error = NULL;

    memcpy (data, "\x93NUMPY\x01\x00", 8);
    data[8] = (guint8) strlen (header);
    memcpy (data + 10, header, strlen (header));
    g_assert_false (tensor_from_npy (file, &tensor, &error));
    g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY);
  }
}

/* Learners that keep their samples, with too many of them to keep, or to work
 * on. */
static void
test_samples (void)
{
  if (!in_little_memory (150))
    return;

  for (int i = 0; learner_classes[i] != NULL; i++)
    for (int most = 60000; most <= 240000; most *= 2) {
      LearnOptions options = LEARN_DEFAULTS;
      g_autoptr (GError) error = NULL;
      g_autoptr (Learner) learner = NULL;
      g_auto (Mat) Y = random_mat (64, 1000, 1);
      gboolean ok = TRUE;

      if (learner_classes[i]->streams)
        continue;
      options.iterations = 0;
      options.init = INIT_RANDOM;
      options.atoms_per_sample = 4;
      learner = learner_new (learner_classes[i]->name, 64, &options, NULL);
      g_assert_nonnull (learner);
      for (int fed = 0; ok && fed < most; fed += Y.cols)
        ok = learner_feed (learner, &Y, NULL, &error);
      ok = ok && learner_finish (learner, NULL, &error);
      g_assert_true (ok || most > 60000);
      if (!ok)
        g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY);
      g_assert_true (!ok || most < 240000);
    }
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/memory/profile", test_profile);
  g_test_add_func ("/memory/array", test_array);
  g_test_add_func ("/memory/samples", test_samples);
  return g_test_run ();
}
