/* deadpixels.c - dead and random-valued pixels
 *
 * Black and white.  Most of the pixels of a photograph that are purely black
 * (or white) have neighbours nearly as black.  If instead most of them stand
 * out from the nearest pixels of other values, that colour means "dead", and
 * all pixels of it are missing.  Dead pixels are scattered; where those that
 * stand out touch one another more often than chance would have it, as in the
 * line at the edge of a scan, they are part of the picture.  Black says
 * nothing about white, nor white about black, as either may be what is dead:
 * pixels with nothing else nearby have no witnesses, and what those with
 * witnesses show holds for them if they, too, are scattered.  A picture of
 * nothing but black and white, such as a page of text, has no dead pixels.
 *
 * Any value.  For each other pixel, the distances to those of its eight
 * neighbours that are alive are sorted and the four smallest added up (the
 * rank-ordered absolute differences of Garnett and others, 2005).  A pixel on
 * an edge or a line still has some neighbours like itself, a random one has
 * none.  It is missing when the sum is large, and much larger than what is
 * usual around it.  A second pass no longer counts what the first found.
 *
 * Glitter on water does the same to a few pixels.  So a strict test comes
 * first: only a picture in which more pixels pass it than glitter explains is
 * taken to have random values at all.  (Strict on clean photographs: up to 1.1
 * pixels in 1000; on those with 5 % random values: 26 or more.)  Small pictures
 * that were sharpened have up to 11, but then many more that stand out a little:
 * a fifth of what passes the loose test passes the strict one there at most,
 * where values are random 45 % or more.
 *
 * Noise.  Where it is added to all pixels, sums are large everywhere, and the
 * least of what is usual in the picture is due to it: the floor.  What is
 * usual above the floor is texture, from which a pixel must stand out by a
 * factor; of noise it is known how far it goes.  The floor of a picture that
 * is texture all over is not due to noise: it counts as far as the level of
 * noise (noise.h), which for its part random values raise, explains it.
 *
 * Fully transparent pixels are neither missing nor used as evidence.
 */
#include "imaging/detect/detect.h"

#include "base/cpudispatch.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "imaging/detect/noise.h"

#include <math.h>
#include <string.h>

/* Distances are means over the colours, as shares of white. */
#define STANDS_OUT                                                            \
  0.06              /* of a black or white pixel from the others nearby       \
                     */
#define NEARER 0.25 /* share of the pixels nearby that may differ less */
#define CLUMPED 0.1 /* share of neighbours alike beyond that of chance */
#define NEARBY 6    /* pixels alive that are looked at */
#define REACH 6     /* how far to look for them */
#define PASSES 2

/* Black or white pixels are rare below this share, and then have to differ from
 * their neighbours by this multiple of what these do from theirs: where a
 * picture was sharpened, the ends of its fine texture are clipped. */
#define RARE 0.01
#define RARE_TIMES 2.5

#define ROWS 16 /* that a thread examines at a time */

#define LEAST_STRICT 0.005 /* share of pixels that pass the strict test */
#define LEAST_RANDOM 0.3 /* of those that pass the loose one, pass the strict */

/* The floor is this quantile, over a sample of pixels, of what is usual. */
#define FLOOR_QUANTILE 0.1
#define FLOOR_SAMPLE 20000

/* Noise of standard deviation s gives sums that are usually 3.1 s in colour
 * and 1.9 s in grey, with that quantile at 2.7 s and 1.5 s.  2.4 and 6 times
 * the usual is exceeded by 15 pixels in 10,000.  Black and white that clipping
 * made of noise rarely differ by more than 2 s from what is around them. */
typedef struct {
  double quantile; /* the floor, as a multiple of the noise */
  double usual;    /* in noise, as a multiple of the floor */
  double tail;     /* no noise goes beyond this multiple of the usual */
  double clipped;  /* nor by clipping beyond this multiple of the floor */
} NoiseShape;

static const NoiseShape grey_noise = { 1.5, 1.3, 6, 1.3 };
static const NoiseShape colour_noise = { 2.7, 1.15, 2.4, 0.75 };

/* When a sum of ranked distances is that of a random value. */
typedef struct {
  double least; /* it is at least this large */
  double times; /* and larger than the usual texture by this factor */
} Test;

static const Test strict_test = { 1.0, 6 };
static const Test loose_test = { 0.36, 3 };

