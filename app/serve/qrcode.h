/* qrcode.h - an address as a QR code, for the camera of a telephone
 *
 * Text of up to 106 bytes as a code of the versions 1 to 5 and the error
 * correction level L of ISO/IEC 18004, which have one block of codewords.  The
 * mask is the one that leaves the fewest squares of 2 x 2 equal modules; the
 * standard counts other patterns too, but any mask can be read.
 */
#pragma once

#include <glib.h>

#define QR_MOST_BYTES 106
#define QR_MOST_SIDE 37

typedef struct {
  int side;                                  /* modules */
  gboolean dark[QR_MOST_SIDE][QR_MOST_SIDE]; /* by row and column */
} QrCode;

/* FALSE if @text is too long. */
gboolean qr_code_make (QrCode *code, const char *text);

/* The code as lines of half blocks in UTF-8, with the margin that it needs.
 * Letters are to be light on a dark ground: they are the light modules.  The
 * caller owns it. */
char *qr_code_draw (const QrCode *code);

/* Columns that the lines have. */
int qr_code_columns (const QrCode *code);
