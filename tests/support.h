/* support.h - what several tests need */
#pragma once

#include "base/matrix.h"
#include "imaging/image.h"

/* Whether the program runs under a sanitizer: memory then says nothing, and
 * work takes ten times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED TRUE
#else
#define SANITIZED FALSE
#endif

/* Starts the test program: reads GLib's test options, sets up the library. */
void test_start (int *argc, char ***argv);

/* Matrices of standard normal numbers; the same @seed gives the same ones. */
Mat random_mat (int rows, int cols, guint64 seed);
MatF random_matf (int rows, int cols, guint64 seed);

/* Random columns of length one. */
MatF random_dictionary (int rows, int cols, guint64 seed);

/* Largest difference of two entries. */
double largest_difference (const Mat *A, const Mat *B);

#define assert_at_most(value, bound) g_assert_cmpfloat ((value), <=, (bound))

/* Path of a file or folder below ../shared, or NULL, with the test marked as
 * skipped, where it is not there. */
char *shared_path (const char *relative);

/* The picture in a file that is there and whole. */
Image *load_image (const char *path);

/* The bundled photograph data/photos/NAME.png; the second one returns only
 * @width x @height pixels from its middle. */
Image *load_photo (const char *name);
Image *load_photo_middle (const char *name, int width, int height);

/* PSNR of all samples, in dB. */
double psnr (const Image *reference, const Image *result);
