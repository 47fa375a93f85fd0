#include "app/version.h"

#include "app/files/files.h"
#include "app/system/launch.h"
#include "base/parallel.h"

#include <gnutls/gnutls.h>
#include <json-glib/json-glib.h>
#include <microhttpd.h>
#include <png.h>
#include <stdio.h>
#include <jpeglib.h>
#include <string.h>

#ifdef HAVE_TIFF
#include <tiffio.h>
#endif
#ifdef HAVE_WEBP
#include <webp/decode.h>
#endif

/* libjpeg has no way to ask for the version at run time. */
#ifdef LIBJPEG_TURBO_VERSION
#define JPEG_NAME "libjpeg-turbo " G_STRINGIFY (LIBJPEG_TURBO_VERSION)
#else
#define JPEG_NAME "libjpeg " G_STRINGIFY (JPEG_LIB_VERSION)
#endif

/* "libtiff 4.5.0\n"; the library's own text has several lines. */
static char *
tiff_name (void)
{
#ifdef HAVE_TIFF
  g_auto (GStrv) lines = g_strsplit (TIFFGetVersion (), "\n", 2);
  const char *number = strrchr (lines[0], ' ');

  return g_strdup_printf ("libtiff%s\n", number != NULL ? number : "");
#else
  return g_strdup ("built without TIFF\n");
#endif
}

static char *
webp_name (void)
{
#ifdef HAVE_WEBP
  int version = WebPGetDecoderVersion ();

  return g_strdup_printf ("libwebp %d.%d.%d\n", version >> 16,
                          version >> 8 & 255, version & 255);
#else
  return g_strdup ("built without WebP\n");
#endif
}

gboolean
version_show (GError **error)
{
  g_autofree char *tiff = tiff_name ();
  g_autofree char *webp = webp_name ();
  g_autofree char *text = g_strdup_printf (
    "tessera " TESSERA_VERSION "\n"
    "libpng %s\n" JPEG_NAME "\n"
    "%s%s"
    "GLib %u.%u.%u\n"
    "json-glib " JSON_VERSION_S "\n"
    "libmicrohttpd %s\n"
    "GnuTLS %s\n"
    "%s\n%s",
    png_get_libpng_ver (NULL), tiff, webp, glib_major_version,
    glib_minor_version, glib_micro_version, MHD_get_version (),
    gnutls_check_version (NULL), parallel_blas_name (), launch_version ());

  return stdout_write (text, strlen (text), error);
}
