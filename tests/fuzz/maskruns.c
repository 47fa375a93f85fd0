/* maskruns.c - one mask, one way to write it
 *
 * The first two bytes are width and height, less one; the rest are runs.
 */
#include "tests/fuzz/fuzz.h"

#include "imaging/maskruns.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) runs = NULL;
  g_autoptr (GBytes) again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (Mask) mask = NULL;

  if (size < 2)
    return 0;
  runs = g_bytes_new (data + 2, size - 2);
  mask = mask_from_runs (runs, data[0] + 1, data[1] + 1, &error);
  fuzz_check_result (mask, error);
  if (mask == NULL)
    return 0;
  again = mask_to_runs (mask, NULL);
  fuzz_must (g_bytes_equal (runs, again));
  return 0;
}
