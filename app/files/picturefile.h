/* picturefile.h - pictures and masks from and to files */
#pragma once

#include "app/cli/commandline.h"
#include "imaging/codec/pages.h"
#include "imaging/mask.h"

/* Reads a picture; "-" is standard input.  Of several pages it is the first,
 * and a note says so. */
Image *picture_load (const char *path, const ImageLimits *limits,
                     GError **error);

/* The same, page by page. */
PageReader *picture_open (const char *path, GError **error);
Image *picture_decode (const PageReader *file, int page, const char *path,
                       const ImageLimits *limits, GError **error);

/* Reads a mask for @image.  INPUT if it is of another size. */
Mask *picture_load_mask (const char *path, const Image *image,
                         MaskColours colours, const ImageLimits *limits,
                         GError **error);

/* The same for page @page of a picture with several pages: that page of
 * @file, if it has several too.  @path is its name. */
Mask *picture_decode_mask (const PageReader *file, int page, const char *path,
                           const Image *image, MaskColours colours,
                           const ImageLimits *limits, GError **error);

/* Where a picture and the mask that goes with it are written, and how. */
typedef struct {
  const char *path;
  const char *mask_path; /* NULL if the mask is not wanted */
  EncodeOptions encode;
} PictureOutput;

#define PICTURE_OUTPUT_DEFAULTS ((PictureOutput){ .encode = ENCODE_DEFAULTS })

/* Adds -o, --mask-out, and --jpeg-quality to the options of a command; for
 * one that has batch_add_options() too, -o and --mask-out may be folders.  The
 * third adds -o alone, which may be a folder. */
void picture_add_output (CommandLine *line, PictureOutput *output);
void picture_add_output_or_folder (CommandLine *line, PictureOutput *output);
void picture_add_place (CommandLine *line, PictureOutput *output);

/* After parsing, for the last two: whether -o and --mask-out can be what they
 * have to be, the names of pictures or of folders. */
gboolean picture_check_place (const CommandLine *line,
                              const PictureOutput *output, GError **error);

/* For a row of such a table: the name of a picture to write.  Insists on an
 * ending that names a format. */
gboolean picture_option_output (const Option *option, const char *text,
                                GError **error);

/* Finds out, before any work is done, whether a picture of the type of @image
 * can be written there. */
gboolean picture_check_output (const Image *image, const PictureOutput *output,
                               GError **error);

/* Adds to @names, which is made if it is NULL, what a file of that name will
 * not hold of what the file of @image said; see image_left_out(). */
void picture_add_left_out (const Image *image, const char *path,
                           GPtrArray **names);

/* A note with these names, if there are any, about the input @path. */
void picture_note_left_out (const char *path, const GPtrArray *names);

/* The format of a file of that name: that of the file that @image came from,
 * if the name does not say. */
TesseraFormat picture_format (const Image *image, const char *path);

/* The bytes of a picture, in the format of the file it came from if the name
 * of the new one does not say. */
GBytes *picture_encode (const Image *image, const char *path,
                        const EncodeOptions *options, GError **error);

/* The same for a mask, as a picture. */
GBytes *picture_encode_mask (const Mask *mask, const char *path,
                             GError **error);

/* A picture as one more page of *@writer, which is made if it is NULL. */
gboolean picture_add_page (const Image *image, PageWriter **writer,
                           const char *path, const EncodeOptions *options,
                           GError **error);

/* Writes a picture, in the format of the file it came from if the name of the
 * new one does not say, and the mask if it is wanted. */
gboolean picture_save (const Image *image, const Mask *mask,
                       const PictureOutput *output, gboolean force,
                       GError **error);

/* The same for a picture that is encoded already. */
gboolean picture_save_bytes (GBytes *bytes, const Mask *mask,
                             const PictureOutput *output, gboolean force,
                             GError **error);
