#include "imaging/detect/eye.h"

#include <math.h>

/* Levels of a step; and how much of the smaller one an iris may rise. */
#define LEAST_STEP 12.f
#define MOST_TILT 0.5f

/* Radii in pixels: of a pupil, across an iris, and of the white that is looked
 * at. */
#define LEAST_PUPIL 2
#define MOST_PUPIL 7
#define LEAST_IRIS 4
#define WHITE 2
#define MOST_RADIUS 24

/* Pixels that the middle may be off, either way. */
#define MOST_OFF 2

/* Cosines of the directions; no function that rounds otherwise elsewhere. */
static const double cosine[EYE_DIRECTIONS] = {
  1, 0.92388,  0.70711,  0.38268,  0, -0.38268, -0.70711, -0.92388,
  -1, -0.92388, -0.70711, -0.38268, 0, 0.38268,  0.70711,  0.92388,
};

/* What is seen from a middle: sums of the levels of the first pixels. */
typedef struct {
  int length;
  float sum[EYE_DIRECTIONS][MOST_RADIUS + 1];
} Rays;

static float
level_at (const Image *image, int x, int y)
{
  const guint16 *pixel = image_pixel (image, x, y);
  int colours = image_colours (image), sum = 0;

  for (int c = 0; c < colours; c++)
    sum += pixel[c];
  return (float) sum * 255.f / (float) (colours * image_peak (image));
}

/* FALSE if a ray leaves the picture. */
static gboolean
load_rays (Rays *rays, const Image *image, double x, double y)
{
  for (int d = 0; d < EYE_DIRECTIONS; d++) {
    double across = cosine[d], down = cosine[(d + 12) % EYE_DIRECTIONS];

    rays->sum[d][0] = 0;
    for (int r = 0; r < rays->length; r++) {
      int col = (int) floor (x + r * across + 0.5);
      int row = (int) floor (y + r * down + 0.5);

      if (col < 0 || row < 0 || col >= image->width || row >= image->height)
        return FALSE;
      rays->sum[d][r + 1] = rays->sum[d][r] + level_at (image, col, row);
    }
  }
  return TRUE;
}

static float
mean (const Rays *rays, int d, int from, int end)
{
  return (rays->sum[d][end] - rays->sum[d][from]) / (float) (end - from);
}

/* Which way both steps lead in direction @d, 1 or -1; 0 if they do not. */
static int
way_of_steps (const Rays *rays, int d, int pupil, int iris)
{
  int middle = (pupil + iris + 1) / 2;
  float ring = mean (rays, d, pupil + 1, iris);
  float first = ring - mean (rays, d, 0, pupil);
  float second = mean (rays, d, iris + 1, iris + 1 + WHITE) - ring;
  float tilt =
    mean (rays, d, middle, iris) - mean (rays, d, pupil + 1, middle);

  if (fabsf (first) < LEAST_STEP || fabsf (second) < LEAST_STEP
      || (first > 0) != (second > 0)
      || fabsf (tilt) > MOST_TILT * fminf (fabsf (first), fabsf (second)))
    return 0;
  return first > 0 ? 1 : -1;
}

/* In how many directions there are such steps, all leading the same way. */
static int
count_steps (const Rays *rays, int pupil, int iris)
{
  int lighter = 0, darker = 0;

  for (int d = 0; d < EYE_DIRECTIONS; d++) {
    int way = way_of_steps (rays, d, pupil, iris);

    lighter += way > 0;
    darker += way < 0;
  }
  return MAX (lighter, darker);
}

/* The same for an eye with a pupil or an iris of about @radius. */
static int
most_steps (const Rays *rays, double radius)
{
  int most = 0;

  for (int pupil = LEAST_PUPIL; pupil <= MOST_PUPIL; pupil++)
    for (int iris = MAX (pupil + LEAST_IRIS, (3 * pupil + 1) / 2);
         iris + 1 + WHITE <= rays->length; iris++)
      if (pupil <= 1.3 * radius + 1 && iris <= 2.6 * radius + 4)
        most = MAX (most, count_steps (rays, pupil, iris));
  return most;
}

int
eye_directions (const Image *image, double x, double y, int pixels)
{
  double radius = sqrt (pixels / G_PI);
  Rays rays = { .length = (int) fmin (MOST_RADIUS, 2.6 * radius + 8) };
  int most = 0;

  for (int dy = -MOST_OFF; dy <= MOST_OFF; dy++)
    for (int dx = -MOST_OFF; dx <= MOST_OFF; dx++)
      if (load_rays (&rays, image, x + dx, y + dy))
        most = MAX (most, most_steps (&rays, radius));
  return most;
}
