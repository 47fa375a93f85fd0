#include "imaging/detect/spotlook.h"

#include <math.h>
#include <string.h>

#define PIXELS (SPECK_WINDOW * SPECK_WINDOW)

/* Sweeps over a membrane; a spot is at most 25 pixels across, most are 10. */
#define SWEEPS 24

/* Overrelaxation, for circles of about ten pixels. */
#define RELAX 1.6f

/* How far a pixel may be from the colour of the spot and still be like it. */
#define LIKE 14
#define SIMILAR 30

/* Part of the way to that colour, beyond which a pixel goes as far. */
#define AS_FAR 0.7f

#define SECTORS 8

/* What is looked at: a window in floats. */
typedef struct {
  SpeckRegion region;
  float seen[PIXELS][3];
  float bridge[PIXELS][3]; /* the membrane, over the spot and its edge */
  int bridged[PIXELS], bridged_count;
  const guint16 *samples;
  gsize channels, next; /* samples to a pixel, and from a colour to the next */
  float unit;           /* levels of 8 bits to a level of the picture */
} Look;

/* Whether pixel @k of the window is in the spot, or next to it. */
static inline gboolean
is_bridged (const Look *look, int k)
{
  return look->region.near[k] == 1 || look->region.near[k] == 2;
}

static inline void
colour_at (const Look *look, gsize i, float colour[3])
{
  const guint16 *pixel = look->samples + i * look->channels;

  for (gsize c = 0; c < 3; c++)
    colour[c] = (float) pixel[c * look->next] * look->unit;
}

#define FOR_WINDOW(look, k)                                                   \
  for (int y_ = (look)->region.top; y_ <= (look)->region.bottom; y_++)        \
    for (int k = y_ * SPECK_WINDOW + (look)->region.left;                     \
         k <= y_ * SPECK_WINDOW + (look)->region.right; k++)

static void
load_window (const Spots *spots, const Spot *spot, Look *look)
{
  SpeckRegion *region = &look->region;
  const Image *image = spots->scene->image;

  look->samples = image->samples;
  look->channels = (gsize) image->channels;
  look->next = image_colours (image) == 1 ? 0 : 1;
  look->unit = 255 / (float) image_peak (image);
  speck_region_put (region, spots->scene, &spot->box,
                    &list_at (spots->pixels, gsize, spot->start),
                    (int) spot->count);
  speck_region_measure (region);
  look->bridged_count = 0;
  FOR_WINDOW (look, k)
  {
    colour_at (look, speck_place (region, k), look->seen[k]);
    if (is_bridged (look, k))
      look->bridged[look->bridged_count++] = k;
  }
}

/* ---- 1. the membrane ---- */

typedef struct {
  int count;
  float mean[3], deviation;
} Part;

/* Turns sums into means; @square is the sum of all squares. */
static void
finish_part (Part *part, float square)
{
  square /= (float) MAX (1, part->count);
  for (int c = 0; c < 3; c++) {
    part->mean[c] /= (float) MAX (1, part->count);
    square -= part->mean[c] * part->mean[c];
  }
  part->deviation = square > 0 ? sqrtf (square) : 0;
}

/* Mean and deviation of the pixels whose distance plus 1 is @least .. @most. */
static Part
part_of (const Look *look, int least, int most)
{
  Part part = { 0 };
  float square = 0;

  SPECK_FOR_NEAR (&look->region, k)
  {
    int near = look->region.near[k];

    if (near < least || near > most)
      continue;
    part.count++;
    for (int c = 0; c < 3; c++) {
      part.mean[c] += look->seen[k][c];
      square += look->seen[k][c] * look->seen[k][c];
    }
  }
  finish_part (&part, square);
  return part;
}

static const int sides[4] = { -1, 1, -SPECK_WINDOW, SPECK_WINDOW };

static gboolean
is_inside (const SpeckRegion *region, int k)
{
  int x = k % SPECK_WINDOW, y = k / SPECK_WINDOW;

  return x >= region->left && x <= region->right && y >= region->top
         && y <= region->bottom;
}