enum { ALIVE, DEAD, UNSEEN };

typedef struct {
  const Image *image;
  guint8 *state; /* of each pixel, in a Mask */
  const NoiseShape *noise;
  double floor;   /* of the usual sums */
  double strength; /* that sums are multiplied by when they are judged */
  Progress quiet; /* only for cancelling */
} Scene;

static const guint16 *
pixel_at (const Scene *scene, int x, int y)
{
  return image_pixel (scene->image, x, y);
}

static guint8 *
state_at (const Scene *scene, int x, int y)
{
  return scene->state + (gsize) y * (gsize) scene->image->width + x;
}

static double
distance (const Scene *scene, const guint16 *a, const guint16 *b)
{
  int colours = image_colours (scene->image), sum = 0;

  for (int c = 0; c < colours; c++)
    sum += ABS (a[c] - b[c]);
  return (double) sum / colours / image_peak (scene->image);
}

/* The value that @share of them are below. */
static double
quantile (double *values, int count, double share)
{
  sort_doubles (values, (gsize) count);
  return values[(int) (share * count)];
}

/* Whether pixel @x, @y has the value @extreme in all its colours. */
static gboolean
has_value (const Scene *scene, int x, int y, int extreme)
{
  const guint16 *pixel = pixel_at (scene, x, y);

  for (int c = 0; c < image_colours (scene->image); c++)
    if (pixel[c] != extreme)
      return FALSE;
  return TRUE;
}

/* Whether a pixel that is alive is neither black nor white. */
static gboolean
is_shade (const Scene *scene, int x, int y)
{
  return *state_at (scene, x, y) == ALIVE && !has_value (scene, x, y, 0)
         && !has_value (scene, x, y, image_peak (scene->image));
}

/* Distance of a black or white pixel from the nearest shades, but for a quarter
 * of them that may be nearly as black or white; negative when there are none
 * within reach. */
static double
contrast (const Scene *scene, int x, int y)
{
  double values[(2 * REACH + 1) * (2 * REACH + 1)];
  int count = 0;

  for (int reach = 1; reach <= REACH && count < NEARBY; reach++)
    for (int row = y - reach; row <= y + reach; row++)
      for (int col = x - reach; col <= x + reach; col++) {
        gboolean ring = MAX (ABS (row - y), ABS (col - x)) == reach;

        if (!ring || row < 0 || col < 0 || row >= scene->image->height
            || col >= scene->image->width || !is_shade (scene, col, row))
          continue;
        values[count++] =
          distance (scene, pixel_at (scene, x, y), pixel_at (scene, col, row));
      }
  return count > 0 ? quantile (values, count, NEARER) : -1;
}

static gboolean
has_shades (const Scene *scene)
{
  for (int y = 0; y < scene->image->height; y++)
    for (int x = 0; x < scene->image->width; x++)
      if (is_shade (scene, x, y))
        return TRUE;
  return FALSE;
}

/* Number of the neighbours of a pixel that @marks names, of @count. */
static int
marked_neighbours (const Mask *marks, int x, int y, int *count)
{
  int marked = 0;

  *count = 0;
  for (int row = MAX (0, y - 1); row <= MIN (y + 1, marks->height - 1); row++)
    for (int col = MAX (0, x - 1); col <= MIN (x + 1, marks->width - 1);
         col++) {
      if (row == y && col == x)
        continue;
      ++*count;
      marked +=
        marks->missing[(gsize) row * (gsize) marks->width + (gsize) col];
    }
  return marked;
}

/* Whether pixels that @marks names touch one another hardly more often than
 * chance would have it. */
static gboolean
is_scattered (const Mask *marks)
{
  double pixels = (double) marks->width * marks->height;
  gsize marked = 0, neighbours = 0, both = 0;

  for (int y = 0; y < marks->height; y++)
    for (int x = 0; x < marks->width; x++)
      if (marks->missing[(gsize) y * (gsize) marks->width + (gsize) x]) {
        int count, touching = marked_neighbours (marks, x, y, &count);

        marked++;
        neighbours += (gsize) count;
        both += (gsize) touching;
      }
  return (double) both
         <= ((double) marked / pixels + CLUMPED) * (double) neighbours;
}

