/* tessera.h - restore damaged pictures with dictionaries of small patches
 *
 * Fill what is missing from a picture:
 *
 *     TesseraContext *context = tessera_context_new (0);
 *     TesseraImage *image = tessera_image_read ("photo.png", NULL, &error);
 *     TesseraImage *marks = tessera_image_read ("mask.png", NULL, &error);
 *     TesseraMask *mask = tessera_mask_from_image (marks, 0, &error);
 *
 *     tessera_restore (context, image, mask, NULL, NULL, &error);
 *     tessera_image_write (image, "restored.png", NULL, &error);
 *
 * Build with  cc program.c $(pkg-config --cflags --libs tessera).  There are
 * complete programs in docs/examples.
 *
 * Objects.  What a function ending in _new, _read, _decode, _copy, _from_* or
 * the like returns belongs to the caller, who passes it to the _free function
 * of its type in the end; these functions accept NULL.  No function keeps a
 * pointer to an argument unless its description says so.
 *
 * Errors.  A function that can fail returns FALSE or NULL and sets @error, a
 * GError of the domain TESSERA_ERROR whose message is one line of English.
 * @error may be NULL.  After a failure, objects that were to be changed are
 * as they were, unless the description says otherwise.  NULL for an argument
 * that may not be NULL is a bug of the caller; GLib logs it
 * (g_return_if_fail) and the function returns FALSE or NULL.  If there is no
 * memory for anything as large as the data, that is an error (MEMORY); if
 * there is none for small things, GLib ends the program, as it does
 * everywhere.
 *
 * Options.  A struct of options begins with its own size, so that it can grow
 * in later versions.  Zero is the default of every field, and NULL stands for
 * the defaults of all:
 *
 *     TesseraRestoreOptions options = { .size = sizeof options,
 *                                       .quality = TESSERA_QUALITY_BEST };
 *
 * A program built for a later version gets an error (USAGE) if it sets a field
 * that this version does not have.  Structs that the library fills in begin
 * with their size too; it is set by the caller before the call.
 *
 * Threads.  Different threads may use different objects at any time.  Several
 * threads may use one object at the same time as long as no function changes
 * it (takes it as a pointer to something that is not const).  A context may be
 * shared freely.  Results do not depend on the number of threads.
 *
 * The process.  The library prints nothing, installs no handlers, reads no
 * environment variables, starts no processes and seeds no global random
 * numbers.  Two things about OpenBLAS, which it uses, concern the process:
 * while a function that takes a context is running, OpenBLAS computes with one
 * thread per call in the whole process; the previous setting is restored
 * afterwards.  And OpenBLAS chooses its kernels when it is loaded, the slowest
 * ones on processors that it does not know: if tessera_blas_name() says
 * "Prescott" on a recent machine, set OPENBLAS_CORETYPE (for example to
 * Haswell) before the program starts; that is up to five times faster.
 */
#ifndef TESSERA_H
#define TESSERA_H

#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#if defined __GNUC__
#define TESSERA_API __attribute__ ((visibility ("default")))
#else
#define TESSERA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version ---- */

/* Of this header.  While the major version is 0, a new minor version may
 * change the interface; the name of the shared library then changes too. */
#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 2
#define TESSERA_VERSION_MICRO 0

/* Of the library that is running, as in "0.2.0". */
TESSERA_API const char *tessera_version (void);

/* The BLAS in use: name, version, threading and kernels, as in
 * "OpenBLAS 0.3.21 (pthread, Haswell)". */
TESSERA_API const char *tessera_blas_name (void);

/* Frees memory that the library returned as a plain pointer: encoded files.
 * @memory may be NULL. */
TESSERA_API void tessera_free (void *memory);

/* ---- errors ---- */

#define TESSERA_ERROR (tessera_error_quark ())

typedef enum {
  TESSERA_ERROR_FAILED = 1, /* the system refused, or a computation did not
                               converge */
  TESSERA_ERROR_USAGE,      /* arguments that make no sense */
  TESSERA_ERROR_INPUT,      /* a file or an array is broken, missing, or of
                               the wrong size */
  TESSERA_ERROR_LIMIT,      /* a limit is exceeded */
  TESSERA_ERROR_CANCELLED,  /* a progress function asked to stop */
  TESSERA_ERROR_MEMORY      /* there is not enough memory */
} TesseraError;

TESSERA_API GQuark tessera_error_quark (void);

/* ---- contexts ---- */

/* Owns the threads that do the work.  Functions that may compute for a long
 * time take one; NULL there means the calling thread alone.  Several threads
 * may call such functions with one context at the same time: those that find
 * its threads busy work alone. */
typedef struct TesseraContext TesseraContext;

/* @threads counts the calling thread; 0 is one per core.  Threads are started
 * when they are first needed.  Never fails. */
TESSERA_API TesseraContext *tessera_context_new (int threads);

