/* jpegmarkers.h - keeps the marker segments of a JPEG, within a limit
 *
 * libjpeg can keep them too, but walks the whole list for each one it adds,
 * and knows no limit: a megabyte of empty comments takes it minutes.
 */
#pragma once

#include "imaging/codec/jpegcodec.h"

typedef struct {
  gsize max_size;             /* of all together */
  gsize size;                 /* of those read so far */
  jpeg_saved_marker_ptr last; /* in cinfo->marker_list; NULL if empty */
} JpegMarkers;

/* Makes libjpeg keep the application segments and comments of a file in
 * cinfo->marker_list.  Reading fails, like libjpeg, as soon as they are larger
 * than @max_size.  Takes the @client_data of @cinfo; call it before
 * jpeg_read_header().  @self must live as long as @cinfo. */
void jpegmarkers_keep (JpegMarkers *self, j_decompress_ptr cinfo,
                       gsize max_size);
