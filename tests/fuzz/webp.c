/* webp.c - any bytes behind the signature of a WebP */
#include "tests/fuzz/decode.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autofree uint8_t *copy = g_memdup2 (data, size);

  if (size < 12)
    return 0;
  memcpy (copy, "RIFF", 4);
  memcpy (copy + 8, "WEBP", 4);
  bytes = g_bytes_new (copy, size);
  check_file (bytes);
  return 0;
}