/* Sets pixel @k to the mean of its neighbours, and beyond it. */
static inline void
relax (Look *look, int k, gboolean whole)
{
  float sum[3] = { 0 };
  int count = 0;

  for (int s = 0; s < 4; s++)
    if (whole || is_inside (&look->region, k + sides[s])) {
      const float *level = look->bridge[k + sides[s]];

      count++;
      for (int c = 0; c < 3; c++)
        sum[c] += level[c];
    }
  for (int c = 0; c < 3; c++)
    look->bridge[k][c] +=
      RELAX * (sum[c] / (float) MAX (1, count) - look->bridge[k][c]);
}

static void
bridge_over (Look *look)
{
  const SpeckRegion *region = &look->region;
  gboolean whole = region->left == 0 && region->right == SPECK_WINDOW - 1
                   && region->top == 0 && region->bottom == SPECK_WINDOW - 1;
  Part ring = part_of (look, 3, 3);

  SPECK_FOR_NEAR (&look->region, k)
  memcpy (look->bridge[k], look->seen[k], sizeof look->seen[k]);
  for (int i = 0; i < look->bridged_count; i++)
    memcpy (look->bridge[look->bridged[i]], ring.mean, sizeof ring.mean);
  for (int n = 0; n < SWEEPS; n++)
    for (int i = 0; i < look->bridged_count; i++)
      relax (look, look->bridged[i], whole);
}

/* ---- 2. what covers it ---- */

/* Regression of y on x0 over the pixels of the spot and all colours. */
static void
describe_blend (const Look *look, float f[5])
{
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, slope, left;

  for (int i = 0; i < look->region.count; i++) {
    int k = look->region.pixels[i];

    for (int c = 0; c < 3; c++) {
      double a = look->bridge[k][c], b = look->seen[k][c];

      n++;
      x += a;
      y += b;
      xx += a * a;
      xy += a * b;
      yy += b * b;
    }
  }
  xx -= x * x / n;
  xy -= x * y / n;
  yy -= y * y / n;
  /* A little variance keeps the slope finite where x0 has none. */
  slope = xy / (xx + 4 * n);
  left = yy - slope * xy;
  f[0] = (float) slope;
  f[1] = (float) ((y - slope * x) / n / MAX (0.1, 1 - slope)); /* the shade */
  f[2] = (float) sqrt (MAX (0, left) / n);
  f[3] = (float) sqrt (MAX (0, yy) / n);
  f[4] = (float) sqrt (MAX (0, xx) / n);
}

/* Mean, deviation and extremes of the shares of the way from the membrane to
 * the colour of the spot, over some pixels. */
typedef struct {
  int count;
  float sum, squares, least, most;
} Shares;

static void
shares_add (Shares *shares, float share)
{
  shares->count++;
  shares->sum += share;
  shares->squares += share * share;
  shares->least = MIN (shares->least, share);
  shares->most = MAX (shares->most, share);
}

static float
shares_mean (const Shares *shares)
{
  return shares->count > 0 ? shares->sum / (float) shares->count : 0;
}

static float
shares_deviation (const Shares *shares)
{
  float mean = shares_mean (shares), square;

  square = shares->squares / (float) MAX (1, shares->count) - mean * mean;
  return square > 0 ? sqrtf (square) : 0;
}

static gboolean
is_border (const SpeckRegion *region, int k)
{
  for (int s = 0; s < 4; s++)
    if (region->near[k + sides[s]] != 1)
      return TRUE;
  return FALSE;
}

static float
share_at (const Look *look, int k, const float way[3], float square)
{
  float product = 0;

  for (int c = 0; c < 3; c++)
    product += way[c] * (look->seen[k][c] - look->bridge[k][c]);
  return product / square;
}

