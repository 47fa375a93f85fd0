/* dust.c - dust and specks
 *
 * Spots of up to about 12 pixels that are grey, much lighter or darker than
 * what is around them, compact, and rare: where the picture is full of small
 * spots, leaves or glitter, these belong to it.  The top-hat has to exceed a
 * multiple of its own mean nearby.
 */
#include "imaging/detect/detect.h"

#include "imaging/detect/marks.h"

#include <string.h>

/* Half of the side of the window that lets no speck through. */
#define REACH 9

/* Half of the side of the window in which specks must be rare. */
#define SURROUNDINGS 32

/* In levels: a speck begins where the top-hat exceeds LOW and LOW_TIMES its
 * mean nearby, and must somewhere exceed HIGH and HIGH_TIMES that. */
#define LOW 14
#define LOW_TIMES 1.0
#define HIGH 42
#define HIGH_TIMES 4.5

#define LEAST_PIXELS 4
#define LARGEST 19       /* side of its bounds */
#define LEAST_COMPACT .5 /* share of its bounds that it covers */
#define MOST_CHROMA 50   /* levels between the colours of its core */

/* Share of its pixels that stand out by half as much as the one that does
 * most: dust lies flat on the picture and ends at once, a bright leaf has a
 * peak. */
#define LEAST_FLAT 0.5

/* The mean of its core, lighter ones in levels, darker ones below white. */
#define LEAST_SHADE 135

typedef struct {
  const Image *image;
  const BytePlane *shade, *hat, *usual;
  double strength;
} Specks;

/* Largest less least colour of a pixel, in levels. */
static int
chroma (const Image *image, gsize i)
{
  const guint16 *pixel = image->samples + i * (gsize) image->channels;
  int least = pixel[0], most = pixel[0];

  for (int c = 1; c < image_colours (image); c++) {
    least = MIN (least, pixel[c]);
    most = MAX (most, pixel[c]);
  }
  return (most - least) * 255 / image_peak (image);
}

static gboolean
is_speck (const Blob *blob, gpointer data)
{
  const Specks *specks = data;
  const ImageArea *box = &blob->box;
  gsize core = blob->pixels[0], flat = 0;

  if (blob->count < LEAST_PIXELS || box->width > LARGEST
      || box->height > LARGEST
      || (double) blob->count < LEAST_COMPACT * box->width * box->height)
    return FALSE;
  for (gsize k = 1; k < blob->count; k++)
    if (specks->hat->data[blob->pixels[k]] > specks->hat->data[core])
      core = blob->pixels[k];
  for (gsize k = 0; k < blob->count; k++)
    flat += 2 * specks->hat->data[blob->pixels[k]] > specks->hat->data[core];
  return (double) flat >= LEAST_FLAT * (double) blob->count
         && specks->hat->data[core]
              > (HIGH + HIGH_TIMES * specks->usual->data[core])
                  / specks->strength
         && specks->shade->data[core] >= LEAST_SHADE
         && chroma (specks->image, core) <= MOST_CHROMA;
}

/* Adds light specks to @mask, or dark ones if @negative. */
static gboolean
find_specks (const Image *image, double strength, gboolean negative,
             Mask *mask, GError **error)
{
  g_auto (BytePlane) shade = { 0 };
  g_auto (BytePlane) hat = { 0 };
  g_auto (BytePlane) usual = { 0 };
  g_auto (BytePlane) marks = { 0 };
  Specks specks = { image, &shade, &hat, &usual, strength };

  if (!byte_plane_init (&shade, image->width, image->height, error)
      || !byte_plane_init (&hat, image->width, image->height, error)
      || !byte_plane_init (&marks, image->width, image->height, error))
    return FALSE;
  byte_plane_load (&shade, image, negative);
  memcpy (hat.data, shade.data, byte_plane_size (&hat));
  if (!byte_plane_top_hat (&hat, REACH, REACH, error)
      || !byte_plane_mean (&hat, SURROUNDINGS, SURROUNDINGS, &usual, error))
    return FALSE;
  for (gsize i = 0; i < byte_plane_size (&hat); i++)
    marks.data[i] = hat.data[i] > LOW + LOW_TIMES * usual.data[i];
  return blobs_keep (&marks, is_speck, &specks, mask, error);
}

static Mask *
find_dust (const Image *image, double strength, const Progress *progress,
           GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);

  if (mask == NULL || !find_specks (image, strength, FALSE, mask, error)
      || !progress_step (progress, 0.5, error)
      || !find_specks (image, strength, TRUE, mask, error)
      || !mask_grow (mask, 1, error)
      || !progress_step (progress, 1, error))
    return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_dust = { "dust", "dust and specks", find_dust };
