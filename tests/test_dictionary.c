/* test_dictionary.c - starts are orthonormal, files come back as they were */
#include "base/error.h"
#include "base/random.h"
#include "dictlearn/dictionary.h"
#include "dictlearn/initial.h"
#include "dictlearn/tensor.h"
#include "tests/support.h"

#include <math.h>
#include <string.h>

static void
test_dct (void)
{
  for (int channels = 1; channels <= 3; channels += 2)
    for (int patch = 4; patch <= 16; patch += 6) {
      g_autoptr (Dictionary) dct = dictionary_dct (patch, channels, NULL);
      int n = patch * patch * channels;

      g_assert_cmpint (dct->atoms.cols, ==, n);
      g_assert_true (dictionary_is_orthonormal (dct));
      /* The first atom is constant grey. */
      for (int i = 0; i < n; i++)
        assert_at_most (fabs (*matf_at (&dct->atoms, i, 0) - 1 / sqrt (n)),
                        1e-6);
    }
}

static Dictionary *
random_atoms (int patch, int channels, int count)
{
  Dictionary *dictionary = dictionary_new (patch, channels, count, NULL);
  g_auto (MatF) D = random_dictionary (patch * patch * channels, count, 4);

  memcpy (dictionary->atoms.data, D.data,
          (gsize) D.rows * (gsize) D.cols * sizeof (float));
  dictionary->algorithm = g_strdup ("online");
  dictionary->options = g_strdup ("--threshold 2.5 \"quoted\"");
  dictionary->seed = G_MAXUINT64;
  dictionary->samples = 123456789012;
  return dictionary;
}

static void
assert_same_atoms (const Dictionary *a, const Dictionary *b)
{
  int size = a->atoms.rows * a->atoms.cols * (int) sizeof (float);

  g_assert_cmpint (a->patch, ==, b->patch);
  g_assert_cmpint (a->channels, ==, b->channels);
  g_assert_cmpint (a->atoms.cols, ==, b->atoms.cols);
  g_assert_cmpmem (a->atoms.data, size, b->atoms.data, size);
}

static void
test_safetensors_come_back (void)
{
  g_autoptr (Dictionary) dictionary = random_atoms (10, 3, 35);
  g_autoptr (GBytes) bytes = dictionary_to_safetensors (dictionary, NULL);
  g_autoptr (Dictionary) back = dictionary_from_bytes (bytes, "x", NULL);

  g_assert_nonnull (back);
  assert_same_atoms (dictionary, back);
  g_assert_cmpstr (back->algorithm, ==, "online");
  g_assert_cmpstr (back->options, ==, dictionary->options);
  g_assert_cmpuint (back->seed, ==, G_MAXUINT64);
  g_assert_cmpuint (back->samples, ==, 123456789012);
}

static void
test_npy_comes_back (void)
{
  g_autoptr (Dictionary) dictionary = random_atoms (7, 1, 20);
  g_autoptr (GBytes) bytes = dictionary_to_npy (dictionary, NULL);
  g_autoptr (Dictionary) back = dictionary_from_bytes (bytes, "x", NULL);

  g_assert_nonnull (back);
  assert_same_atoms (dictionary, back);
  /* numpy maps the data, which wants it aligned. */
  g_assert_cmpuint ((g_bytes_get_size (bytes) - 7 * 7 * 20 * 4) % 64, ==, 0);
}

/* A safetensors file with one tensor "x" of @count numbers of type @type. */
static GBytes *
tensor_file (const char *type, gconstpointer numbers, int count, int size)
{
  g_autofree char *header = g_strdup_printf (
    "{\"x\":{\"dtype\":\"%s\",\"shape\":[%d],\"data_offsets\":[0,%d]}}", type,
    count, count * size);
  GByteArray *file = g_byte_array_new ();
  guint64 length = GUINT64_TO_LE (strlen (header));

  g_byte_array_append (file, (const guint8 *) &length, sizeof length);
  g_byte_array_append (file, (const guint8 *) header, (guint) strlen (header));
  g_byte_array_append (file, numbers, (guint) (count * size));
  return g_byte_array_free_to_bytes (file);
}

static void
read_tensor (GBytes *bytes, Tensor *tensor)
{
  g_autoptr (JsonObject) metadata = NULL;
  g_autoptr (GError) error = NULL;

  tensor_from_safetensors (bytes, "x", tensor, &metadata, &error);
  g_assert_no_error (error);
}