/* Ends the threads, once no TesseraPursuit or TesseraLearner made with the
 * context is left. */
TESSERA_API void tessera_context_free (TesseraContext *context);

/* The number of threads in use.  It is 1, whatever was asked for, with a
 * single-threaded build of OpenBLAS, which several threads cannot call. */
TESSERA_API int tessera_context_threads (const TesseraContext *context);

/* Called from time to time while a function works, on the thread that called
 * it, with the fraction that is done, 0 to 1, which never falls; with 1 when
 * all is done.  Returns FALSE to stop: the function then fails with CANCELLED,
 * unless it is already done. */
typedef gboolean (*TesseraProgressFunc) (double done, void *data);

/* ---- arrays ---- */

typedef enum {
  TESSERA_UINT8 = 1,
  TESSERA_UINT16,
  TESSERA_FLOAT32,
  TESSERA_FLOAT64
} TesseraType;

/* A matrix in the caller's memory: FLOAT32 or FLOAT64.  Entry (i, j) is
 * i * row_stride + j * column_stride bytes from @data; strides may be
 * negative.  Columns are signals, samples or atoms: for an array with one
 * signal per row, as is usual in numpy, swap the strides.  Columns whose
 * entries are adjacent are used in place, others are copied first. */
typedef struct {
  void *data;
  TesseraType type;
  int rows, columns;
  ptrdiff_t row_stride, column_stride; /* bytes */
} TesseraMatrix;

/* ---- images ---- */

/* A picture in memory: gray, gray with alpha, RGB or RGBA, with 1 to 16 bits
 * per sample, and everything else that its file said (palette, profile, EXIF,
 * density, comments), which is written back with it.  Pictures are upright:
 * reading applies the orientation of EXIF, writing reverts it. */
typedef struct TesseraImage TesseraImage;

typedef enum {
  TESSERA_FORMAT_AUTO,
  TESSERA_PNG,
  TESSERA_JPEG,
  TESSERA_TIFF, /* the library may have been built without these two */
  TESSERA_WEBP  /* lossless */
} TesseraFormat;

/* Limits for files that may be hostile; 0 is the default of each. */
typedef struct {
  size_t size;
  size_t max_pixels;   /* width x height (200 million) */
  int max_side;        /* width or height (65500) */
  int max_scans;       /* of a progressive JPEG (100) */
  size_t max_metadata; /* bytes of profiles, EXIF and the like (64 million) */
  int lenient; /* not 0: keep what there is of a broken file, the rest is
                  black, gray (JPEG) or the first color (palette) */
  size_t page; /* of a file with several, from 0 */
} TesseraReadOptions;

typedef struct {
  size_t size;
  TesseraFormat format; /* AUTO: by the ending of the path; for _encode, the
                           format that the image was read from */
  int jpeg_quality;     /* 1 to 100 (95) */
} TesseraWriteOptions;

/* Read a PNG, JPEG, TIFF or WebP file; the content decides, not the name.  Of
 * a TIFF with several pages, one is read; tessera_image_pages() says how many
 * there are.  INPUT when the file cannot be opened, is broken or lacks the
 * page, LIMIT when it is too large. */
TESSERA_API TesseraImage *tessera_image_read (
  const char *path, const TesseraReadOptions *options, GError **error);
TESSERA_API TesseraImage *tessera_image_decode (
  const void *data, size_t size, const TesseraReadOptions *options,
  GError **error);

/* Writes a file, whole or not at all; one that exists is replaced.  USAGE when
 * the ending names no format, or the format cannot hold the image (JPEG: 16
 * bits, alpha); FAILED when the system refuses. */
TESSERA_API gboolean tessera_image_write (const TesseraImage *image,
                                          const char *path,
                                          const TesseraWriteOptions *options,
                                          GError **error);

/* The same for a TIFF of @count pages; USAGE for other formats unless @count
 * is 1. */
TESSERA_API gboolean tessera_image_write_pages (
  const TesseraImage *const *pages, int count, const char *path,
  const TesseraWriteOptions *options, GError **error);

/* What a file of @format would lack of what the file of @image says, in one
 * line ("IPTC data, a broken color profile") for tessera_free(); NULL if that
 * is nothing.  AUTO is the format that the image was read from. */
TESSERA_API char *tessera_image_left_out (const TesseraImage *image,
                                          TesseraFormat format);

/* Writes to memory, *@size bytes, for tessera_free(). */
TESSERA_API void *tessera_image_encode (const TesseraImage *image,
                                        const TesseraWriteOptions *options,
                                        size_t *size, GError **error);

/* A black picture of @width x @height pixels.  @channels is 1 gray, 2 gray and
 * alpha, 3 RGB, 4 RGBA; @depth is 8 or 16, or 1, 2, 4 for gray. */
TESSERA_API TesseraImage *tessera_image_new (int width, int height,
                                             int channels, int depth,
                                             GError **error);