/* Names in @marks all pixels of value @extreme; returns how many there are. */
static gsize
mark_extreme (const Scene *scene, int extreme, Mask *marks)
{
  for (int y = 0; y < scene->image->height; y++)
    for (int x = 0; x < scene->image->width; x++) {
      gsize i = (gsize) y * (gsize) scene->image->width + (gsize) x;

      marks->missing[i] =
        scene->state[i] != UNSEEN && has_value (scene, x, y, extreme);
    }
  return mask_count (marks);
}

/* Puts @value into @least, the four smallest in rising order. */
static inline void
keep_least (int least[4], int value)
{
  for (int i = 0; i < 4; i++) {
    int smaller = MIN (least[i], value);

    value = MAX (least[i], value);
    least[i] = smaller;
  }
}

/* Distance of two pixels in levels, summed over @colours. */
static inline int
level_distance (const guint16 *a, const guint16 *b, int colours)
{
  int sum = 0;

  for (int c = 0; c < colours; c++)
    sum += ABS (a[c] - b[c]);
  return sum;
}

/* Sum of the four smallest distances to living neighbours; 0 for fewer than
 * four of them: no judgement without witnesses. */
static double
ranked_distances (const Scene *scene, int x, int y)
{
  const Image *image = scene->image;
  const guint16 *pixel = pixel_at (scene, x, y);
  int colours = image_colours (image);
  int least[4] = { G_MAXINT, G_MAXINT, G_MAXINT, G_MAXINT };

  for (int row = MAX (0, y - 1); row <= MIN (y + 1, image->height - 1); row++)
    for (int col = MAX (0, x - 1); col <= MIN (x + 1, image->width - 1); col++)
      if ((row != y || col != x) && *state_at (scene, col, row) == ALIVE)
        keep_least (
          least, level_distance (pixel, pixel_at (scene, col, row), colours));
  if (least[3] == G_MAXINT)
    return 0;
  return (double) (least[0] + least[1] + least[2] + least[3]) / colours
         / image_peak (image);
}

/* Median of the neighbours' own sums, within two pixels. */
static double
usual_distances (const Scene *scene, int x, int y)
{
  double values[25];
  int count = 0;

  for (int row = MAX (0, y - 2); row <= MIN (y + 2, scene->image->height - 1);
       row++)
    for (int col = MAX (0, x - 2); col <= MIN (x + 2, scene->image->width - 1);
         col++)
      if ((row != y || col != x) && *state_at (scene, col, row) == ALIVE)
        values[count++] = ranked_distances (scene, col, row);
  return count > 0 ? quantile (values, count, 0.5) : 0;
}

/* ---- black and white ---- */

/* Whether a black or white pixel differs from its neighbours by more than these
 * do from theirs. */
static gboolean
exceeds_texture (const Scene *scene, int x, int y)
{
  return ranked_distances (scene, x, y)
         > RARE_TIMES * usual_distances (scene, x, y);
}

/* Leaves in @marks those that stand out, and returns how many of them had
 * witnesses.  Where they are @rare, they must stand out from texture, too. */
static gsize
keep_standing_out (const Scene *scene, gboolean rare, Mask *marks)
{
  double least = STANDS_OUT + scene->noise->clipped * scene->floor;
  gsize witnessed = 0;

  for (int y = 0; y < scene->image->height; y++)
    for (int x = 0; x < scene->image->width; x++) {
      gsize i = (gsize) y * (gsize) scene->image->width + (gsize) x;

      if (marks->missing[i]) {
        double value = contrast (scene, x, y);

        witnessed += value >= 0 ? 1 : 0;
        marks->missing[i] =
          value > least && !(rare && !exceeds_texture (scene, x, y));
      }
    }
  return witnessed;
}

/* Judges the pixels of value @extreme, and leaves them named in @marks if they
 * are dead: most of those with witnesses stand out, and those that do are
 * scattered; and if they are only a few, so are all. */
static gboolean
is_dead (const Scene *scene, int extreme, Mask *marks)
{
  gsize count = mark_extreme (scene, extreme, marks);
  gboolean rare = (double) count < RARE * (double) image_pixels (scene->image);
  gsize witnessed = keep_standing_out (scene, rare, marks);
  gsize standing_out = mask_count (marks);

  if (standing_out * 2 <= witnessed || !is_scattered (marks))
    return FALSE;
  mark_extreme (scene, extreme, marks);
  return standing_out * 2 > count || is_scattered (marks);
}

