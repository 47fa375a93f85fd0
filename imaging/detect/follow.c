#include "imaging/detect/follow.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

#define AHEAD 10       /* pixels that decide on the direction */
#define STEP 2         /* pixels that are gone at a time */
#define TURNS 4        /* directions to each side, TURN_SINE apart */
#define TURN_SINE 0.06f
#define TURN_PRICE 0.1f /* of a turn squared, in evidence */
#define SIDES 2         /* places to each side, SIDESTEP apart */
#define SIDESTEP 0.5f
#define SIDESTEP_PRICE 0.15f

/* Pixels of a line without new evidence, and evidence against it, at which it
 * ends. */
#define MOST_GAP 24
#define MOST_AGAINST 6.f

#define MOST_STEPS 600

/* Pixels from the rim of a line to the background. */
#define ASIDE 2.5f

/* Variance of noise, and what is believed of 1 - a with its weight. */
#define NOISE 40.f
#define THROUGH 0.3f
#define THROUGH_WEIGHT 100.f
#define MOST_THROUGH 0.8f

/* Neighbouring pixels and colours say much the same. */
#define EVIDENCE_SHARE 0.3f
#define MOST_EVIDENCE 2.f

/* Cover is looked at up to REACH pixels from the middle, as the mean of SMOOTH
 * steps either way; where a line differs from the background by less than the
 * root of SECTION_NOISE, it counts little. */
#define REACH 5
#define SUBPIXELS 4
#define SMOOTH 3
#define MOST_SHIFT 1.5f
#define SECTION_NOISE 600.f

/* Pixels from where the cover is half to where it ends. */
#define RIM 0.35f

#define LEAST_PROFILES 8 /* to know a line by */
#define FIT_ROUNDS 3
#define OUTLIER 150.f /* square of a difference that counts half */

/* What a scratch looks like. */
typedef struct {
  const Image *image;
  const Mask *marked; /* other scratches */
  int colours;
  float scale;    /* from samples to 0 .. 255 */
  float through;  /* 1 - a */
  float added[3]; /* a s */
  float half;     /* of its width */
} Stroke;

typedef struct {
  float x, y;
  float dx, dy; /* direction, of length 1 */
} Pen;

/* The line and its sides at one place. */
typedef struct {
  float line[3], left[3], right[3];
  gboolean is_inside; /* both sides are in the picture */
  gboolean is_hidden; /* by another scratch */
} Profile;

/* The colours at a place between pixels.  FALSE outside the picture, which goes
 * on for half a pixel from the middle of its outermost ones.  Places inside are
 * never so far below 0 that to cut off the fraction is not to round down: of
 * this function there are hundreds of calls to a pixel of a line. */
static inline __attribute__ ((always_inline)) gboolean
colours_at (const Stroke *stroke, int colours, float x, float y, float out[3])
{
  const Image *image = stroke->image;
  int x0, y0, step = image->channels;
  float u, v, scale = stroke->scale;
  const guint16 *a, *b;

  if (!(x >= -0.5f && x < (float) image->width - 0.5f && y >= -0.5f
        && y < (float) image->height - 0.5f))
    return FALSE;
  x0 = MIN ((int) x, image->width - 2);
  y0 = MIN ((int) y, image->height - 2);
  u = CLAMP (x - (float) x0, 0, 1);
  v = CLAMP (y - (float) y0, 0, 1);
  a = image_pixel (image, x0, y0);
  b = image_pixel (image, x0, y0 + 1);
  for (int c = 0; c < colours; c++) {
    float top = (1 - u) * (float) a[c] + u * (float) a[c + step];
    float low = (1 - u) * (float) b[c] + u * (float) b[c + step];

    out[c] = scale * ((1 - v) * top + v * low);
  }
  return TRUE;
}

/* The place must be inside. */
static inline gboolean
is_marked (const Mask *mask, float x, float y)
{
  gsize col = (gsize) (int) (x + 0.5f), row = (gsize) (int) (y + 0.5f);

  return mask->missing[row * (gsize) mask->width + col] != 0;
}

/* For a number of colours that is known where it is inlined. */
static inline __attribute__ ((always_inline)) gboolean
profile_of (const Stroke *stroke, int colours, const Pen *pen, float ahead,
            Profile *profile)
{
  float x = pen->x + ahead * pen->dx, y = pen->y + ahead * pen->dy;
  float aside = stroke->half + ASIDE;
  float sx = -pen->dy * aside, sy = pen->dx * aside;
  gboolean left, right;

  if (!colours_at (stroke, colours, x, y, profile->line))
    return FALSE;
  left = colours_at (stroke, colours, x - sx, y - sy, profile->left);
  right = colours_at (stroke, colours, x + sx, y + sy, profile->right);
  profile->is_inside = left && right;
  left = left && !is_marked (stroke->marked, x - sx, y - sy);
  right = right && !is_marked (stroke->marked, x + sx, y + sy);
  profile->is_hidden =
    (!left && !right) || is_marked (stroke->marked, x, y);
  if (!left)
    memcpy (profile->left, right ? profile->right : profile->line,
            sizeof profile->left);
  if (!right)
    memcpy (profile->right, profile->left, sizeof profile->right);
  return TRUE;
}