/* What numpy makes of float32 by astype(float16). */
static void
test_halves_as_numpy (void)
{
  const float numbers[] = { 0.f,         -0.f,        1.f,      -2.5f,
                            0.1f,        1 / 3.f,     65504.f,  0x1p-14f,
                            0x1p-24f,    0x1p-25f,    0x3p-26f, 6.1e-5f,
                            0x1.002p+0f, 0x1.006p+0f, 0.99987f, -1e-3f };
  const guint16 halves[] = { 0x0,    0x8000, 0x3c00, 0xc100, 0x2e66, 0x3555,
                             0x7bff, 0x400,  0x1,    0x0,    0x1,    0x3ff,
                             0x3c00, 0x3c02, 0x3c00, 0x9419 };
  const int count = G_N_ELEMENTS (numbers);
  Tensor given = { 1, { count }, (float *) numbers, TENSOR_F16 };
  g_autoptr (JsonObject) metadata = json_object_new ();
  g_autoptr (GBytes) bytes = tensor_to_safetensors (&given, "x", metadata, NULL);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (int i = 0; i < count; i++) {
    const guint8 *at = data + size - 2 * (gsize) (count - i);

    g_assert_cmphex (at[0] | (guint) at[1] << 8, ==, halves[i]);
  }
}

static void
test_all_halves_come_back (void)
{
  enum { FINITE = 0x7c00 };
  g_autofree guint16 *halves = g_new (guint16, 2 * FINITE);
  g_autoptr (GBytes) bytes = NULL, again = NULL;
  g_autoptr (JsonObject) metadata = json_object_new ();
  g_auto (Tensor) tensor = { 0 };
  const guint8 *data;
  gsize size;

  for (int i = 0; i < FINITE; i++) {
    halves[2 * i] = GUINT16_TO_LE ((guint16) i);
    halves[2 * i + 1] = GUINT16_TO_LE ((guint16) (i | 0x8000));
  }
  bytes = tensor_file ("F16", halves, 2 * FINITE, 2);
  read_tensor (bytes, &tensor);
  g_assert_cmpint (tensor.type, ==, TENSOR_F16);
  again = tensor_to_safetensors (&tensor, "x", metadata, NULL);
  data = g_bytes_get_data (again, &size);
  g_assert_cmpmem (data + size - 4 * FINITE, 4 * FINITE, halves, 4 * FINITE);
}

static void
test_other_types (void)
{
  const guint16 brief[] = { GUINT16_TO_LE (0x3f80), GUINT16_TO_LE (0xc020) };
  const double wide[] = { 1, -2.5 };
  const guint16 infinite[] = { GUINT16_TO_LE (0x7c00) };
  GBytes *files[] = { tensor_file ("BF16", brief, 2, 2),
                      tensor_file ("F64", wide, 2, 8) };
  g_autoptr (GBytes) bad = tensor_file ("F16", infinite, 1, 2);
  g_autoptr (JsonObject) metadata = NULL;
  g_auto (Tensor) none = { 0 };

  for (int i = 0; i < 2; i++) {
    g_auto (Tensor) tensor = { 0 };

    read_tensor (files[i], &tensor);
    g_assert_cmpfloat (tensor.data[0], ==, 1);
    g_assert_cmpfloat (tensor.data[1], ==, -2.5);
    g_bytes_unref (files[i]);
  }
  g_assert_false (tensor_from_safetensors (bad, "x", &none, &metadata, NULL));
}

/* A .npy of doubles in Fortran order, as numpy writes D.T. */
static void
test_npy_fortran_doubles (void)
{
  const char header[] = "{'descr': '<f8', 'fortran_order': True, "
                        "'shape': (2, 4), }\n";
  double values[8] = { 1, 0, 0, 2, 0, 0, 0, 0 }; /* columns of 2 x 4 */
  g_autoptr (GByteArray) file = g_byte_array_new ();
  guint8 length[2] = { sizeof header - 1, 0 };
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (Dictionary) dictionary = NULL;

  g_byte_array_append (file, (const guint8 *) "\x93NUMPY\x01\x00", 8);
  g_byte_array_append (file, length, 2);
  g_byte_array_append (file, (const guint8 *) header, sizeof header - 1);
  g_byte_array_append (file, (const guint8 *) values, sizeof values);
  bytes = g_bytes_new (file->data, file->len);
  dictionary = dictionary_from_bytes (bytes, "x", NULL);
  g_assert_nonnull (dictionary);
  g_assert_cmpint (dictionary->patch, ==, 2);
  g_assert_cmpint (dictionary->channels, ==, 1);
  g_assert_cmpint (dictionary->atoms.cols, ==, 2);
  g_assert_cmpfloat (*matf_at (&dictionary->atoms, 0, 0), ==, 1);
  g_assert_cmpfloat (*matf_at (&dictionary->atoms, 1, 1), ==, 1); /* 2 / |2| */
}