static void
judge_extreme (Scene *scene, int extreme, Mask *marks)
{
  if (!is_dead (scene, extreme, marks))
    return;
  for (gsize i = 0; i < image_pixels (scene->image); i++)
    if (marks->missing[i])
      scene->state[i] = DEAD;
}

/* ---- noise ---- */

/* What a sum must exceed to pass @test where @usual is usual. */
static double
limit (const Scene *scene, const Test *test, double usual)
{
  double most = scene->noise->usual * scene->floor;
  double texture = fmax (0, usual - most);
  double noise = scene->noise->tail * fmin (usual, most);

  return fmax (test->least, test->times * texture + noise) / scene->strength;
}

/* Finds the floor by a sample of pixels that are alive. */
static gboolean
find_floor (Scene *scene, GError **error)
{
  const Image *image = scene->image;
  const Mask ignore = { image->width, image->height, scene->state };
  double level;
  gsize pixels = image_pixels (image), step = 1 + pixels / FLOOR_SAMPLE;
  g_autofree double *values =
    tessera_try_new (double, pixels / step + 1, "measuring noise", error);
  int count = 0;

  if (values == NULL || !image_noise_level (image, &ignore, &level, error))
    return FALSE;

  for (gsize i = 0; i < pixels; i += step)
    if (scene->state[i] == ALIVE)
      values[count++] =
        usual_distances (scene, (int) (i % (gsize) image->width),
                         (int) (i / (gsize) image->width));
  sort_doubles (values, (gsize) count);
  scene->floor = count > 0 ? values[(int) (FLOOR_QUANTILE * count)] : 0;
  scene->floor = fmin (scene->floor, scene->noise->quantile * level / 255);
  return TRUE;
}

/* ---- random values ---- */

static gboolean
passes (const Scene *scene, int x, int y, const Test *test)
{
  double sum;

  if (*state_at (scene, x, y) != ALIVE)
    return FALSE;
  sum = ranked_distances (scene, x, y);
  return sum > limit (scene, test, 0)
         && sum > limit (scene, test, usual_distances (scene, x, y));
}

/* One pass over the picture, by rows. */
typedef struct {
  const Scene *scene;
  const Test *test;
  guint8 *marks; /* one byte per pixel */
} Pass;

/* A quick look at a row comes first, at squares of samples: the sum of the
 * four smallest distances is no larger than that of the four to the pixels
 * above, below, before and behind.  So where no colour of a pixel has a sum
 * above what one colour may have, the pixel fails any test. */
#define LOOK 48 /* samples; a multiple of all numbers of channels */

/* Whether one of the @count samples from @row on differs from those @stride
 * before and behind it and those in the rows @above and @below by more than
 * @most in sum. */
CPU_DISPATCH static gboolean
any_differs (const guint16 *row, const guint16 *above, const guint16 *below,
             int stride, int count, int most)
{
  const guint16 *before = row - stride, *behind = row + stride;
  int differs = 0;

  for (int i = 0; i < count; i++) {
    int sum = ABS (row[i] - above[i]) + ABS (row[i] - below[i])
              + ABS (row[i] - before[i]) + ABS (row[i] - behind[i]);

    differs |= sum > most;
  }
  return differs;
}

static gboolean
all_alive (const guint8 *states, gsize count)
{
  guint8 any = 0;

  for (gsize i = 0; i < count; i++)
    any |= states[i];
  return any == ALIVE;
}

/* Whether the quick look may be taken at row @y. */
static gboolean
may_look (const Scene *scene, int y)
{
  return y > 0 && y + 1 < scene->image->height
         && all_alive (state_at (scene, 0, y - 1),
                       3 * (gsize) scene->image->width);
}

/* The first column behind @x that may pass, as far as a quick look at the next
 * few tells. */
static int
look_on (const Pass *pass, int x, int y)
{
  const Image *image = pass->scene->image;
  int channels = image->channels, columns = LOOK / channels;
  int most =
    (int) (limit (pass->scene, pass->test, 0) * image_peak (image)) - 1;

  while (x > 0 && x + columns < image->width
         && !any_differs (image_pixel (image, x, y),
                          image_pixel (image, x, y - 1),
                          image_pixel (image, x, y + 1), channels, LOOK, most))
    x += columns;
  return x;
}

