/* tiff.c - any bytes behind the first four of a TIFF */
#include "tests/fuzz/decode.h"

/* Pages that are looked at; more are more of the same. */
#define MOST_PAGES 3

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PageReader) file = NULL;
  g_autofree uint8_t *copy = g_memdup2 (data, size);
  static const uint8_t orders[2][4] = { { 'I', 'I', 42, 0 },
                                        { 'M', 'M', 0, 42 } };

  if (size < 8)
    return 0;
  memcpy (copy, orders[data[0] == 'M'], 4);
  bytes = g_bytes_new (copy, size);
  file = page_reader_new (bytes);
  for (int page = 0; page < MIN (MOST_PAGES, page_reader_count (file)); page++)
    check_page (file, page);
  return 0;
}