/* A side that is outside of the picture, or that another scratch covers, is
 * taken to be like the other one.  FALSE if the line is outside. */
static gboolean
profile_at (const Stroke *stroke, const Pen *pen, float ahead,
            Profile *profile)
{
  return stroke->colours == 3
           ? profile_of (stroke, 3, pen, ahead, profile)
           : profile_of (stroke, stroke->colours, pen, ahead, profile);
}

/* ---- 1. what it looks like ---- */

/* A pen in the middle of @segment that points along it. */
static Pen
pen_at (const Segment *segment)
{
  float n = (float) segment->rows, middle = 0.5f * (n - 1);
  float sum = 0, slope = 0, squares = 0, length;
  Pen pen;

  for (int i = 0; i < segment->rows; i++) {
    float row = (float) i - middle;

    sum += (float) segment->core[i];
    slope += row * (float) segment->core[i];
    squares += row * row;
  }
  slope /= MAX (squares, 1);
  length = sqrtf (1 + slope * slope);
  pen = (Pen){ sum / n, (float) segment->top + middle, slope / length,
               1 / length };
  return segment->turned ? (Pen){ pen.y, pen.x, pen.dy, pen.dx } : pen;
}

static inline float
ground_of (const Profile *profile, int colour)
{
  return 0.5f * (profile->left[colour] + profile->right[colour]);
}

/* How likely, as a weight of at most 1, @profile is part of @stroke. */
static float
weight_of (const Stroke *stroke, const Profile *profile)
{
  float distance = 0;

  for (int c = 0; c < stroke->colours; c++) {
    float d = profile->line[c] - stroke->through * ground_of (profile, c)
              - stroke->added[c];

    distance += d * d / (float) stroke->colours;
  }
  return 1 / (1 + distance / OUTLIER);
}

/* Least squares for opacity and colour, with a @weight for each profile. */
static void
fit_weighted (Stroke *stroke, const Profile *profiles, const float *weights,
              int count)
{
  float total = 0, line[3] = { 0 }, ground[3] = { 0 };
  float product, square;

  for (int i = 0; i < count; i++) {
    total += weights[i];
    for (int c = 0; c < stroke->colours; c++) {
      line[c] += weights[i] * profiles[i].line[c];
      ground[c] += weights[i] * ground_of (&profiles[i], c);
    }
  }
  product = THROUGH * THROUGH_WEIGHT * total;
  square = THROUGH_WEIGHT * total;
  for (int i = 0; i < count; i++)
    for (int c = 0; c < stroke->colours; c++) {
      float g = ground_of (&profiles[i], c) - ground[c] / total;

      product += weights[i] * g * (profiles[i].line[c] - line[c] / total);
      square += weights[i] * g * g;
    }
  stroke->through = CLAMP (product / square, 0, MOST_THROUGH);
  for (int c = 0; c < stroke->colours; c++)
    stroke->added[c] = (line[c] - stroke->through * ground[c]) / total;
}

/* Fits @stroke to profiles of which those that differ count less and less. */
static void
fit_stroke (Stroke *stroke, const Profile *profiles, int count)
{
  g_autofree float *weights = g_new (float, count);

  for (int i = 0; i < count; i++)
    weights[i] = 1;
  for (int round = 0; round < FIT_ROUNDS; round++) {
    fit_weighted (stroke, profiles, weights, count);
    for (int i = 0; i < count; i++)
      weights[i] = weight_of (stroke, &profiles[i]);
  }
}

/* FALSE if too little of @segment lies within the picture. */
static gboolean
stroke_init (Stroke *stroke, const Image *image, const Mask *marked,
             const Segment *segment, const Pen *pen)
{
  g_autofree Profile *profiles = g_new (Profile, segment->rows);
  float along = segment->turned ? pen->dx : pen->dy;
  int count = 0;

  *stroke = (Stroke){ .image = image,
                      .marked = marked,
                      .colours = image_colours (image),
                      .scale = 255.f / (float) image_peak (image) };
  stroke->half = 0.5f * along * (float) (segment->left + segment->right);
  for (int i = 0; i < segment->rows; i++) {
    float x = (float) segment->core[i], y = (float) (segment->top + i);
    Pen here = { x, y, pen->dx, pen->dy };

    if (segment->turned)
      here = (Pen){ y, x, pen->dx, pen->dy };
    count += profile_at (stroke, &here, 0, &profiles[count])
             && profiles[count].is_inside;
  }
  if (count < LEAST_PROFILES)
    return FALSE;
  fit_stroke (stroke, profiles, count);
  return TRUE;
}

