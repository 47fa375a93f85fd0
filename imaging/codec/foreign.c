/* foreign.c - signatures of formats that we do not read */
#include "imaging/codec/foreign.h"

#include <string.h>

#define CONVERT(what, program)                                                \
  what "; convert it first, for example with " program

typedef struct {
  gsize offset;
  const char *bytes;
  gsize size;
  const char *description;
} Signature;

#define RAW CONVERT ("the raw data of a camera", "darktable-cli")
#define HEIC CONVERT ("a HEIC picture", "heif-convert")
#define AVIF CONVERT ("an AVIF picture", "avifdec")
#define JXL CONVERT ("a JPEG XL picture", "djxl")
#define JP2 CONVERT ("a JPEG 2000 picture", "opj_decompress")

/* A string and its length, which may count zero bytes inside. */
#define BYTES(text) text, sizeof text - 1

static const Signature signatures[] = {
  { 4, BYTES ("ftypheic"), HEIC },
  { 4, BYTES ("ftypheix"), HEIC },
  { 4, BYTES ("ftyphevc"), HEIC },
  { 4, BYTES ("ftypmif1"), HEIC },
  { 4, BYTES ("ftypmsf1"), HEIC },
  { 4, BYTES ("ftypavif"), AVIF },
  { 4, BYTES ("ftypavis"), AVIF },
  { 4, BYTES ("ftypcrx "), RAW },
  { 8, BYTES ("CR\002"), RAW }, /* Canon, in a TIFF */
  { 0, BYTES ("FUJIFILMCCD-RAW"), RAW },
  { 0, BYTES ("IIRO"), RAW }, /* Olympus */
  { 0, BYTES ("IIRS"), RAW },
  { 0, BYTES ("MMOR"), RAW },
  { 0, BYTES ("IIU\0"), RAW }, /* Panasonic */
  { 0, BYTES ("\377\012"), JXL },
  { 0, BYTES ("\0\0\0\014JXL "), JXL },
  { 0, BYTES ("\0\0\0\014jP  "), JP2 },
  { 0, BYTES ("\377\117\377\121"), JP2 },
  { 0, BYTES ("GIF8"), CONVERT ("a GIF picture", "convert of ImageMagick") },
  { 0, BYTES ("BM"), CONVERT ("a BMP picture", "convert of ImageMagick") },
  { 0, BYTES ("8BPS"), CONVERT ("a Photoshop file", "convert of ImageMagick") },
  { 0, BYTES ("%PDF-"), CONVERT ("a PDF file", "pdfimages") },
#ifndef HAVE_TIFF
  { 0, BYTES ("II*\0"), CONVERT ("a TIFF picture, which this program was "
                                 "built without", "convert of ImageMagick") },
  { 0, BYTES ("MM\0*"), CONVERT ("a TIFF picture, which this program was "
                                 "built without", "convert of ImageMagick") },
#endif
#ifndef HAVE_WEBP
  { 8, BYTES ("WEBP"), CONVERT ("a WebP picture, which this program was built "
                                "without", "dwebp") },
#endif
};

const char *
foreign_describe (const guint8 *data, gsize size)
{
  for (gsize i = 0; i < G_N_ELEMENTS (signatures); i++) {
    const Signature *s = &signatures[i];

    if (size >= s->offset + s->size
        && memcmp (data + s->offset, s->bytes, s->size) == 0)
      return s->description;
  }
  return NULL;
}
