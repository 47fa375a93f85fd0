/* scratches.c - scratches and hairs
 *
 * Lines of up to about 5 pixels in width, lighter or darker than both sides,
 * that go on for long.  Steep ones stand out from a mean over a few rows, less
 * an opening along rows; flat ones are found on the picture turned round. What
 * stands out clearly more than is usual nearby is connected.  What is known of
 * scratches makes the features of these candidates:
 *   1. they are long and thin, and go through nearly every row;
 *   2. their mean contrast is a multiple of what is usual;
 *   3. they end at once, and on both sides alike: 4 pixels from its middle a
 *      line is as different from the background as 8 pixels away, where waves
 *      and horizons are soft or one-sided;
 *   4. they cover the picture: a scratch of opacity a and shade s turns the
 *      background b into (1 - a) b + a s, so that along the line the variance
 *      shrinks by (1 - a)^2.  The crest of a wave goes with its surroundings;
 *   5. they are grey, and wander a little where edges of things are straight.
 * judge.h weighs them.
 */
#include "imaging/detect/detect.h"

#include "imaging/detect/judge.h"
#include "imaging/detect/marks.h"

#include <math.h>
#include <stdlib.h>
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
#define LOW_TIMES 1.7

#define LEAST_LENGTH 20 /* rows of a line, also as a share of the picture */
#define LEAST_SHARE 0.04
#define MOST_WIDTH 10    /* pixels per row */
#define LEAST_ROWS 0.6   /* share of the rows of its bounds that it has */
#define LEAST_CONTRAST 5 /* levels */

/* Columns from the middle of a line to the background, and further. */
#define ASIDE 4
#define FURTHER 8

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

