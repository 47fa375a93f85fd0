#include "app/version.h"

#include "app/files/files.h"
#include "app/system/launch.h"
#include "base/parallel.h"

#include <json-glib/json-glib.h>
#include <microhttpd.h>
#include <png.h>
#include <stdio.h>
#include <jpeglib.h>
#include <string.h>

/* libjpeg has no way to ask for the version at run time. */
#ifdef LIBJPEG_TURBO_VERSION
#define JPEG_NAME "libjpeg-turbo " G_STRINGIFY (LIBJPEG_TURBO_VERSION)
#else
#define JPEG_NAME "libjpeg " G_STRINGIFY (JPEG_LIB_VERSION)
#endif

gboolean
version_show (GError **error)
{
  g_autofree char *text = g_strdup_printf (
    "tessera " TESSERA_VERSION "\n"
    "libpng %s\n" JPEG_NAME "\n"
    "GLib %u.%u.%u\n"
    "json-glib " JSON_VERSION_S "\n"
    "libmicrohttpd %s\n"
    "%s\n%s",
    png_get_libpng_ver (NULL), glib_major_version, glib_minor_version,
    glib_micro_version, MHD_get_version (), parallel_blas_name (),
    launch_version ());

  return stdout_write (text, strlen (text), error);
}