static void
describe_edge (const Look *look, const float way[3], float square, float f[9])
{
  Shares core = { .least = 9, .most = -9 }, border = core, rim = core;
  float aside = 0;

  for (int i = 0; i < look->bridged_count; i++) {
    int k = look->bridged[i];
    float share = share_at (look, k, way, square), rest = 0;

    if (look->region.near[k] == 2) {
      shares_add (&rim, share);
      for (int c = 0; c < 3; c++) {
        float d = look->seen[k][c] - look->bridge[k][c] - share * way[c];

        rest += d * d;
      }
      aside += rest;
    } else
      shares_add (is_border (&look->region, k) ? &border : &core, share);
  }
  f[0] = shares_mean (&rim);
  f[1] = shares_deviation (&rim);
  f[2] = rim.least;
  f[3] = rim.most;
  f[4] = shares_mean (&border);
  f[5] = border.least;
  f[6] = shares_deviation (core.count > 3 ? &core : &border);
  f[7] = core.count > 0 ? shares_mean (&core) : border.most;
  f[8] = aside / (float) MAX (1, rim.count) / square;
}

/* ---- 3. the same shape elsewhere ---- */

typedef struct {
  int count;       /* places that are within the picture */
  float contrasts; /* squares summed up */
  float largest;
  float deviations, least_deviation;
  float nearest; /* colour of a place to that of the spot */
} Elsewhere;

/* The pixels of the window at one distance from the spot. */
typedef struct {
  int count;
  int x[PIXELS], y[PIXELS]; /* in the picture */
} Shape;

static void
shape_of (const Look *look, int near, Shape *shape)
{
  const SpeckRegion *region = &look->region;

  shape->count = 0;
  for (int row = region->y0 - 2; row <= region->y1 + 2; row++)
    for (int col = region->x0 - 2; col <= region->x1 + 2; col++)
      if (region->near[row * SPECK_WINDOW + col] == near) {
        shape->x[shape->count] = region->x + col - SPECK_REACH;
        shape->y[shape->count++] = region->y + row - SPECK_REACH;
      }
}

/* Mean and deviation of the pixels of @shape, moved by @dx, @dy.  FALSE if
 * most are outside the picture. */
static gboolean
moved_mean (const Look *look, const Shape *shape, int dx, int dy, Part *part)
{
  const Image *image = look->region.scene->image;
  float square = 0;

  *part = (Part){ 0 };
  for (int k = 0; k < shape->count; k++) {
    int x = shape->x[k] + dx, y = shape->y[k] + dy;
    float colour[3];

    if (x < 0 || y < 0 || x >= image->width || y >= image->height)
      continue;
    colour_at (look, (gsize) y * (gsize) image->width + (gsize) x, colour);
    part->count++;
    for (int c = 0; c < 3; c++) {
      part->mean[c] += colour[c];
      square += colour[c] * colour[c];
    }
  }
  if (2 * part->count <= shape->count)
    return FALSE;
  finish_part (part, square);
  return TRUE;
}

static float
square_distance (const float a[3], const float b[3])
{
  float square = 0;

  for (int c = 0; c < 3; c++)
    square += (a[c] - b[c]) * (a[c] - b[c]);
  return square;
}

/* Pixels between a spot and its shape elsewhere. */
#define APART 3

static void
look_elsewhere (const Look *look, const float inside[3], Elsewhere *elsewhere)
{
  const SpeckRegion *region = &look->region;
  int across = region->x1 - region->x0 + 1 + APART;
  int down = region->y1 - region->y0 + 1 + APART;

  Shape spot, rim;

  shape_of (look, 1, &spot);
  shape_of (look, 3, &rim);
  *elsewhere = (Elsewhere){ .least_deviation = 255, .nearest = 500 };
  for (int v = -1; v <= 1; v++)
    for (int h = -1; h <= 1; h++) {
      Part there, around;
      float square;

      if ((v == 0 && h == 0)
          || !moved_mean (look, &spot, h * across, v * down, &there)
          || !moved_mean (look, &rim, h * across, v * down, &around))
        continue;
      square = square_distance (there.mean, around.mean);
      elsewhere->count++;
      elsewhere->contrasts += square;
      elsewhere->largest = MAX (elsewhere->largest, square);
      elsewhere->deviations += there.deviation;
      elsewhere->least_deviation =
        MIN (elsewhere->least_deviation, there.deviation);
      elsewhere->nearest =
        MIN (elsewhere->nearest, sqrtf (square_distance (there.mean, inside)));
    }
}