TESSERA_API TesseraImage *tessera_image_copy (const TesseraImage *image,
                                              GError **error);
TESSERA_API void tessera_image_free (TesseraImage *image);

TESSERA_API int tessera_image_width (const TesseraImage *image);
TESSERA_API int tessera_image_height (const TesseraImage *image);
TESSERA_API int tessera_image_channels (const TesseraImage *image);
TESSERA_API int tessera_image_depth (const TesseraImage *image);

/* The number of pages of the file that the image was read from; 1 if it did
 * not come from a file. */
TESSERA_API int tessera_image_pages (const TesseraImage *image);

/* Samples in the caller's memory.  That of channel c in column x of row y is
 * y * row_stride + x * pixel_stride + c * channel_stride bytes from @data.
 *
 * TESSERA_UINT8 and TESSERA_UINT16 hold samples as they are, 0 .. 2^depth - 1;
 * UINT8 is for depths of at most 8.  FLOAT32 and FLOAT64 hold 0 for black and
 * 1 for white. */
typedef struct {
  void *data;
  TesseraType type;
  ptrdiff_t row_stride, pixel_stride, channel_stride; /* bytes */
} TesseraPixels;

/* Copies all samples of @image to @pixels. */
TESSERA_API gboolean tessera_image_get_pixels (const TesseraImage *image,
                                               const TesseraPixels *pixels,
                                               GError **error);

/* Copies @pixels to @image.  Values beyond the range are clipped, floats are
 * rounded.  A palette is dropped.  INPUT when a float is not a number. */
TESSERA_API gboolean tessera_image_set_pixels (TesseraImage *image,
                                               const TesseraPixels *pixels,
                                               GError **error);

/* ---- masks ---- */

/* Which pixels of a picture are missing.  Has the size of the upright
 * picture. */
typedef struct TesseraMask TesseraMask;

/* The bytes of a mask, one per pixel, are 0 where all is known, else
 * TESSERA_MASK_PIXEL for the whole pixel, or any of TESSERA_MASK_CHANNEL(c)
 * for its channel number c (0 gray or red, 1 green, 2 blue) alone.  With
 * TESSERA_MASK_PIXEL, TESSERA_MASK_THROUGH says that a mark covers the pixel
 * that may let it shine through: what is left of it may be used. */
#define TESSERA_MASK_PIXEL 1
#define TESSERA_MASK_CHANNEL(c) (2 << (c))
#define TESSERA_MASK_THROUGH 16

/* A mask with nothing missing. */
TESSERA_API TesseraMask *tessera_mask_new (int width, int height,
                                           GError **error);
TESSERA_API TesseraMask *tessera_mask_copy (const TesseraMask *mask,
                                            GError **error);
TESSERA_API void tessera_mask_free (TesseraMask *mask);

/* How the channels of a picture that shows a mask are interpreted. */
typedef enum {
  TESSERA_MASK_AUTO,     /* SEPARATE if there are pure red, pure green and pure
                            blue pixels; never in a JPEG */
  TESSERA_MASK_TOGETHER, /* any channel marks the whole pixel */
  TESSERA_MASK_SEPARATE  /* each channel marks only itself */
} TesseraMaskChannels;

/* The mask that a picture shows: visible pixels above zero (JPEG: half of the
 * range) are missing.  In a picture of black, white and the gray #808080
 * alone, gray is TESSERA_MASK_THROUGH. */
TESSERA_API TesseraMask *tessera_mask_from_image (const TesseraImage *image,
                                                  TesseraMaskChannels channels,
                                                  GError **error);

/* The pixels of @image that have one color, of 8 bits per channel.  In a
 * picture read from a JPEG, samples may differ by a few levels. */
TESSERA_API TesseraMask *tessera_mask_from_rgb (const TesseraImage *image,
                                                int red, int green, int blue,
                                                GError **error);

/* The pixels of @image that are fully transparent. */
TESSERA_API TesseraMask *tessera_mask_from_alpha (const TesseraImage *image,
                                                  GError **error);

/* A black and white picture of a mask; RGB if channels are missing alone, with
 * gray for TESSERA_MASK_THROUGH. */
TESSERA_API TesseraImage *tessera_mask_to_image (const TesseraMask *mask,
                                                 GError **error);

TESSERA_API int tessera_mask_width (const TesseraMask *mask);
TESSERA_API int tessera_mask_height (const TesseraMask *mask);

/* The number of pixels of which something is missing. */
TESSERA_API size_t tessera_mask_count (const TesseraMask *mask);

/* Copy all bytes out or in; the byte of column x in row y is at @data +
 * y * row_stride + x.  tessera_mask_set() ignores unknown bits. */
TESSERA_API void tessera_mask_get (const TesseraMask *mask, uint8_t *data,
                                   ptrdiff_t row_stride);
