/* jpegs.h - pictures that have been JPEGs, for tests */
#pragma once

#include "imaging/codec/codec.h"

/* @photo, written as a JPEG and read again. */
static inline Image *
through_jpeg (const Image *photo, int quality)
{
  EncodeOptions options = ENCODE_DEFAULTS;
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  Image *image;

  options.jpeg_quality = quality;
  bytes = image_encode (photo, TESSERA_JPEG, &options, &error);
  g_assert_no_error (error);
  image = image_decode (bytes, "photo.jpg", &limits, &error);
  g_assert_no_error (error);
  return image;
}
