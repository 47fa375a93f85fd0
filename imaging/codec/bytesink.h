/* bytesink.h - bytes that an encoder writes, growing in memory */
#pragma once

#include <glib.h>

/* Starts as all zeros. */
typedef struct {
  guint8 *data;
  gsize size, capacity;
} ByteSink;

/* Returns FALSE, with @sink as it was, when there is not enough memory. */
gboolean byte_sink_append (ByteSink *sink, gconstpointer data, gsize size);

/* Hands the bytes over and leaves @sink empty. */
GBytes *byte_sink_finish (ByteSink *sink);

void byte_sink_clear (ByteSink *sink);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ByteSink, byte_sink_clear)