TESSERA_API void tessera_mask_set (TesseraMask *mask, const uint8_t *data,
                                   ptrdiff_t row_stride);

/* Adds what is missing in @other.  INPUT when the sizes differ. */
TESSERA_API gboolean tessera_mask_add (TesseraMask *mask,
                                       const TesseraMask *other,
                                       GError **error);

/* ---- finding damage ---- */

/* The name of the @i-th kind of damage that can be found ("blocks", "dead"),
 * and what it is called in English; NULL when there are no more. */
TESSERA_API const char *tessera_find_name (int i);
TESSERA_API const char *tessera_find_noun (int i);

typedef struct {
  size_t size;
  TesseraProgressFunc progress;
  void *progress_data;
  const char *kinds; /* names, separated by commas; NULL for all */
  double strength;   /* 0.25 .. 4: more marks more; 0 means 1 */
} TesseraFindOptions;

/* A mask of the damage in @image, perhaps empty.  Takes seconds for a large
 * picture.  USAGE for a name that is unknown or a strength out of range. */
TESSERA_API TesseraMask *tessera_find_damage (
  TesseraContext *context, const TesseraImage *image,
  const TesseraFindOptions *options, GError **error);

/* Estimates the standard deviation of white noise where white is 255; 0 where
 * it is too weak to tell from the grain of a clean photograph.  Pixels of
 * @ignore, which may be NULL, do not count.  Negative with @error set (INPUT)
 * when the sizes differ. */
TESSERA_API double tessera_noise_level (TesseraContext *context,
                                        const TesseraImage *image,
                                        const TesseraMask *ignore,
                                        GError **error);

/* The noise of a picture. */
typedef enum {
  TESSERA_NOISE_NONE,
  TESSERA_NOISE_WHITE,    /* independent, and equally strong in all pixels */
  TESSERA_NOISE_COLOURED, /* depends on brightness, or is correlated between
                             neighbors */
  TESSERA_NOISE_JPEG      /* the rounding error of a coarse JPEG */
} TesseraNoiseKind;

typedef struct {
  size_t size;
  TesseraNoiseKind kind;
  int is_certain; /* 0: it may be texture */
  double sigma;   /* root mean square where white is 255; 0 for none */
} TesseraNoiseReport;

/* Finds out what noise @image has: what tessera_restore() removes with
 * TESSERA_NOISE_ESTIMATE, if it is certain.  Pixels of @ignore, which may be
 * NULL, do not count.  INPUT when the sizes differ. */
TESSERA_API gboolean tessera_find_noise (TesseraContext *context,
                                         const TesseraImage *image,
                                         const TesseraMask *ignore,
                                         TesseraNoiseReport *report,
                                         GError **error);

/* ---- restoring ---- */

typedef struct TesseraDictionary TesseraDictionary;

typedef enum {
  TESSERA_QUALITY_FAST = -1,
  TESSERA_QUALITY_NORMAL = 0,
  TESSERA_QUALITY_BEST = 1
} TesseraQuality;

/* What fills the parts of a hole that are too thick for patches. */
typedef enum {
  TESSERA_FILL_AUTO,   /* texture from elsewhere in the picture, softened by
                          a smooth ground */
  TESSERA_FILL_SMOOTH, /* the smooth ground and coarse structure alone */
  TESSERA_FILL_TEXTURE /* texture alone */
} TesseraFill;

typedef enum {
  TESSERA_NOISE_KEEP,     /* known pixels come back bit for bit; in a picture
                             whose file kept colors at half the size, those
                             at most 2 pixels from a missing one get new
                             colors */
  TESSERA_NOISE_ESTIMATE, /* measure it; where there is none, known pixels
                             come back bit for bit */
  TESSERA_NOISE_GIVEN     /* remove white noise of level sigma */
} TesseraNoise;

/* What is done about faded colors.  A picture is faded if it has half of the
 * usual contrast or less, and no black.  Contrast, up to a factor of 2.2, and
 * neutral blacks and whites are then brought back, also where the picture has
 * faded unevenly; a toned picture, such as sepia, keeps its tone.  Missing
 * pixels have no influence.  Pictures of fewer than 8 bits are left alone. */
typedef enum {
  TESSERA_FADING_KEEP,
  TESSERA_FADING_AUTO,    /* where a picture is certainly faded */
  TESSERA_FADING_NEUTRAL, /* likewise, and a toned picture becomes gray */
  TESSERA_FADING_ALWAYS   /* in any picture */
} TesseraFading;

/* A rectangle of pixels of the upright picture. */
typedef struct {
  int x, y, width, height;
} TesseraArea;