/* ---- 2. the way ---- */

/* How much @profile speaks for a scratch where the texture has @variance. */
static float
evidence_of (const Stroke *stroke, const Profile *profile, float variance)
{
  float with = stroke->through * stroke->through * variance + NOISE;
  float without = variance + NOISE;
  float spread = (without - with) / (without + with), sum = 0;

  for (int c = 0; c < stroke->colours; c++) {
    float left = profile->left[c], right = profile->right[c];
    float line = profile->line[c];
    float g = line - CLAMP (line, MIN (left, right), MAX (left, right));
    float p =
      line - stroke->through * 0.5f * (left + right) - stroke->added[c];

    sum += spread + 0.5f * (g * g / without - p * p / with);
  }
  sum *= EVIDENCE_SHARE * 3 / (float) stroke->colours;
  return CLAMP (sum, -MOST_EVIDENCE, MOST_EVIDENCE);
}

/* The evidence of the AHEAD pixels before @pen, and of the first STEP of them;
 * FALSE if the way leads out of the picture. */
static gboolean
look_ahead (const Stroke *stroke, const Pen *pen, float *all, float *first)
{
  Profile profiles[AHEAD];
  float variance = 0;
  int count = 0;

  while (count < AHEAD
         && profile_at (stroke, pen, (float) (count + 1), &profiles[count]))
    count++;
  if (count < STEP)
    return FALSE;
  for (int i = 2; i < count; i++)
    for (int c = 0; c < stroke->colours; c++) {
      float l = profiles[i].left[c] - profiles[i - 2].left[c];
      float r = profiles[i].right[c] - profiles[i - 2].right[c];

      variance += 0.25f * (l * l + r * r) / (float) (count * stroke->colours);
    }
  *all = *first = 0;
  for (int i = 0; i < count; i++) {
    float e = evidence_of (stroke, &profiles[i], variance);

    if (profiles[i].is_hidden)
      e = MAX (e, 0);

    *all += e;
    *first += i < STEP ? e : 0;
  }
  return TRUE;
}

/* A pen turned and moved aside, what speaks for it and for its next step. */
typedef struct {
  Pen pen;
  float evidence, first;
} Choice;

/* Replaces @best by @pen, @turn turned and @side moved, if that is better. */
static void
try_pen (const Stroke *stroke, const Pen *pen, int turn, int side,
         Choice *best)
{
  float sine = TURN_SINE * (float) turn, aside = SIDESTEP * (float) side;
  float dx = pen->dx - sine * pen->dy, dy = pen->dy + sine * pen->dx;
  float length = sqrtf (dx * dx + dy * dy);
  Pen next = { pen->x - aside * pen->dy, pen->y + aside * pen->dx, dx / length,
               dy / length };
  float all, first;

  if (!look_ahead (stroke, &next, &all, &first))
    return;
  all -= TURN_PRICE * (float) (turn * turn)
         + SIDESTEP_PRICE * (float) (side * side);
  if (all > best->evidence)
    *best = (Choice){ next, all, first };
}

/* Moves @pen by STEP where most speaks for it; what does comes back in
 * @evidence.  FALSE at the edge of the picture. */
static gboolean
advance (const Stroke *stroke, Pen *pen, float *evidence)
{
  Choice turned = { .evidence = -G_MAXFLOAT }, best;

  for (int turn = -TURNS; turn <= TURNS; turn++)
    try_pen (stroke, pen, turn, 0, &turned);
  if (turned.evidence == -G_MAXFLOAT)
    return FALSE;
  best = turned;
  for (int side = -SIDES; side <= SIDES; side++)
    try_pen (stroke, &turned.pen, 0, side, &best);
  *pen = best.pen;
  *evidence = best.first;
  pen->x += STEP * pen->dx;
  pen->y += STEP * pen->dy;
  return TRUE;
}

/* Goes from @pen as long as there is evidence; returns the count of @way. */
static int
follow (const Stroke *stroke, Pen pen, Pen way[MOST_STEPS])
{
  float sum = 0, most = 0;
  int kept = 0, steps = 0;

  while (steps < MOST_STEPS) {
    float evidence = 0;

    if (!advance (stroke, &pen, &evidence))
      break;
    way[steps++] = pen;
    sum += evidence;
    if (sum > most) {
      most = sum;
      kept = steps;
    }
    if (sum < most - MOST_AGAINST || (steps - kept) * STEP > MOST_GAP)
      break;
  }
  return kept;
}

/* ---- 3. its exact place and width ---- */