/* What lines are judged by, and what was found. */
typedef struct {
  const Image *image;
  gboolean turned; /* rows are columns of the image */
  BytePlane shade, hat, usual;
  GArray *lines; /* of Line */
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

/* ---- features ---- */

#define FEATURES 16

/* A candidate. */
typedef struct {
  double logit;
  GArray *pixels; /* gsize: their numbers in the image */
} Line;

static void
line_clear (gpointer data)
{
  Line *line = data;

  g_clear_pointer (&line->pixels, g_array_unref);
}

/* Sums over the rows of a line. */
typedef struct {
  double rows;
  double inside; /* rows where both sides lie within the picture */
  double hat, usual;
  double line, line2;     /* shades of the line, and their squares */
  double ground, ground2; /* those of the background */
  double both, near, far; /* contrasts */
  double sides;           /* differences of both sides */
  double chroma;          /* largest less least colour */
  double wobble;          /* second differences of its places */
  double clear;           /* rows with at least half of the contrast */
} LineSums;

/* Number in the image of column @x of row @y. */
static gsize
place (const Steep *steep, int x, int y)
{
  return steep->turned ? (gsize) x * (gsize) steep->image->width + (gsize) y
                       : (gsize) y * (gsize) steep->image->width + (gsize) x;
}

static double
chroma (const Image *image, gsize i)
{
  const guint16 *pixel = image->samples + i * (gsize) image->channels;
  int least = pixel[0], most = pixel[0];

  for (int c = 1; c < image_colours (image); c++) {
    least = MIN (least, pixel[c]);
    most = MAX (most, pixel[c]);
  }
  return (most - least) * 255. / image_peak (image);
}

static double
contrast_of (const Steep *steep, int x, int y)
{
  int width = steep->shade.width;
  const guint8 *shade = steep->shade.data + (gsize) y * (gsize) width;

  return shade[x]
         - 0.5
             * (shade[MAX (0, x - FURTHER)]
                + shade[MIN (width - 1, x + FURTHER)]);
}

static void
add_row (LineSums *sums, const Steep *steep, int x, int y)
{
  int width = steep->shade.width;
  gsize start = (gsize) y * (gsize) width;
  const guint8 *shade = steep->shade.data + start;
  int left = shade[MAX (0, x - ASIDE)];
  int right = shade[MIN (width - 1, x + ASIDE)];
  double line = shade[x], far = contrast_of (steep, x, y);

  sums->rows++;
  sums->inside += x >= FURTHER && x + FURTHER < width;
  sums->hat += steep->hat.data[start + (gsize) x];
  sums->usual += steep->usual.data[start + (gsize) x];
  sums->line += line;
  sums->line2 += line * line;
  sums->ground += line - far;
  sums->ground2 += (line - far) * (line - far);
  sums->both += line - MAX (left, right);
  sums->near += line - 0.5 * (left + right);
  sums->far += far;
  sums->sides += abs (left - right);
  sums->chroma += chroma (steep->image, place (steep, x, y));
}

static LineSums
sum_rows (const int *cores, const Blob *blob, const Steep *steep)
{
  int height = blob->box.height, top = blob->box.y;
  LineSums sums = { 0 };

  for (int i = 0; i < height; i++)
    if (cores[i] >= 0)
      add_row (&sums, steep, cores[i], top + i);
  for (int i = 0; i < height; i++)
    if (cores[i] >= 0)
      sums.clear +=
        contrast_of (steep, cores[i], top + i) >= 0.5 * sums.far / sums.rows;
  for (int i = 2; i < height; i++)
    if (cores[i] >= 0 && cores[i - 1] >= 0 && cores[i - 2] >= 0)
      sums.wobble += abs (cores[i] - 2 * cores[i - 1] + cores[i - 2]);
  return sums;
}

static double
variance (double sum, double squares, double count)
{
  return fmax (0, squares / count - sum / count * sum / count);
}

static double
ratio (double a, double b)
{
  return log ((a + 2) / (b + 2));
}

/* Fills @f; FALSE if it is no line at all. */
static gboolean
describe (const int *cores, const Blob *blob, const Steep *steep,
          double f[FEATURES])
{
  LineSums s = sum_rows (cores, blob, steep);
  double n = s.rows, height = blob->box.height;
  double ground = variance (s.ground, s.ground2, n);

  if (n < LEAST_ROWS * height || s.far < LEAST_CONTRAST * n)
    return FALSE;
  f[0] = log (n);
  f[1] = n / height;
  f[2] = log ((double) blob->count / n);
  f[3] = log (s.hat / n + 1);
  f[4] = ratio (s.hat / n, s.usual / n);
  f[5] = s.both / s.far;
  f[6] = s.near / s.far;
  f[7] = log (s.far / n);
  f[8] = log ((variance (s.line, s.line2, n) + 60) / (ground + 60));
  f[9] = s.inside / n;
  f[10] = s.line / n / 64;
  f[11] = s.wobble / n;
  f[12] = blob->box.width / height;
  f[13] = ratio (sqrt (ground), s.far / n);
  f[14] = s.chroma / n / 64;
  f[15] = s.sides / s.far + s.clear / n;
  return TRUE;
}

/* Learned from 36 photographs of 512 x 512 to 768 x 512 pixels, clean and
 * scratched, and 110 smaller clean ones. */
static const double units[][JUDGE_WEIGHTS (FEATURES)] = {
  { 1.502, 0.884, 0.251, -0.000, -2.153, -0.183, 0.711, 0.211, -0.194, 0.209,
    -0.061, -0.595, 0.117, 0.125, 0.286, -0.170, -0.763, -0.186 },
  { -1.369, 0.468, -0.148, 0.000, 0.237, 0.482, -0.485, -0.112, 0.325, -0.155,
    0.460, -0.036, -0.149, -0.283, -3.127, -0.005, 0.811, 0.335 },
  { -1.207, 2.300, -0.512, 0.000, 0.347, 0.339, -1.041, -0.379, 0.174, -0.030,
    0.284, 0.124, -0.053, -0.066, -0.368, -0.113, 0.393, 0.296 },
  { -1.330, 0.819, -0.353, -0.000, 0.501, 0.524, -0.660, -0.344, 0.312, -0.157,
    0.275, 0.124, -0.049, -0.233, -1.777, 0.080, 0.433, 0.450 },
  { 1.158, -2.671, 0.434, 0.000, -0.360, -0.154, 0.733, 0.404, -0.192, 0.099,
    -0.120, -0.337, 0.002, 0.223, 0.785, -0.166, -0.502, -0.359 },
  { 1.831, -2.889, 0.409, -0.000, -1.059, 0.180, 0.944, 1.414, 0.577, -0.133,
    0.133, 0.188, -0.008, -0.000, 0.535, 0.357, -0.446, -0.215 },
};

static const Judge judge = { .bias = -2.581,
                             .features = FEATURES,
                             .units = G_N_ELEMENTS (units),
                             .weights = units[0],
                             .density = 4e-5,
                             .least = 0.025 };

/* Keeps @blob among the candidates. */
static void
note_line (const Blob *blob, Steep *steep, const double f[FEATURES])
{
  int width = blob->marks->width;
  Line line = { judge_logit (&judge, f),
                g_array_new (FALSE, FALSE, sizeof (gsize)) };

  for (gsize k = 0; k < blob->count; k++) {
    gsize i = place (steep, (int) (blob->pixels[k] % (gsize) width),
                     (int) (blob->pixels[k] / (gsize) width));

    g_array_append_val (line.pixels, i);
  }
  g_array_append_val (steep->lines, line);
}

static gboolean
examine (const Blob *blob, gpointer data)
{
  Steep *steep = data;
  int shorter = MIN (blob->marks->width, blob->marks->height);
  double least = fmax (LEAST_LENGTH, LEAST_SHARE * shorter), f[FEATURES];
  g_autofree int *cores = NULL;

  if (blob->box.height < least || blob->box.width > blob->box.height
      || (double) blob->count > MOST_WIDTH * blob->box.height)
    return FALSE;
  cores = cores_of (blob, steep);
  if (describe (cores, blob, steep, f))
    note_line (blob, steep, f);
  return FALSE;
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

/* Adds the steep lines of @steep, of which the shade is set, to its lines. */
static gboolean
find_steep (Steep *steep, GError **error)
{
  g_auto (BytePlane) marks = { 0 };
  g_autoptr (Mask) none =
    mask_new (steep->shade.width, steep->shade.height, error);

  return none != NULL && mark_steep (steep, &marks, error)
         && blobs_keep (&marks, examine, steep, none, error);
}

/* Adds light lines, or dark ones if @negative. */
static gboolean
find_lines (const Image *image, gboolean negative, GArray *lines,
            GError **error)
{
  g_auto (Steep) upright = { .image = image, .lines = lines };
  g_auto (Steep) turned = { .image = image, .lines = lines, .turned = TRUE };

  if (!byte_plane_init (&upright.shade, image->width, image->height, error))
    return FALSE;
  byte_plane_load (&upright.shade, image, negative);
  return find_steep (&upright, error)
         && transpose (&upright.shade, &turned.shade, error)
         && find_steep (&turned, error);
}

/* Adds the lines that are damage to @mask. */
static void
mark_lines (const GArray *lines, double strength, Mask *mask)
{
  double pixels = (double) mask->width * mask->height, threshold;
  g_autofree double *logits = g_new (double, lines->len + 1);

  for (guint i = 0; i < lines->len; i++)
    logits[i] = g_array_index (lines, Line, i).logit;
  threshold = judge_threshold (&judge, logits, lines->len, pixels, strength);
  for (guint i = 0; i < lines->len; i++) {
    const Line *line = &g_array_index (lines, Line, i);

    for (guint k = 0; line->logit > threshold && k < line->pixels->len; k++)
      mask->missing[g_array_index (line->pixels, gsize, k)] = MASK_PIXEL;
  }
}

static Mask *
find_scratches (const Image *image, double strength, const Progress *progress,
                GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (Line));

  g_array_set_clear_func (lines, line_clear);
  if (mask == NULL || !find_lines (image, FALSE, lines, error)
      || !progress_step (progress, 0.5, error)
      || !find_lines (image, TRUE, lines, error))
    return NULL;
  mark_lines (lines, strength, mask);
  if (!mask_grow (mask, 1, error) || !progress_step (progress, 1, error))
    return NULL;
  return g_steal_pointer (&mask);
}

const Detector detector_scratches = { "scratches", "scratches and hairs",
                                      find_scratches };