typedef struct {
  size_t size;
  TesseraProgressFunc progress;
  void *progress_data;
  TesseraQuality quality;
  const TesseraDictionary *dictionary; /* NULL: the built-in method, which is
                                          better than a dictionary alone */
  TesseraNoise noise;
  double sigma;       /* for TESSERA_NOISE_GIVEN: standard deviation where
                         white is 255, 0 to 255 */
  int paper_protocol; /* not 0: separate patches, 30 atoms, as in the paper */
  TesseraFill fill;
  uint64_t seed; /* of the search for texture, and of grain */

  /* For TESSERA_NOISE_ESTIMATE. */
  double strength; /* factor of the noise that is found, 0 to 10; 0 means 1
                      where the noise is certain, and no removal elsewhere */
  double grain;    /* fraction of the fine grain to leave, 0 to 1; where no
                      noise is removed, for any TesseraNoise, filled pixels
                      get this fraction of the grain around them */

  TesseraArea area; /* the part to work on; 0 wide: the whole picture */

  int see_through; /* not 0: what is missing lies below half-opaque marks or
                      stains; use what shines through */
  int grow;        /* pixels by which to widen what is missing, 0 to 16 */

  TesseraFading fading;
} TesseraRestoreOptions;

typedef struct {
  size_t size;
  size_t filled_pixels;
  size_t patches; /* that were coded */
  double sigma;   /* of the noise that was removed, 0 for none */

  /* What was found, or given, before strength had its effect. */
  TesseraNoiseKind noise_kind;
  int noise_is_certain;
  double noise_sigma;

  /* 0 unless fading was looked at. */
  double fading;      /* how much of it was undone, 0 to 1 */
  double fading_span; /* contrast that the picture had, 0 to 1 */
  int is_toned;       /* it has one tone, or is gray */
} TesseraRestoreReport;

/* Fills the pixels of @image that are missing according to @missing, and
 * removes noise on request.  Alpha and fully transparent pixels stay as they
 * are.
 *
 * Masked samples never affect the result, with two exceptions: all may with
 * see_through, and those of TESSERA_MASK_THROUGH may, which
 * tessera_find_damage() says of scratches and dust.
 *
 * With an area, that part and its surroundings are cut out, restored as if
 * they were all there is, and only the part is put back.  The report is about
 * it.
 *
 * @missing may be NULL for nothing, @report may be NULL.  INPUT when the sizes
 * differ, the area is not inside the picture or nothing is known, MEMORY,
 * CANCELLED. */
TESSERA_API gboolean tessera_restore (TesseraContext *context,
                                      TesseraImage *image,
                                      const TesseraMask *missing,
                                      const TesseraRestoreOptions *options,
                                      TesseraRestoreReport *report,
                                      GError **error);

/* ---- experiments: damaging and scoring ---- */

typedef struct {
  size_t size;
  double missing;              /* fraction of pixels to black out, 0 to 1 */
  int block_side, block_count; /* squares to black out; both or none */
  double noise; /* standard deviation of noise to add; white is 255 */
  uint64_t seed;
} TesseraDamageOptions;

/* A damaged copy of @image; the same seed gives the same damage.  *@missing is
 * set to the mask of what became black; it may be NULL.  USAGE for options out
 * of range and blocks that do not fit. */
TESSERA_API TesseraImage *tessera_damage (const TesseraImage *image,
                                          const TesseraDamageOptions *options,
                                          TesseraMask **missing,
                                          GError **error);

typedef struct {
  size_t size;
  double psnr;          /* dB over all samples; infinite if identical */
  double ssim;          /* Wang's, window 11; NaN for sides below 11 */
  double psnr_masked;   /* of the masked pixels; NaN without any */
  size_t pixels;        /* of the picture */
  size_t masked_pixels; /* among them */
  double ms_ssim;       /* over up to five scales; NaN where ssim is */
} TesseraScore;

/* Compares @result with @reference; alpha does not count.  @mask may be NULL.
 * INPUT when the sizes differ. */
TESSERA_API gboolean tessera_score (const TesseraImage *reference,
                                    const TesseraImage *result,
                                    const TesseraMask *mask,
                                    TesseraScore *score, GError **error);

/* ---- dictionaries ---- */

/* k atoms, each a small picture of patch x patch pixels and 1 or 3 channels,
 * scaled to length one.  As a column of n = patch * patch * channels numbers
 * it is the first channel row after row, then the second and the third.
 * Never changes, so threads may share it. */

/* Read a safetensors or .npy file.  INPUT when it is broken, LIMIT for more
 * than 16384 atoms or patches larger than 64. */
TESSERA_API TesseraDictionary *tessera_dictionary_read (const char *path,
                                                        GError **error);
TESSERA_API TesseraDictionary *tessera_dictionary_decode (const void *data,
                                                          size_t size,
                                                          GError **error);

/* Writes a file, whole or not at all; one that exists is replaced.  The ending
 * names the format: .safetensors, or .npy for the atoms alone. */
TESSERA_API gboolean tessera_dictionary_write (
  const TesseraDictionary *dictionary, const char *path, GError **error);