static void
describe_elsewhere (const Look *look, const Part *inside, const Part *ring,
                    float f[6])
{
  Elsewhere elsewhere;
  float contrast = sqrtf (square_distance (inside->mean, ring->mean)), places;

  look_elsewhere (look, inside->mean, &elsewhere);
  places = (float) MAX (1, elsewhere.count);
  f[0] = contrast / (sqrtf (elsewhere.contrasts / places) + 2);
  f[1] = contrast / (sqrtf (elsewhere.largest) + 2);
  f[2] = (inside->deviation + 1) / (elsewhere.deviations / places + 1);
  f[3] = (inside->deviation + 1) / (elsewhere.least_deviation + 1);
  f[4] = elsewhere.nearest;
  f[5] = sqrtf (elsewhere.contrasts / places);
}

/* ---- 4. its colour around ---- */

static float
largest_difference (const float a[3], const float b[3])
{
  float r = fabsf (a[0] - b[0]), g = fabsf (a[1] - b[1]),
        s = fabsf (a[2] - b[2]);

  return MAX (MAX (r, g), s);
}

/* Steps between pixels and the next ones in their rows. */
typedef struct {
  int count;
  float sum;
} Steps;

static void
add_step (const Look *look, int k, Steps *steps)
{
  steps->count++;
  steps->sum += largest_difference (look->seen[k], look->seen[k + 1]);
}

static void
describe_steps (const Look *look, float f[4])
{
  Steps in = { 0 }, out = { 0 };

  FOR_WINDOW (look, k)
  {
    if (k % SPECK_WINDOW == look->region.right)
      continue;
    if (look->region.near[k] == 1 && look->region.near[k + 1] == 1)
      add_step (look, k, &in);
    else if (!is_bridged (look, k) && !is_bridged (look, k + 1))
      add_step (look, k, &out);
  }
  f[0] = in.sum / (float) MAX (1, in.count);
  f[1] = out.sum / (float) MAX (1, out.count);
  f[2] = (f[0] + 1) / (f[1] + 1);
  f[3] = (float) in.count / (float) look->region.count;
}

/* Shares of the window outside that have the colour of the spot, nearly have
 * it, or go as far from what is around it the same way. */
static void
describe_window (const Look *look, const float inside[3], const float ring[3],
                 float f[3])
{
  int like = 0, similar = 0, beyond = 0, outside = 0;
  float way[3], square = 1;

  for (int c = 0; c < 3; c++) {
    way[c] = inside[c] - ring[c];
    square += way[c] * way[c];
  }
  FOR_WINDOW (look, k)
  {
    float difference = largest_difference (look->seen[k], inside), product = 0;

    if (is_bridged (look, k))
      continue;
    for (int c = 0; c < 3; c++)
      product += way[c] * (look->seen[k][c] - ring[c]);
    outside++;
    like += difference <= LIKE;
    similar += difference <= SIMILAR;
    beyond += product > AS_FAR * square;
  }
  f[0] = (float) like / (float) MAX (1, outside);
  f[1] = (float) similar / (float) MAX (1, outside);
  f[2] = (float) beyond / (float) MAX (1, outside);
}

/* Over eight sides, the least share of the contrast that the pixels 2 and 3
 * away have, and how many sides have less than half of it. */
