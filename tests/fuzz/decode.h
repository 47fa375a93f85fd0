/* decode.h - any bytes decode or fail cleanly; what decodes comes back */
#pragma once

#include "tests/fuzz/fuzz.h"

#include "imaging/codec/pages.h"

/* Small, for the sake of speed. */
#define MOST_PIXELS (128 * 128)

static inline ImageLimits
small_limits (gboolean lenient)
{
  ImageLimits limits = IMAGE_LIMITS_DEFAULTS;

  limits.max_pixels = MOST_PIXELS;
  limits.max_side = MOST_PIXELS - 1; /* what libwebp can write */
  limits.max_scans = 20;
  limits.max_metadata = 100000;
  limits.lenient = lenient;
  return limits;
}

/* libwebp leaves an alpha channel out if all of it is opaque. */
static inline gboolean
has_lost_opaque_alpha (const Image *a, const Image *b)
{
  const guint16 opaque = 255;

  if (a->meta.format != TESSERA_WEBP || a->channels != b->channels + 1)
    return FALSE;
  for (gsize i = 1; i <= image_pixels (a); i++)
    if (a->samples[i * (gsize) a->channels - 1] != opaque)
      return FALSE;
  return TRUE;
}

static inline void
check_same (const Image *a, const Image *b)
{
  gsize stride = (gsize) a->channels, kept = (gsize) b->channels;

  fuzz_must (a->width == b->width && a->height == b->height);
  fuzz_must (a->channels == b->channels || has_lost_opaque_alpha (a, b));
  fuzz_must (a->depth == b->depth);
  fuzz_must (a->meta.orientation == b->meta.orientation);
  for (gsize i = 0; i < image_pixels (a) && a->meta.format != TESSERA_JPEG; i++)
    fuzz_must (memcmp (a->samples + i * stride, b->samples + i * kept,
                       kept * sizeof *a->samples)
               == 0);
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
check_page (const PageReader *file, int page)
{
  for (int lenient = 0; lenient < 2; lenient++) {
    ImageLimits limits = small_limits (lenient);
    g_autoptr (GError) error = NULL;
    g_autoptr (Image) image =
      page_reader_decode (file, page, "fuzz", &limits, &error);

    fuzz_check_result (image, error);
    if (image != NULL)
      check_round_trip (image);
  }
}

/* The same for a file of one page. */
static inline void
check_file (GBytes *bytes)
{
  g_autoptr (PageReader) file = page_reader_new (bytes);

  check_page (file, 0);
}