/* Writes a safetensors file to memory, *@size bytes, for tessera_free(). */
TESSERA_API void *tessera_dictionary_encode (
  const TesseraDictionary *dictionary, size_t *size, GError **error);

/* The cosine transform: n orthonormal atoms, in the order of rising frequency.
 * @patch is 1 to 64, @channels 1 or 3. */
TESSERA_API TesseraDictionary *tessera_dictionary_dct (int patch, int channels,
                                                       GError **error);

/* 300 atoms of 10 x 10 x 3 that come with the library, learned from
 * photographs for filling missing pixels; NULL when memory is short. */
TESSERA_API TesseraDictionary *tessera_dictionary_learned (void);

/* The columns of @atoms, n x k, scaled to length one.  INPUT when a column is
 * zero or not finite. */
TESSERA_API TesseraDictionary *tessera_dictionary_from_atoms (
  const TesseraMatrix *atoms, int patch, int channels, GError **error);
TESSERA_API void tessera_dictionary_free (TesseraDictionary *dictionary);

TESSERA_API int tessera_dictionary_patch (const TesseraDictionary *dictionary);
TESSERA_API int tessera_dictionary_channels (
  const TesseraDictionary *dictionary);
TESSERA_API int tessera_dictionary_atoms (const TesseraDictionary *dictionary);

/* The name of the algorithm that made it, or NULL where that is unknown; valid
 * as long as @dictionary. */
TESSERA_API const char *tessera_dictionary_algorithm (
  const TesseraDictionary *dictionary);

/* Copies the atoms to @atoms, n x k. */
TESSERA_API gboolean
tessera_dictionary_get_atoms (const TesseraDictionary *dictionary,
                              const TesseraMatrix *atoms, GError **error);

/* A picture of all atoms, each scaled to black .. white; an entry of an atom
 * is @zoom x @zoom pixels. */
TESSERA_API TesseraImage *tessera_dictionary_mosaic (
  const TesseraDictionary *dictionary, int zoom, GError **error);

/* ---- orthogonal matching pursuit ---- */

/* For a dictionary D, n x k, and each signal y with weights w, looks for a
 * sparse x with y ~ D x on the samples that count:
 *
 *     minimize  sum_i w_i (y - D x)_i^2 + sum_j ridge_j x_j^2
 *     subject to  |x|_0 <= max_atoms,
 *
 * one atom after the other, the best first, until the first sum is at most
 * max_error sum_i w_i.  A weight of 0 hides a sample, which then has no
 * influence (masked OMP); D x predicts it.
 *
 * Holds D, and D'D when it is first needed.  Never changes. */
typedef struct TesseraPursuit TesseraPursuit;

/* @atoms is n x k with columns of length one, to 1e-3; it is copied.  Keeps a
 * reference to @context, which may be NULL.  INPUT when an entry is not finite
 * or a column of another length. */
TESSERA_API TesseraPursuit *tessera_pursuit_new (TesseraContext *context,
                                                 const TesseraMatrix *atoms,
                                                 GError **error);
TESSERA_API void tessera_pursuit_free (TesseraPursuit *pursuit);

typedef struct {
  size_t size;
  TesseraProgressFunc progress;
  void *progress_data;
  int max_atoms;      /* 1 to k; 0 for the capacity of the codes */
  double max_error;   /* mean squared residual at which a signal is done */
  const float *ridge; /* k penalties >= 0; NULL for none */
} TesseraPursuitOptions;

/* Codes in the caller's memory.  The code of signal j has counts[j] <=
 * capacity entries, which begin at number j * capacity of the two others, in
 * the order in which they were chosen. */
typedef struct {
  int capacity;
  int *counts;   /* one per signal */
  int *indices;  /* capacity per signal: which atom */
  float *values; /* capacity per signal: its coefficient */
} TesseraCodes;

/* Codes every column of @signals, n x p.  @weights, n x p with entries 0 to 1,
 * may be NULL for plain OMP, where all samples count, which is faster.
 * INPUT when sizes differ or a number that counts is not finite, USAGE,
 * CANCELLED; @codes is then undefined. */
TESSERA_API gboolean tessera_pursuit_encode (
  const TesseraPursuit *pursuit, const TesseraMatrix *signals,
  const TesseraMatrix *weights, const TesseraPursuitOptions *options,
  const TesseraCodes *codes, GError **error);

/* signals = D x, n x p, for the codes of p signals. */
TESSERA_API gboolean tessera_pursuit_decode (const TesseraPursuit *pursuit,
                                             const TesseraCodes *codes,
                                             const TesseraMatrix *signals,
                                             GError **error);

/* ---- learning dictionaries ---- */

/* The name of the @i-th algorithm and what it does, in one line; NULL when
 * there are no more. */
TESSERA_API const char *tessera_algorithm_name (int i);
TESSERA_API const char *tessera_algorithm_summary (int i);