static void
do_row (const Pass *pass, int y)
{
  const Image *image = pass->scene->image;
  guint8 *marks = pass->marks + (gsize) y * (gsize) image->width;
  gboolean quick = may_look (pass->scene, y);
  int step = LOOK / image->channels;

  memset (marks, 0, (gsize) image->width);
  for (int x = 0; x < image->width; x++) {
    if (quick && x % step == 1)
      x = look_on (pass, x, y);
    marks[x] = passes (pass->scene, x, y, pass->test) ? 1 : 0;
  }
}

static void
do_rows (int chunk, int worker, gpointer data)
{
  const Pass *pass = data;
  int end = MIN ((chunk + 1) * ROWS, pass->scene->image->height);

  (void) worker;
  for (int y = chunk * ROWS; y < end; y++)
    do_row (pass, y);
}

/* Marks in @marks the pixels that pass @test; returns how many do. */
static gsize
do_pass (const Scene *scene, const Test *test, Mask *marks)
{
  Pass pass = { scene, test, marks->missing };

  parallel_for ((scene->image->height + ROWS - 1) / ROWS, do_rows, &pass,
                &scene->quiet, NULL);
  return mask_count (marks);
}

/* @marks is overwritten. */
static gboolean
has_random_values (const Scene *scene, Mask *marks)
{
  double strict = (double) do_pass (scene, &strict_test, marks);

  return strict > LEAST_STRICT * (double) image_pixels (scene->image)
         && is_scattered (marks)
         && strict
              >= LEAST_RANDOM * (double) do_pass (scene, &loose_test, marks);
}

static void
find_random_values (Scene *scene, Mask *marks)
{
  do_pass (scene, &loose_test, marks);
  for (gsize i = 0; i < image_pixels (scene->image); i++)
    if (marks->missing[i])
      scene->state[i] = DEAD;
}

/* ---- all ---- */

/* The floor, as if neither black nor white pixels were there. */
static gboolean
find_floor_of_shades (Scene *scene, GError **error)
{
  gboolean ok;

  for (int y = 0; y < scene->image->height; y++)
    for (int x = 0; x < scene->image->width; x++)
      if (*state_at (scene, x, y) == ALIVE && !is_shade (scene, x, y))
        *state_at (scene, x, y) = DEAD;
  ok = find_floor (scene, error);
  for (gsize i = 0; i < image_pixels (scene->image); i++)
    if (scene->state[i] == DEAD)
      scene->state[i] = ALIVE;
  return ok;
}

/* FALSE once it was cancelled.  Passes over the picture then end early. */
static gboolean
find_dead (Scene *scene, Mask *marks, const Progress *progress, GError **error)
{
  const double share = 1. / (PASSES + 3);

  if (!find_floor_of_shades (scene, error)
      || !progress_step (progress, share, error))
    return FALSE;
  judge_extreme (scene, 0, marks);
  if (!progress_step (progress, 2 * share, error))
    return FALSE;
  judge_extreme (scene, image_peak (scene->image), marks);
  if (!find_floor (scene, error))
    return FALSE;
  if (!has_random_values (scene, marks))
    return progress_step (progress, 1, error);
  for (int pass = 0; pass < PASSES; pass++) {
    if (!progress_step (progress, (pass + 3) * share, error))
      return FALSE;
    find_random_values (scene, marks);
  }
  return progress_step (progress, 1, error);
}

static Mask *
find_dead_pixels (const Image *image, double strength,
                  const Progress *progress, GError **error)
{
  g_autoptr (Mask) mask = mask_new (image->width, image->height, error);
  g_autoptr (Mask) marks = NULL;
  Scene scene = {
    .image = image,
    .strength = strength,
    .quiet = { .cancellable = progress ? progress->cancellable : NULL },
    .noise = image_is_grey (image, NULL) ? &grey_noise : &colour_noise
  };

  if (mask == NULL)
    return NULL;
  marks = mask_new (image->width, image->height, error);
  if (marks == NULL)
    return NULL;
  scene.state = mask->missing;
  for (gsize i = 0; i < image_pixels (image); i++)
    scene.state[i] = image_is_transparent (image, i) ? UNSEEN : ALIVE;
  if (has_shades (&scene) && !find_dead (&scene, marks, progress, error))
    return NULL;
  for (gsize i = 0; i < image_pixels (image); i++)
    mask->missing[i] = scene.state[i] == DEAD;
  return g_steal_pointer (&mask);
}

const Detector detector_dead_pixels = { .name = "dead",
                                        .noun = "damaged pixels",
                                        .find = find_dead_pixels };
