/* scratches.c - scratches and hairs
 *
 * Lines of up to about 5 pixels in width, lighter or darker than both sides,
 * that go on for long.  Steep ones stand out from a mean over a few rows, less
 * an opening along rows; flat ones are found on the picture turned round. What
 * stands out clearly more than is usual nearby is connected, and kept if
 *   1. it is long and thin, and goes through nearly every row;
 *   2. its mean contrast is a multiple of what is usual;
 *   3. it ends at once, and on both sides alike: 4 pixels from its middle it
 *      is as different from the background as 8 pixels away, where waves and
 *      horizons are soft or one-sided; a line along the edge of the picture
 *      has one side only and is left;
 *   4. it covers the picture: a scratch of opacity a and shade s turns the
 *      background b into (1 - a) b + a s, so that along the line the variance
 *      shrinks by (1 - a)^2.  The crest of a wave goes with its surroundings.
 */
#include "imaging/detect/detect.h"

#include "imaging/detect/marks.h"

#include <math.h>
#include <string.h>

/* Rows above and below that a mean is taken over: texture is averaged out,
 * a line that leans by up to half a pixel per row stays. */
#define ALONG 2

/* Half of the width that lets no line through. */
#define REACH 4

/* Half of the sides of the window that says what is usual. */
#define SURROUNDINGS 24

/* In levels: the top-hat must exceed this, and that multiple of its mean. */
#define LOW 7
#define LOW_TIMES 2.0

#define LEAST_LENGTH 40 /* rows of a line, also as a share of the picture */
#define LEAST_SHARE 0.08
#define MOST_WIDTH 10  /* pixels per row */
#define LEAST_ROWS 0.7 /* share of the rows of its bounds that it has */

/* Mean of the top-hat, in levels and as a multiple of what is usual. */
#define LEAST_MEAN 14
#define MEAN_TIMES 5.0

/* Variance along the line, as a share of that of the background, beyond what
 * noise and a changing opacity explain. */
#define MOST_VARIANCE 0.65
#define FREE_VARIANCE 60

/* Columns from the middle of a line to the background, and further. */
#define ASIDE 4
#define FURTHER 8

/* Contrast to the nearer of both sides, and to the mean of both, as shares of
 * the contrast to what is further away. */
#define LEAST_BOTH 0.82
#define LEAST_SHARP 0.9

/* A plane turned round its diagonal. */
static gboolean
transpose (const BytePlane *from, BytePlane *to, GError **error)
{
  if (!byte_plane_init (to, from->height, from->width, error))
    return FALSE;
  for (int y = 0; y < from->height; y++)
    for (int x = 0; x < from->width; x++)
      to->data[(gsize) x * (gsize) to->width + (gsize) y] =
        from->data[(gsize) y * (gsize) from->width + (gsize) x];
  return TRUE;
}

/* What a line is judged by. */
typedef struct {
  BytePlane shade, hat, usual;
  double strength;
} Steep;

static void
steep_clear (Steep *steep)
{
  byte_plane_clear (&steep->shade);
  byte_plane_clear (&steep->hat);
  byte_plane_clear (&steep->usual);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Steep, steep_clear)

/* The column of each row that stands out most, or -1. */
static int *
cores_of (const Blob *blob, const Steep *steep)
{
  int *cores = g_new (int, blob->box.height);
  int width = blob->marks->width;

  for (int i = 0; i < blob->box.height; i++)
    cores[i] = -1;
  for (gsize k = 0; k < blob->count; k++) {
    gsize i = blob->pixels[k];
    int x = (int) (i % (gsize) width);
    int *core = &cores[(int) (i / (gsize) width) - blob->box.y];

    if (*core < 0
        || steep->hat.data[i] > steep->hat.data[i - (gsize) x + (gsize) *core])
      *core = x;
  }
  return cores;
}

/* Whether it has a place in nearly every row. */
static gboolean
goes_through (const int *cores, int count)
{
  int have = 0;

  for (int i = 0; i < count; i++)
    have += cores[i] >= 0;
  return have >= LEAST_ROWS * count;
}

/* Sums over the rows of a line. */
typedef struct {
  double rows;
  double inside; /* rows where both sides lie within the picture */
  double hat, usual;
  double line, line2;     /* shades of the line, and their squares */
  double ground, ground2; /* those of the background */
  double both, near, far; /* contrasts */
} LineSums;

