/* picture.c - any bytes, as a picture; mostly PNG and JPEG */
#include "tests/fuzz/decode.h"

#include "tests/mutate.h"

/* Most changed files have a wrong checksum, which hides all else. */
size_t
LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max_size,
                         unsigned int seed)
{
  size = LLVMFuzzerMutate (data, size, max_size);
  if (seed % 8 != 0)
    mutate_repair_png (data, size);
  return size;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);

  check_file (bytes);
  return 0;
}