/* A .npy of @rows x @columns floats; entry (i, j) is 100 i + j + 1. */
static GBytes *
npy_matrix (int rows, int columns)
{
  g_autofree char *header = g_strdup_printf (
    "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }\n", rows,
    columns);
  g_autoptr (GByteArray) file = g_byte_array_new ();
  guint8 length[2] = { (guint8) strlen (header), 0 };

  g_byte_array_append (file, (const guint8 *) "\x93NUMPY\x01\x00", 8);
  g_byte_array_append (file, length, 2);
  g_byte_array_append (file, (const guint8 *) header, length[0]);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float value = (float) (100 * i + j + 1);

      g_byte_array_append (file, (const guint8 *) &value, sizeof value);
    }
  return g_bytes_new (file->data, file->len);
}

static void
test_layouts (void)
{
  g_autoptr (GBytes) both = npy_matrix (12, 16);
  g_autoptr (GBytes) rows = npy_matrix (5, 16);
  g_autoptr (GBytes) columns = npy_matrix (12, 5);
  g_autoptr (GError) error = NULL;
  g_autoptr (Dictionary) read = NULL;

  g_test_summary ("A matrix that can be read both ways is refused unless the "
                  "layout is given");
  g_assert_null (dictionary_from_bytes (both, "x", &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "12 rows of 4x4x1"));
  g_assert_nonnull (strstr (error->message, "16 columns of 2x2x3"));

  read = dictionary_from_layout (both, "x", LAYOUT_ROWS, NULL);
  g_assert_cmpint (read->atoms.cols, ==, 12);
  g_assert_cmpint (read->patch, ==, 4);
  dictionary_free (read);
  read = dictionary_from_layout (both, "x", LAYOUT_COLUMNS, NULL);
  g_assert_cmpint (read->atoms.cols, ==, 16);
  g_assert_cmpint (read->channels, ==, 3);
  /* Column 3 of the matrix: 4, 104, 204 ... */
  g_assert_cmpfloat_with_epsilon (*matf_at (&read->atoms, 2, 3)
                                    / *matf_at (&read->atoms, 0, 3),
                                  204. / 4, 1e-3);
  dictionary_free (read);
  read = dictionary_from_bytes (rows, "x", NULL);
  g_assert_cmpint (read->atoms.cols, ==, 5);
  dictionary_free (read);
  read = dictionary_from_bytes (columns, "x", NULL);
  g_assert_cmpint (read->atoms.cols, ==, 5);
  g_assert_cmpint (read->patch, ==, 2);
}

/* Every shortened file and thousands with flipped bytes: an error or a whole
 * dictionary, never a crash. */
static void
test_broken_files (void)
{
  g_autoptr (Dictionary) dictionary = random_atoms (4, 3, 6);
  GBytes *files[] = { dictionary_to_safetensors (dictionary, NULL),
                      dictionary_to_npy (dictionary, NULL) };

  for (gsize f = 0; f < G_N_ELEMENTS (files); f++) {
    gsize size;
    const guint8 *data = g_bytes_get_data (files[f], &size);

    for (gsize cut = 0; cut < size; cut++) {
      g_autoptr (GBytes) part = g_bytes_new (data, cut);
      g_autoptr (GError) error = NULL;

      g_assert_null (dictionary_from_bytes (part, "x", &error));
      g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
    }
    for (guint64 trial = 0; trial < 3000; trial++) {
      guint8 *copy = g_memdup2 (data, size);
      g_autoptr (GBytes) changed = g_bytes_new_take (copy, size);
      g_autoptr (GError) error = NULL;
      g_autoptr (Dictionary) read = NULL;

      copy[random_below (f, 0, trial, MIN (size, 250))] ^=
        (guint8) (1 + random_below (f, 1, trial, 255));
      read = dictionary_from_bytes (changed, "x", &error);
      g_assert_true ((read == NULL) == (error != NULL));
    }
    g_bytes_unref (files[f]);
  }
}