static void
describe_sides (const Look *look, const float inside[3], const float way[3],
                float square, float f[2])
{
  float sum[SECTORS] = { 0 };
  int count[SECTORS] = { 0 };

  SPECK_FOR_NEAR (&look->region, k)
  {
    int dx = k % SPECK_WINDOW - SPECK_REACH,
        dy = k / SPECK_WINDOW - SPECK_REACH;
    int s = (dx > 0) + 2 * (dy > 0) + 4 * (ABS (dx) > ABS (dy));

    if (look->region.near[k] != 3 && look->region.near[k] != 4)
      continue;
    count[s]++;
    for (int c = 0; c < 3; c++)
      sum[s] += way[c] * (inside[c] - look->seen[k][c]) / square;
  }
  f[0] = 9;
  f[1] = 0;
  for (int s = 0; s < SECTORS; s++)
    if (count[s] > 0) {
      f[0] = MIN (f[0], sum[s] / (float) count[s]);
      f[1] += sum[s] / (float) count[s] < 0.5f;
    }
}

/* ---- all of it ---- */

static void
describe_shape (const Look *look, const Spot *spot, float f[3])
{
  int across = spot->box.width, down = spot->box.height, edges = 0;

  for (int i = 0; i < look->region.count; i++)
    for (int s = 0; s < 4; s++)
      edges += look->region.near[look->region.pixels[i] + sides[s]] != 1;
  f[0] = (float) edges / sqrtf ((float) spot->count);
  f[1] = (float) spot->count / (float) (across * down);
  f[2] = (float) MAX (across, down) / (float) MIN (across, down);
}

/* The way from the membrane to the colour of the spot, in the mean, and its
 * square. */
static float
way_of (const Look *look, const float inside[3], float bridge[3], float way[3])
{
  float square = 1;

  for (int c = 0; c < 3; c++) {
    bridge[c] = 0;
    for (int i = 0; i < look->region.count; i++)
      bridge[c] += look->bridge[look->region.pixels[i]][c];
    bridge[c] /= (float) look->region.count;
    way[c] = inside[c] - bridge[c];
    square += way[c] * way[c];
  }
  return square;
}

gboolean
spot_look (const Spots *spots, const Spot *spot, float f[SPOT_LOOKS])
{
  Look look;
  Part inside, ring, wide;
  float bridge[3], way[3], square;

  load_window (spots, spot, &look);
  inside = part_of (&look, 1, 1);
  ring = part_of (&look, 3, 3);
  wide = part_of (&look, 3, 5);
  if (ring.count == 0)
    return FALSE;
  bridge_over (&look);
  square = way_of (&look, inside.mean, bridge, way);
  f[0] = sqrtf (square);
  f[1] = grey_of (inside.mean) - grey_of (bridge);
  f[2] = grey_of (inside.mean);
  f[3] = chroma_of (inside.mean);
  f[4] = chroma_of (bridge);
  f[5] = (float) spot->count;
  f[6] = wide.deviation;
  f[7] = (inside.deviation + 1) / (wide.deviation + 2);
  describe_blend (&look, f + 8);
  describe_edge (&look, way, square, f + 13);
  describe_elsewhere (&look, &inside, &ring, f + 22);
  describe_window (&look, inside.mean, ring.mean, f + 28);
  describe_steps (&look, f + 31);
  describe_sides (&look, inside.mean, way, square, f + 35);
  describe_shape (&look, spot, f + 37);
  return TRUE;
}

/* ---- its outline ---- */

/* The least cover of its soft edge, as a part of that of the spot.  What is
 * marked without need is looked through (veil.h) and loses little. */
#define EDGE_COVER 0.07f

void
spot_mark (const Spots *spots, const Spot *spot, Mask *mask)
{
  Look look;
  float bridge[3], way[3], square;

  load_window (spots, spot, &look);
  bridge_over (&look);
  square = way_of (&look, part_of (&look, 1, 1).mean, bridge, way);
  for (int i = 0; i < look.bridged_count; i++) {
    int k = look.bridged[i];

    gsize place = speck_place (&look.region, k);

    if ((look.region.near[k] == 1
         || share_at (&look, k, way, square) >= EDGE_COVER)
        && !image_is_transparent (spots->scene->image, place))
      mask->missing[place] = MASK_PIXEL;
  }
}