static void
add_row (LineSums *sums, const Steep *steep, int x, int y)
{
  int width = steep->shade.width;
  gsize start = (gsize) y * (gsize) width;
  const guint8 *shade = steep->shade.data + start;
  int left = shade[MAX (0, x - ASIDE)];
  int right = shade[MIN (width - 1, x + ASIDE)];
  double near = 0.5 * (left + right), line = shade[x];
  double far =
    0.5 * (shade[MAX (0, x - FURTHER)] + shade[MIN (width - 1, x + FURTHER)]);

  sums->rows++;
  sums->inside += x >= FURTHER && x + FURTHER < width;
  sums->hat += steep->hat.data[start + (gsize) x];
  sums->usual += steep->usual.data[start + (gsize) x];
  sums->line += line;
  sums->line2 += line * line;
  sums->ground += far;
  sums->ground2 += far * far;
  sums->both += line - MAX (left, right);
  sums->near += line - near;
  sums->far += line - far;
}

static double
variance (double sum, double squares, double count)
{
  return squares / count - sum / count * sum / count;
}

/* Whether it stands out, ends at once and covers what is below it. */
static gboolean
covers (const int *cores, const Blob *blob, const Steep *steep)
{
  LineSums s = { 0 };

  for (int i = 0; i < blob->box.height; i++)
    if (cores[i] >= 0)
      add_row (&s, steep, cores[i], blob->box.y + i);
  return s.inside >= LEAST_ROWS * s.rows && s.hat >= LEAST_MEAN * s.rows
         && steep->strength * s.hat >= MEAN_TIMES * s.usual && s.both >= LEAST_BOTH * s.far
         && s.near >= LEAST_SHARP * s.far && s.far >= LEAST_MEAN * s.rows
         && variance (s.line, s.line2, s.rows)
              <= FREE_VARIANCE
                   + MOST_VARIANCE * variance (s.ground, s.ground2, s.rows);
}

static gboolean
is_scratch (const Blob *blob, gpointer data)
{
  const Steep *steep = data;
  int shorter = MIN (blob->marks->width, blob->marks->height);
  double least = fmax (LEAST_LENGTH, LEAST_SHARE * shorter);
  g_autofree int *cores = NULL;

  if (blob->box.height < least || blob->box.width > blob->box.height
      || (double) blob->count > MOST_WIDTH * blob->box.height)
    return FALSE;
  cores = cores_of (blob, steep);
  return goes_through (cores, blob->box.height) && covers (cores, blob, steep);
}

/* Sets @marks where a steep line may be. */
static gboolean
mark_steep (Steep *steep, BytePlane *marks, GError **error)
{
  const BytePlane *shade = &steep->shade;

  if (!byte_plane_mean (shade, 0, ALONG, &steep->hat, error)
      || !byte_plane_top_hat (&steep->hat, REACH, 0, error)
      || !byte_plane_mean (&steep->hat, SURROUNDINGS, SURROUNDINGS,
                           &steep->usual, error)
      || !byte_plane_init (marks, shade->width, shade->height, error))
    return FALSE;
  for (gsize i = 0; i < byte_plane_size (marks); i++)
    marks->data[i] =
      steep->hat.data[i] > LOW + LOW_TIMES * steep->usual.data[i];
  return TRUE;
}

/* Adds to @mask the steep lines of @steep, of which the shade is set. */
static gboolean
find_steep (Steep *steep, Mask *mask, GError **error)
{
  g_auto (BytePlane) marks = { 0 };

  return mark_steep (steep, &marks, error)
         && blobs_keep (&marks, is_scratch, steep, mask, error);
}

/* Adds light lines to @mask, or dark ones if @negative. */
static gboolean
find_lines (const Image *image, double strength, gboolean negative, Mask *mask,
            GError **error)
{
  g_auto (Steep) upright = { .strength = strength };
  g_auto (Steep) turned = { .strength = strength };
  g_autoptr (Mask) flat = mask_new (image->height, image->width, error);

  if (flat == NULL
      || !byte_plane_init (&upright.shade, image->width, image->height, error))
    return FALSE;
  byte_plane_load (&upright.shade, image, negative);
  if (!find_steep (&upright, mask, error)
      || !transpose (&upright.shade, &turned.shade, error)
      || !find_steep (&turned, flat, error))
    return FALSE;
  for (int y = 0; y < image->height; y++)
    for (int x = 0; x < image->width; x++)
      mask->missing[(gsize) y * (gsize) image->width + (gsize) x] |=
        flat->missing[(gsize) x * (gsize) image->height + (gsize) y];
  return TRUE;
}

static Mask *
find_scratches (const Image *image, double strength, const Progress *progress,
                GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);

  if (mask == NULL || !find_lines (image, strength, FALSE, mask, error)
      || !progress_step (progress, 0.5, error)
      || !find_lines (image, strength, TRUE, mask, error)
      || !mask_grow (mask, 1, error)
      || !progress_step (progress, 1, error))
    return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_scratches = { "scratches", "scratches and hairs",
                                      find_scratches };
