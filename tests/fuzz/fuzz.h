/* fuzz.h - what the targets of libFuzzer share
 *
 * A target is a function that gets any bytes at all, many thousand times a
 * second, and must neither crash nor take long.  The sanitizers find what is
 * wrong with memory; fuzz_must() finds what is wrong with the result.
 */
#pragma once

#include "base/error.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize (int *argc, char ***argv);
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* A target may have a way of its own to change a file. */
size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max_size,
                                unsigned int seed);

/* libFuzzer's way. */
size_t LLVMFuzzerMutate (uint8_t *data, size_t size, size_t max_size);

/* Ends the run, which saves the bytes, unless @condition holds. */
#define fuzz_must(condition)                                                  \
  do {                                                                        \
    if (!(condition)) {                                                       \
      g_printerr ("%s:%d: does not hold: %s\n", __FILE__, __LINE__,           \
                  #condition);                                                \
      abort ();                                                               \
    }                                                                         \
  } while (0)

/* Either there is a result, or one line that says why not, with the code of a
 * broken file or of a limit. */
static inline void
fuzz_check_result (gconstpointer result, const GError *error)
{
  fuzz_must ((result != NULL) == (error == NULL));
  if (error == NULL)
    return;
  fuzz_must (error->domain == TESSERA_ERROR);
  fuzz_must (error->code == TESSERA_ERROR_INPUT
             || error->code == TESSERA_ERROR_LIMIT);
  fuzz_must (strchr (error->message, '\n') == NULL);
  fuzz_must (g_utf8_validate (error->message, -1, NULL));
}
