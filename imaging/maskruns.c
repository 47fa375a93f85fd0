#include "imaging/maskruns.h"

#include "base/error.h"
#include "imaging/codec/bytesink.h"

#include <string.h>

/* Bytes of the longest number. */
#define LONGEST 9

static gboolean
append_length (ByteSink *sink, guint64 length)
{
  guint8 bytes[LONGEST + 1];
  gsize count = 0;

  for (; length >= 0x80; length >>= 7)
    bytes[count++] = (guint8) (length | 0x80);
  bytes[count++] = (guint8) length;
  return byte_sink_append (sink, bytes, count);
}

static gsize
run_length (const guint8 *missing, gsize most)
{
  gsize length = 0;

  while (length < most && (missing[length] != 0) == (missing[0] != 0))
    length++;
  return length;
}

GBytes *
mask_to_runs (const Mask *mask, GError **error)
{
  gsize pixels = (gsize) mask->width * (gsize) mask->height;
  g_auto (ByteSink) sink = { 0 };
  gboolean ok = mask->missing[0] == 0 || append_length (&sink, 0);

  for (gsize at = 0; ok && at < pixels;) {
    gsize length = run_length (mask->missing + at, pixels - at);

    ok = append_length (&sink, length);
    at += length;
  }
  if (ok)
    return byte_sink_finish (&sink);
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_MEMORY,
                       "not enough memory to write the mask");
  return NULL;
}

/* Reads a length from the front of @rest.  FALSE when there is none. */
static gboolean
take_length (const guint8 **rest, const guint8 *end, guint64 *length)
{
  const guint8 *byte = *rest;

  *length = 0;
  for (int i = 0; i < LONGEST && byte < end; i++, byte++) {
    *length |= (guint64) (*byte & 0x7f) << (7 * i);
    if (*byte < 0x80) {
      *rest = byte + 1;
      return i == 0 || *byte != 0;
    }
  }
  return FALSE;
}

/* Fills in @missing, which is zero; FALSE if the bytes are not a mask. */
static gboolean
read_runs (const guint8 *rest, const guint8 *end, guint8 *missing,
           gsize pixels)
{
  gsize at = 0;
  guint64 length;
  guint8 value = 0;

  for (gboolean first = TRUE; rest < end; first = FALSE) {
    if (!take_length (&rest, end, &length) || length > pixels - at
        || (length == 0 && !first))
      return FALSE;
    if (value != 0)
      memset (missing + at, value, (gsize) length);
    at += (gsize) length;
    value = !value;
  }
  return at == pixels;
}

Mask *
mask_from_runs (GBytes *runs, int width, int height, GError **error)
{
  g_autoptr (Mask) mask = mask_new (width, height, error);
  gsize size;
  const guint8 *data = g_bytes_get_data (runs, &size);

  if (mask == NULL)
    return NULL;
  /* An empty GBytes has no data at all. */
  if (size > 0
      && read_runs (data, data + size, mask->missing,
                    (gsize) width * (gsize) height))
    return g_steal_pointer (&mask);
  g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
               "these are not the runs of a mask of %d x %d pixels", width,
               height);
  return NULL;
}