/* What learning starts from. */
typedef enum {
  TESSERA_START_USUAL,    /* DCT or DATA, as is usual for the algorithm; PCA
                             in place of DCT where samples are not patches */
  TESSERA_START_DCT,      /* cosines; patches only, and k = n */
  TESSERA_START_PCA,      /* principal directions of the samples */
  TESSERA_START_DATA,     /* samples drawn at random */
  TESSERA_START_IDENTITY, /* for algorithms that whiten: of whitened space */
  TESSERA_START_RANDOM,
  TESSERA_START_GIVEN /* the atoms in TesseraLearnOptions.start */
} TesseraStart;

typedef struct {
  size_t size;
  TesseraProgressFunc progress;
  void *progress_data;
  const char *algorithm; /* NULL: "online" */
  int patch;             /* side of a patch (10) */
  int channels;          /* 1 or 3 (3) */
  int length;            /* n, of samples that are not patches; 0 for
                            patch * patch * channels; at most 4096 */
  int atoms;             /* k, for ksvd, mod, online-l1 and task-driven; 0
                            for n */
  TesseraStart start_kind;
  const TesseraMatrix *start; /* n x k, for TESSERA_START_GIVEN */
  int iterations;             /* 0: as usual for the algorithm */
  double tolerance;   /* stop when the dictionary moves less; 0 for never */
  double threshold;   /* codes below are zero; 0 to choose it by density */
  double density;     /* fraction of codes to keep (0.02) */
  double shrink;      /* let the threshold fall from the top by this factor per
                         step; 0 to begin at its end */
  double noise_floor; /* whitening does not raise what is weaker, as a standard
                         deviation (3 for patches, 0 for others; negative for
                         0) */
  int window;         /* samples in the window or batch (4000) */
  int stride;         /* online: new samples per step (100) */
  double rate; /* gradient, task-driven: length of a step; 0 to choose */
  int atoms_per_sample; /* ksvd, mod, online-l1 (10) */
  int exact_update;     /* not 0: ksvd with an SVD per atom */
  int textbook;         /* not 0: ksvd, mod, online and minibatch as
                             published */
  uint64_t seed;

  /* For tessera_learn_from_files() only. */
  size_t max_patches; /* per pass over the pictures (100000) */
  int step;           /* patches lie at multiples of this in a picture (1) */

  /* For "task-driven" only. */
  double hidden;     /* fraction of a sample to be predicted (0.5) */
  int predict_atoms; /* most atoms per sample in that (a tenth of n) */

  int first_samples; /* online: samples that whitening starts with; at least n
                        are taken (as many as the window has) */
} TesseraLearnOptions;

/* How far a learner is. */
typedef struct {
  size_t size;
  int iterations;                               /* done so far */
  size_t samples;                               /* seen so far */
  double objective, density, threshold, change; /* see docs/algorithms.md */
} TesseraLearnStatus;

/* A learner for samples of n numbers.  Hand over samples, then finish:
 *
 *     learner = tessera_learner_new (context, &options, &error);
 *     while (!tessera_learner_done (learner) && more samples)
 *       tessera_learner_feed (learner, &samples, &error);
 *     tessera_learner_finish (learner, &error);
 *     dictionary = tessera_learner_dictionary (learner, &error);
 */
typedef struct TesseraLearner TesseraLearner;

/* @options may be NULL.  Keeps a reference to @context, which may be NULL;
 * the progress function of @options is called by the two functions that
 * follow.  USAGE for an unknown algorithm and options out of range. */
TESSERA_API TesseraLearner *tessera_learner_new (
  TesseraContext *context, const TesseraLearnOptions *options, GError **error);
TESSERA_API void tessera_learner_free (TesseraLearner *learner);

/* Hands over the columns of @samples, n x any number.  Algorithms that stream
 * (online) learn from them at once and forget them; the others keep them.
 * INPUT for numbers that are not finite, CANCELLED, MEMORY, FAILED. */
TESSERA_API gboolean tessera_learner_feed (TesseraLearner *learner,
                                           const TesseraMatrix *samples,
                                           GError **error);

/* Whether more samples would change nothing: an algorithm that streams has
 * done its iterations. */
TESSERA_API gboolean tessera_learner_done (const TesseraLearner *learner);

/* Does the iterations of algorithms that do not stream.  INPUT for too few
 * samples, CANCELLED, FAILED.  After CANCELLED the learner has what was
 * learned so far. */
TESSERA_API gboolean tessera_learner_finish (TesseraLearner *learner,
                                             GError **error);

TESSERA_API gboolean tessera_learner_status (const TesseraLearner *learner,
                                             TesseraLearnStatus *status,
                                             GError **error);

/* What was learned so far: as a dictionary, if samples are patches; or as
 * columns of length one in @atoms, n x k.  USAGE before the first iteration.
 */
TESSERA_API TesseraDictionary *tessera_learner_dictionary (
  const TesseraLearner *learner, GError **error);
