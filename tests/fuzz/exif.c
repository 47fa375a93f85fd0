/* exif.c - any bytes have an orientation */
#include "tests/fuzz/fuzz.h"

#include "imaging/codec/exif.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  int orientation = exif_orientation (bytes);

  fuzz_must (orientation >= 1 && orientation <= 8);
  return 0;
}