static void
test_not_finite (void)
{
  g_test_summary ("A dictionary of numbers that are none is refused");

  static const float odd[] = { NAN, INFINITY, -INFINITY };

  for (gsize i = 0; i < G_N_ELEMENTS (odd); i++) {
    g_autoptr (Dictionary) dictionary = random_atoms (4, 1, 5);
    GBytes *files[2];

    *matf_at (&dictionary->atoms, 3, 4) = odd[i];
    files[0] = dictionary_to_safetensors (dictionary, NULL);
    files[1] = dictionary_to_npy (dictionary, NULL);
    for (int f = 0; f < 2; f++) {
      g_autoptr (GError) error = NULL;

      g_assert_null (dictionary_from_bytes (files[f], "x", &error));
      g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, "not finite"));
      g_bytes_unref (files[f]);
    }
  }
}

/* A safetensors file whose header is @header and which has no data. */
static GBytes *
file_with_header (const char *header)
{
  GByteArray *file = g_byte_array_new ();
  guint64 length = GUINT64_TO_LE (strlen (header));

  g_byte_array_append (file, (const guint8 *) &length, sizeof length);
  g_byte_array_append (file, (const guint8 *) header, (guint) strlen (header));
  return g_byte_array_free_to_bytes (file);
}

/* What reading a file with @header complains about. */
static char *
complaint_about (const char *header)
{
  g_autoptr (GBytes) file = file_with_header (header);
  g_autoptr (GError) error = NULL;

  g_assert_null (dictionary_from_bytes (file, "x", &error));
  g_assert_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT);
  return g_strdup (error->message);
}

/* An object with arrays inside one another, @depth brackets in all. */
static char *
nested_header (int depth)
{
  GString *header = g_string_new ("{\"a\":");

  for (int i = 1; i < depth; i++)
    g_string_append_c (header, '[');
  for (int i = 1; i < depth; i++)
    g_string_append_c (header, ']');
  g_string_append_c (header, '}');
  return g_string_free (header, FALSE);
}

static void
test_nested_header (void)
{
  g_test_summary ("A header that nests too deep is refused, and does not "
                  "overflow the stack");

  static const int depths[] = { 2, 16, 17, 75000, 500000 };

  for (gsize i = 0; i < G_N_ELEMENTS (depths); i++) {
    g_autofree char *header = nested_header (depths[i]);
    g_autofree char *complaint = complaint_about (header);

    g_assert_true ((strstr (complaint, "not JSON") != NULL)
                   == (depths[i] > 16));
  }
}

/* Texts that json-glib would read in another way than a count of brackets. */
static void
test_hidden_nesting (void)
{
  static const char *const levels[] = { "[\"]\",", "[\"\\\"]\",", "[/*\"*/",
                                        "['\"',", "[//\"\n" };

  for (gsize i = 0; i < G_N_ELEMENTS (levels); i++) {
    g_autoptr (GString) header = g_string_new ("{\"a\":");
    g_autofree char *complaint = NULL;

    while (header->len < 900000)
      g_string_append (header, levels[i]);
    complaint = complaint_about (header->str);
    g_assert_nonnull (strstr (complaint, "not JSON"));
  }

  g_autofree char *complaint = complaint_about (
    "{\"__metadata__\":{\"options\":\"[[[[[[[[[[[[[[[[[[[[\"}}");

  g_assert_nonnull (strstr (complaint, "no tensor of floats"));
}

int
main (int argc, char **argv)
{
  test_start (&argc, &argv);
  g_test_add_func ("/dictionary/dct", test_dct);
  g_test_add_func ("/dictionary/safetensors", test_safetensors_come_back);
  g_test_add_func ("/dictionary/halves-as-numpy", test_halves_as_numpy);
  g_test_add_func ("/dictionary/all-halves", test_all_halves_come_back);
  g_test_add_func ("/dictionary/other-types", test_other_types);
  g_test_add_func ("/dictionary/npy", test_npy_comes_back);
  g_test_add_func ("/dictionary/npy-fortran", test_npy_fortran_doubles);
  g_test_add_func ("/dictionary/layouts", test_layouts);
  g_test_add_func ("/dictionary/broken", test_broken_files);
  g_test_add_func ("/dictionary/not-finite", test_not_finite);
  g_test_add_func ("/dictionary/nested", test_nested_header);
  g_test_add_func ("/dictionary/hidden-nesting", test_hidden_nesting);
  return g_test_run ();
}