TESSERA_API gboolean tessera_learner_get_atoms (const TesseraLearner *learner,
                                                const TesseraMatrix *atoms,
                                                GError **error);

/* Learns from patches of @count pictures in files, which are read one at a
 * time; the memory needed does not grow with their number.  Files that cannot
 * be used are skipped; INPUT when none can. */
TESSERA_API TesseraDictionary *tessera_learn_from_files (
  TesseraContext *context, const char *const *paths, size_t count,
  const TesseraLearnOptions *options, GError **error);

/* ---- learning to restore ---- */

/* A task is a list of kinds of damage to restore, without spaces, as in
 * "missing:0.2-0.8,blocks:3-10"; an amount is a number or a range:
 *
 *     missing   fraction of the pixels          blocks    side in pixels
 *     channels  fraction of the samples         strokes   width in pixels
 *     noise     standard deviation, white 255
 *
 * Clean pictures are damaged in this way, and the error of what is restored is
 * minimized (see docs/algorithms.md). */

typedef struct {
  size_t size;
  TesseraProgressFunc progress;
  void *progress_data;
  const char *task;               /* NULL: "missing:0.2-0.8" */
  const TesseraDictionary *start; /* NULL: the cosine transform of */
  int patch, channels;            /* this shape (10, 3) */
  int separate;   /* not 0: patches will not overlap (paper_protocol) */
  int iterations; /* steps (2000) */
  int batch;      /* patches per step (384; 512 where they overlap, always a
                     multiple of 64 then) */
  double rate;    /* length of a step (0.002; 0.0005 where they overlap) */
  size_t max_patches; /* per pass over the pictures (100000), where they are
                         separate */
  uint64_t seed;
} TesseraTaskOptions;

/* Improves a dictionary for a task, with patches of @count pictures in files.
 * Files that cannot be used are skipped; INPUT when none can.  USAGE for a
 * task that cannot be understood, CANCELLED, MEMORY. */
TESSERA_API TesseraDictionary *tessera_learn_for_task (
  TesseraContext *context, const char *const *paths, size_t count,
  const TesseraTaskOptions *options, GError **error);

typedef struct {
  size_t size;
  TesseraProgressFunc progress;
  void *progress_data;
  const char *task; /* NULL: all kinds, which one dictionary can serve */
  int patch;        /* side of an atom, 1 to 16 (6) */
  int channels;     /* 1 or 3 (3) */
  int spacing;      /* pixels between atoms, 1 to patch (2) */
  int atoms;        /* at most 1024 (patch * patch * channels) */
  int rounds;       /* of shrinkage, at most 32 (8) */
  int sets;         /* of atoms for the rounds, at most rounds (8) */
  int levels;       /* sizes of the picture, at most 4 (3) */
  int crop;         /* side of an example in pixels, 16 to 256 (48) */
  int batch;        /* examples per step (8) */
  int iterations;   /* steps (18000, which takes hours) */
  double rate;      /* length of a step (8e-4) */
  uint64_t seed;
} TesseraConvolutionalOptions;

/* Learns a convolutional dictionary from @count pictures in files, which are
 * all kept in memory.  It can be written as safetensors, and restores as other
 * dictionaries do.  Fails as above; FAILED when learning diverges. */
TESSERA_API TesseraDictionary *tessera_learn_convolutional (
  TesseraContext *context, const char *const *paths, size_t count,
  const TesseraConvolutionalOptions *options, GError **error);

typedef struct {
  size_t size;
  TesseraProgressFunc progress;
  void *progress_data;
  const char *task;               /* NULL: "missing:0.5" */
  const TesseraDictionary *start; /* orthonormal, of the same patches; NULL:
                                     cosines */
  int patch;      /* side of a patch, 2 to 16 (8, or that of start) */
  int channels;   /* 1 or 3 (3, or those of start) */
  int spacing;    /* pixels between patches, 1 to patch (1) */
  int rounds;     /* at most 32 (6) */
  int crop;       /* side of an example in pixels, 16 to 256 (40) */
  int batch;      /* examples per step (8) */
  int iterations; /* steps (300, which takes minutes) */
  double rate;    /* of the logarithms of thresholds (0.03) */
  double rotation; /* of the atoms (0.01); negative to leave them as they are */
  uint64_t seed;
} TesseraTransformOptions;

/* Learns an orthonormal transform, and a threshold for each of its atoms in
 * each of a few rounds of restoration, from @count pictures in files, which
 * are all kept in memory.  tessera_restore() uses the thresholds too, unless
 * patches are separate.  They are kept in safetensors; a .npy has the atoms
 * only.  Fails as above. */
TESSERA_API TesseraDictionary *tessera_learn_transform (
  TesseraContext *context, const char *const *paths, size_t count,
  const TesseraTransformOptions *options, GError **error);

#ifdef __cplusplus
}
#endif

#endif
