/* decode.h - any bytes decode or fail cleanly; what decodes comes back */
#pragma once

#include "tests/fuzz/fuzz.h"

#include "imaging/codec/codec.h"

/* Small, for the sake of speed. */
#define MOST_PIXELS (128 * 128)

static inline ImageLimits
small_limits (gboolean lenient)
{
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  limits.max_pixels = MOST_PIXELS;
  limits.max_side = MOST_PIXELS;
  limits.max_scans = 20;
  limits.max_metadata = 100000;
  limits.lenient = lenient;
  return limits;
}

static inline void
check_same (const Image *a, const Image *b)
{
  gsize count = image_pixels (a) * (gsize) a->channels;

  fuzz_must (a->width == b->width && a->height == b->height);
  fuzz_must (a->channels == b->channels && a->depth == b->depth);
  fuzz_must (a->meta.orientation == b->meta.orientation);
  if (a->meta.format != TESSERA_JPEG)
    fuzz_must (memcmp (a->samples, b->samples, 2 * count) == 0);
}

/* The file as we write it holds the same picture. */
static inline void
check_round_trip (const Image *image)
{
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes =
    image_encode (image, image->meta.format, &ENCODE_DEFAULTS, &error);
  g_autoptr (Image) again = NULL;

  fuzz_must (bytes != NULL);
  again = image_decode (bytes, "again", &limits, &error);
  fuzz_must (again != NULL);
  check_same (image, again);
}

/* Decodes page @page strictly and leniently. */
static inline void
check_page (GBytes *bytes, int page)
{
  for (int lenient = 0; lenient < 2; lenient++) {
    ImageLimits limits = small_limits (lenient);
    g_autoptr (GError) error = NULL;
    g_autoptr (Image) image =
      image_decode_page (bytes, page, "fuzz", &limits, &error);

    fuzz_check_result (image, error);
    if (image != NULL)
      check_round_trip (image);
  }
}
