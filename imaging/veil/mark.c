#include "imaging/veil/mark.h"

#include <math.h>

#define MOST_COVER 0.98

/* From this cover on, what is left of the picture is worse than the fill. */
#define OPAQUE_COVER 0.9

/* Errors of shapes: their variance counts by this factor, as errors are not
 * independent; outlines are not exact; a misfit beyond MISFIT is something
 * else. */
#define SHAPE_DEPENDENCE 3.
#define SHAPE_SPREAD 0.03
#define MISFIT 0.3
#define LEAST_SQUARE 25.

/* Square of the difference to the fill, as a multiple of what is expected, at
 * which what was undone counts half. */
#define DISAGREEMENT 9.

/* A pixel with what is known of its cover. */
typedef struct {
  double damaged[3], filled[3];
  double square;          /* |b - x0|^2 */
  double shaped;          /* cover by the shape */
  double own, own_spread; /* cover that makes x the fill, and its variance */
} Covered;

static Covered
look_at (const Mark *mark, const VeilScene *scene, const PiecePixel *pixel)
{
  Covered at = { .square = LEAST_SQUARE,
                 .shaped = MIN (mark->cover * pixel->share, MOST_COVER) };
  double open = 1 - at.shaped;

  veil_colours (scene, scene->damaged, pixel->index, at.damaged);
  veil_colours (scene, scene->filled, pixel->index, at.filled);
  for (int c = 0; c < scene->colours; c++) {
    double way = mark->colour[c] - at.filled[c];

    at.own += way * (at.damaged[c] - at.filled[c]);
    at.square += way * way;
  }
  at.own /= at.square;
  at.own_spread = scene->colours
                  * (open * open * pixel->error + scene->noise) / at.square;
  return at;
}

double
mark_misfit (const Mark *mark, const VeilScene *scene,
             const PiecePixel *pixels, guint count)
{
  double sum = 0, weights = 1e-9;

  for (guint k = 0; k < count; k++) {
    Covered at = look_at (mark, scene, &pixels[k]);
    double r = at.own - at.shaped;

    sum += (MIN (r * r, MISFIT * MISFIT) - at.own_spread) / at.own_spread;
    weights += 1 / at.own_spread;
  }
  return MAX (sum / weights, 0);
}

/* The cover of a pixel, of both estimates. */
static double
find_cover (const Covered *at, const PiecePixel *pixel, double misfit)
{
  double shape = SHAPE_DEPENDENCE * (double) pixel->variance + misfit
                 + (pixel->share > 0 ? SHAPE_SPREAD * SHAPE_SPREAD : 0);
  double a = (at->shaped * at->own_spread + CLAMP (at->own, 0, 1) * shape)
             / (at->own_spread + shape);

  return CLAMP (a, 0, MOST_COVER);
}

/* How much what is undone with cover @a counts next to the fill. */
static double
weight_of (const Mark *mark, const VeilScene *scene, const Piece *piece,
           const PiecePixel *pixel, const Covered *at, double a,
           const double undone[3])
{
  double open = 1 - a, detail = 0, disagreement = 0, scaled, variance;

  for (int c = 0; c < scene->colours; c++) {
    detail += (undone[c] - piece->ground[c]) * (undone[c] - piece->ground[c])
              / scene->colours;
    disagreement += (undone[c] - at->filled[c]) * (undone[c] - at->filled[c])
                    / scene->colours;
  }
  /* An error of A leaves the mean as it is and stretches what differs. */
  scaled = a / mark->cover * mark->spread / open;
  variance = scene->noise / (open * open) - scene->noise
             + detail * scaled * scaled;
  disagreement /= DISAGREEMENT * ((double) pixel->error + scene->noise);
  if (a >= OPAQUE_COVER)
    return 0;
  return pixel->error / (pixel->error + variance)
         / (1 + disagreement * disagreement);
}

void
mark_undo (const Mark *mark, const VeilScene *scene, const Piece *piece,
           const PiecePixel *pixel, double misfit, double out[3])
{
  Covered at = look_at (mark, scene, pixel);
  double a = find_cover (&at, pixel, misfit), undone[3], weight;

  for (int c = 0; c < scene->colours; c++)
    undone[c] = (at.damaged[c] - a * mark->colour[c]) / (1 - a);
  weight = weight_of (mark, scene, piece, pixel, &at, a, undone);
  for (int c = 0; c < scene->colours; c++) {
    double value = at.filled[c] + weight * (undone[c] - at.filled[c]);

    out[c] = CLAMP (value, 0, 255);
  }
}
