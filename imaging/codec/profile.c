/* profile.c - colour profiles that are as long as they say */
#include "imaging/codec/profile.h"

gsize
profile_size (const guint8 *data)
{
  return (gsize) data[0] << 24 | (gsize) data[1] << 16 | (gsize) data[2] << 8
         | data[3];
}

void
profile_leave_out (ImageMeta *meta)
{
  g_clear_pointer (&meta->icc, g_bytes_unref);
  image_leave_out (meta, "a broken color profile");
}

gboolean
profile_set (ImageMeta *meta, GBytes *data)
{
  gsize there = data != NULL ? g_bytes_get_size (data) : 0;
  gsize size = there >= PROFILE_HEADER_SIZE
                 ? profile_size (g_bytes_get_data (data, NULL))
                 : 0;
  gboolean ok = size >= PROFILE_HEADER_SIZE && size <= there;

  if (ok)
    meta->icc = g_bytes_new_from_bytes (data, 0, size);
  else
    profile_leave_out (meta);
  g_clear_pointer (&data, g_bytes_unref);
  return ok;
}
