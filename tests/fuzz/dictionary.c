/* dictionary.c - any bytes are a dictionary of sound atoms, or fail cleanly */
#include "tests/fuzz/fuzz.h"

#include "dictlearn/dictionary.h"

#include <math.h>

/* Columns of length one, and so without NaN and infinity. */
static void
check_atoms (const Dictionary *dictionary)
{
  const MatF *atoms = &dictionary->atoms;

  fuzz_must (atoms->rows
             == dictionary->patch * dictionary->patch * dictionary->channels);
  for (int j = 0; j < atoms->cols; j++) {
    double sum = 0;

    for (int i = 0; i < atoms->rows; i++) {
      double value = *matf_at (atoms, i, j);

      sum += value * value;
    }
    fuzz_must (fabs (sum - 1) < 1e-3);
  }
}

static void
check_round_trip (const Dictionary *dictionary)
{
  g_autoptr (GBytes) bytes = dictionary_to_safetensors (dictionary, NULL);
  g_autoptr (Dictionary) again = dictionary_from_bytes (bytes, "again", NULL);

  fuzz_must (again != NULL);
  fuzz_must (again->patch == dictionary->patch);
  fuzz_must (again->channels == dictionary->channels);
  fuzz_must (again->atoms.cols == dictionary->atoms.cols);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (Dictionary) dictionary =
    dictionary_from_bytes (bytes, "fuzz", &error);

  fuzz_check_result (dictionary, error);
  if (dictionary != NULL) {
    check_atoms (dictionary);
    check_round_trip (dictionary);
  }
  return 0;
}