/* The cover of the places across a line, SUBPIXELS to a pixel. */
#define SECTION (2 * REACH * SUBPIXELS + 1)
typedef struct {
  float cover[SECTION];
} Section;

/* The cover across the line at @pen, times how well it can be told there. */
static void
cut_across (const Stroke *stroke, const Pen *pen, Section *section)
{
  float toward[3], ground[3], square = 1, share;
  Profile profile;

  if (!profile_at (stroke, pen, 0, &profile))
    return;
  for (int c = 0; c < stroke->colours; c++) {
    ground[c] = 0.5f * (profile.left[c] + profile.right[c]);
    toward[c] = stroke->added[c] - (1 - stroke->through) * ground[c];
    square += toward[c] * toward[c];
  }
  share = square / (square + SECTION_NOISE);
  for (int k = 0; k < SECTION; k++) {
    float aside = (float) k / SUBPIXELS - REACH, cover = 0, colour[3];

    if (!colours_at (stroke, stroke->colours, pen->x - aside * pen->dy,
                     pen->y + aside * pen->dx, colour))
      continue;
    for (int c = 0; c < stroke->colours; c++)
      cover += (colour[c] - ground[c]) * toward[c] / square;
    section->cover[k] = share * CLAMP (cover, -0.2f, 1.2f);
  }
}

/* Pixels from the middle to where the cover falls below half its peak, on the
 * side where @step, 1 or -1, leads. */
static float
half_width (const Section *section, int step)
{
  int middle = REACH * SUBPIXELS, k = middle;
  float peak = 0, before = 0, here;

  for (int i = middle - SUBPIXELS; i <= middle + SUBPIXELS; i++)
    peak = MAX (peak, section->cover[i]);
  for (here = section->cover[k]; here > 0.5f * peak; here = section->cover[k]) {
    before = here;
    k += step;
    if (k < 0 || k >= SECTION)
      return REACH;
  }
  if (k == middle)
    return 0;
  return ((float) ((k - step - middle) * step)
          + (before - 0.5f * peak) / (before - here))
         / SUBPIXELS;
}

/* Moves the places of @way to the middle of the line, and returns half of its
 * width: the median, as another line may be near. */
static float
centre_way (const Stroke *stroke, Pen *way, int count)
{
  g_autofree Section *sections = g_new0 (Section, count);
  g_autofree float *halves = g_new0 (float, count + 1);

  for (int i = 0; i < count; i++)
    cut_across (stroke, &way[i], &sections[i]);
  for (int i = 0; i < count; i++) {
    int first = MAX (0, i - SMOOTH), last = MIN (i + SMOOTH, count - 1);
    Section mean = { 0 };
    float left, right, by;

    for (int j = first; j <= last; j++)
      for (int k = 0; k < SECTION; k++)
        mean.cover[k] += sections[j].cover[k];
    left = half_width (&mean, -1);
    right = half_width (&mean, 1);
    by = CLAMP (0.5f * (right - left), -MOST_SHIFT, MOST_SHIFT);
    way[i].x -= by * way[i].dy;
    way[i].y += by * way[i].dx;
    halves[i] = 0.5f * (left + right);
  }
  sort_floats (halves, (gsize) count);
  return halves[count / 2];
}

/* Marks what lies within @reach of @x, @y. */
static void
press (float x, float y, float reach, Mask *mask)
{
  int right = MIN (mask->width - 1, (int) floorf (x + reach));
  int bottom = MIN (mask->height - 1, (int) floorf (y + reach));

  for (int row = MAX (0, (int) ceilf (y - reach)); row <= bottom; row++)
    for (int col = MAX (0, (int) ceilf (x - reach)); col <= right; col++) {
      float dx = (float) col - x, dy = (float) row - y;

      if (dx * dx + dy * dy <= reach * reach)
        mask->missing[(gsize) row * (gsize) mask->width + (gsize) col] =
          MASK_PIXEL;
    }
}

static void
mark_way (const Pen *way, int count, float half, Mask *mask)
{
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 2 * STEP; k++)
      press (way[i].x - 0.5f * (float) k * way[i].dx,
             way[i].y - 0.5f * (float) k * way[i].dy, half + RIM, mask);
}

void
scratch_follow (const Image *image, const Segment *segment, Mask *mask)
{
  Pen pen = pen_at (segment), way[MOST_STEPS];
  Stroke stroke;

  if (image->width < 2 || image->height < 2
      || !stroke_init (&stroke, image, mask, segment, &pen))
    return;
  for (int end = 0; end < 2; end++) {
    int count = follow (&stroke, pen, way);

    mark_way (way, count, centre_way (&stroke, way, count), mask);
    pen.dx = -pen.dx;
    pen.dy = -pen.dy;
  }
}
