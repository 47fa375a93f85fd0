#include "imaging/veil/veil.h"

#include "base/error.h"
#include "imaging/detect/marks.h"
#include "imaging/planes.h"
#include "imaging/veil/inside.h"

#include <math.h>
#include <stdlib.h>

/* Every pixel is within this of one that has a piece, by rows and columns. */
#define STEP 4

/* Pieces of one scratch: no further apart, and of nearly one direction and
 * colour. */
#define ALONG 36.
#define SAME_DIRECTION 0.93
#define SAME_CONTRAST 0.5

/* What is believed of A before, and its standard deviation; errors that the
 * regression takes for independent are not, by this factor; and no cover is
 * known better than that. */
#define USUAL_COVER 0.7
#define USUAL_SPREAD 0.15
#define DEPENDENCE 9.
#define LEAST_SPREAD 0.04
#define LEAST_COVER 0.05

/* Levels that the colour of a mark may be beyond black and white. */
#define BEYOND 3.

/* Sums over the pieces that a pixel is part of. */
typedef struct {
  float colours[3], weight;
} Sum;

typedef struct {
  VeilScene scene;
  List *pieces;   /* Piece, from top to bottom */
  List *pixels;   /* PiecePixel of all pieces; then of one speck at a time */
  guint32 *slots; /* of pixels 0, SLOT_STEP, ..: how many before them are seen
                     through */
  Sum *sums;      /* of each pixel that is seen through */
} Veil;

/* A number for each pixel would take more memory than the mask and its sums. */
#define SLOT_STEP 64

static gboolean
is_through (const Veil *veil, gsize i)
{
  return (veil->scene.missing->missing[i] & MASK_THROUGH) != 0;
}

/* The sum of pixel @i, which is seen through. */
static Sum *
sum_of (const Veil *veil, gsize i)
{
  gsize slot = veil->slots[i / SLOT_STEP];

  for (gsize j = i / SLOT_STEP * SLOT_STEP; j < i; j++)
    slot += is_through (veil, j);
  return &veil->sums[slot];
}

static void
veil_clear (Veil *veil)
{
  g_clear_pointer (&veil->pieces, list_free);
  g_clear_pointer (&veil->pixels, list_free);
  g_clear_pointer (&veil->slots, g_free);
  g_clear_pointer (&veil->sums, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Veil, veil_clear)

static gboolean
veil_init (Veil *veil, const VeilScene *scene, GError **error)
{
  gsize pixels = image_pixels (scene->damaged), count = 0;

  veil->scene = *scene;
  veil->pieces = list_new (sizeof (Piece), NULL);
  veil->pixels = list_new (sizeof (PiecePixel), NULL);
  veil->slots = g_try_new (guint32, pixels / SLOT_STEP + 1);
  for (gsize i = 0; veil->slots != NULL && i < pixels; i++) {
    if (i % SLOT_STEP == 0)
      veil->slots[i / SLOT_STEP] = (guint32) count;
    count += is_through (veil, i);
  }
  veil->sums = g_try_new0 (Sum, count + 1);
  return (veil->slots != NULL && veil->sums != NULL)
         || tessera_fail (error, TESSERA_ERROR_MEMORY,
                          "not enough memory to see through marks");
}

/* ---- 1. pieces ---- */

/* Notes that the pixels of @piece near its middle need no other one. */
static void
take (const Veil *veil, const Piece *piece, guint8 *taken)
{
  gsize width = (gsize) veil->scene.missing->width;

  for (guint k = 0; k < piece->count; k++) {
    gsize i =
      list_at (veil->pixels, PiecePixel, piece->first + k).index;

    if (abs ((int) (i % width) - piece->x) <= STEP
        && abs ((int) (i / width) - piece->y) <= STEP)
      taken[i] = 1;
  }
}

static gboolean
cut_pieces (Veil *veil, const Progress *progress, GError **error)
{
  const Mask *missing = veil->scene.missing;
  g_autoptr (Mask) taken = mask_new (missing->width, missing->height, error);

  if (taken == NULL)
    return FALSE;
  for (int y = 0; y < missing->height; y++) {
    if (!progress_step (progress, (double) y / missing->height, error))
      return FALSE;
    for (int x = 0; x < missing->width; x++) {
      gsize i = (gsize) y * (gsize) missing->width + (gsize) x;
      Piece piece;

      if (!(missing->missing[i] & MASK_THROUGH) || taken->missing[i]
          || !piece_init (&piece, &veil->scene, x, y, veil->pixels))
        continue;
      list_append (veil->pieces, &piece, 1);
      take (veil, &piece, taken->missing);
    }
  }
  return list_check (veil->pieces, "what is seen through", error)
         && list_check (veil->pixels, "what is seen through", error);
}

/* ---- 2. cover and colour ---- */

/* How much @other says about the cover of @piece, 0 .. 1. */
static double
kinship (const Piece *piece, const Piece *other)
{
  double dx = piece->x - other->x, dy = piece->y - other->y;
  double distance = sqrt (dx * dx + dy * dy);
  double direction = piece->dx * other->dx + piece->dy * other->dy;
  double product = 0, own = 0, theirs = 0;

  if (piece == other)
    return 1;
  if (!piece->is_line || !other->is_line || distance >= ALONG
      || fabs (direction) <= SAME_DIRECTION)
    return 0;
  for (int c = 0; c < 3; c++) {
    product += piece->contrast[c] * other->contrast[c];
    own += piece->contrast[c] * piece->contrast[c];
    theirs += other->contrast[c] * other->contrast[c];
  }
  return product > SAME_CONTRAST * sqrt (own * theirs) ? 1 - distance / ALONG
                                                       : 0;
}

/* The least cover with which the colour of the mark is a colour. */
static double
least_cover (const Piece *piece, int colours)
{
  double least = LEAST_COVER;

  for (int c = 0; c < colours; c++) {
    double limit = piece->contrast[c] > 0 ? 255 + BEYOND : -BEYOND;

    least = MAX (least, piece->contrast[c] / (limit - piece->ground[c]));
  }
  return MIN (least, 1);
}

static Mark
find_mark (const Veil *veil, guint number)
{
  const Piece *pieces = (const Piece *) (void *) veil->pieces->data;
  const Piece *piece = &pieces[number];
  double prior = 1 / (USUAL_SPREAD * USUAL_SPREAD);
  double square = 0, product = 0;
  guint first = number, end = number;
  Mark mark;

  while (first > 0 && pieces[first - 1].y > piece->y - ALONG)
    first--;
  while (end < veil->pieces->len && pieces[end].y < piece->y + ALONG)
    end++;
  for (guint j = first; j < end; j++) {
    double share = kinship (piece, &pieces[j]);

    square += share * pieces[j].square / DEPENDENCE;
    product += share * pieces[j].product / DEPENDENCE;
  }
  mark.cover = (product + prior * USUAL_COVER) / (square + prior);
  mark.spread =
    sqrt (1 / (square + prior) + LEAST_SPREAD * LEAST_SPREAD);
  if (piece->is_opaque)
    mark.cover = 1;
  mark.cover =
    CLAMP (mark.cover, least_cover (piece, veil->scene.colours), 1);
  for (int c = 0; c < 3; c++)
    mark.colour[c] = piece->ground[c] + piece->contrast[c] / mark.cover;
  return mark;
}

/* ---- 3. pixels ---- */

static void
add_result (Veil *veil, const Piece *piece, const Mark *mark)
{
  const PiecePixel *pixels =
    &list_at (veil->pixels, PiecePixel, piece->first);
  gsize width = (gsize) veil->scene.missing->width;
  double misfit = mark_misfit (mark, &veil->scene, pixels, piece->count);

  for (guint k = 0; k < piece->count; k++) {
    Sum *sum = sum_of (veil, pixels[k].index);
    double dx = (double) (pixels[k].index % width) - piece->x;
    double dy = (double) (pixels[k].index / width) - piece->y;
    double weight =
      MAX (1 - sqrt (dx * dx + dy * dy) / (PIECE_RADIUS + 1), 0.02);
    double undone[3];

    mark_undo (mark, &veil->scene, piece, &pixels[k], misfit, undone);
    sum->weight += (float) weight;
    for (int c = 0; c < veil->scene.colours; c++)
      sum->colours[c] += (float) (weight * undone[c]);
  }
}

/* ---- 4. insides of specks ---- */

/* Looks at the inside of the speck at @x, @y; its pixels are all that veil has
 * then. */
static gboolean
look_inside (Veil *veil, int x, int y, Piece *piece, Inside *inside)
{
  list_cut (veil->pixels, 0);
  return piece_init_speck (piece, &veil->scene, x, y, NULL, veil->pixels)
         && inside_init (inside, &veil->scene, piece,
                         &list_at (veil->pixels, PiecePixel, 0));
}

/* The specks that have an inside, and their votes on the factor of q. */
static gboolean
find_specks (Veil *veil, List *specks, double votes[OPACITY_NOISES],
             const Progress *progress, GError **error)
{
  const Mask *missing = veil->scene.missing;
  g_autoptr (List) pixels = list_new (sizeof (gsize), NULL);
  g_auto (BytePlane) left = { 0 };

  if (!byte_plane_init (&left, missing->width, missing->height, error))
    return FALSE;
  for (gsize i = 0; i < byte_plane_size (&left); i++)
    left.data[i] = missing->missing[i] & MASK_THROUGH;
  for (gsize i = 0; i < byte_plane_size (&left); i++) {
    const VeiledSpeck speck = { .x = (int) (i % (gsize) left.width),
                                .y = (int) (i / (gsize) left.width) };
    Inside inside;
    Piece piece;

    if (speck.x == 0
        && !progress_step (progress, (double) speck.y / left.height, error))
      return FALSE;
    if (!left.data[i])
      continue;
    byte_plane_collect (&left, i, NULL, NULL, pixels);
    if (!list_check (pixels, "the pixels of a speck", error))
      return FALSE;
    if (pixels->len > SHAPE_PIXELS
        || !look_inside (veil, speck.x, speck.y, &piece, &inside))
      continue;
    opacity_vote (&inside.opacity, votes);
    list_append (specks, &speck, 1);
  }
  return list_check (specks, "specks", error);
}

/* Puts what is below the inside of @speck in place of what pieces say, and
 * sets its mark; @votes are those of all specks.  FALSE if nothing shines
 * through. */
static gboolean
undo_speck (Veil *veil, VeiledSpeck *speck, const double votes[OPACITY_NOISES],
            Mask *rims)
{
  double own[OPACITY_NOISES] = { 0 };
  Inside inside;
  Piece piece;

  if (!look_inside (veil, speck->x, speck->y, &piece, &inside)
      || piece.is_opaque)
    return FALSE;
  opacity_vote (&inside.opacity, own);
  for (int j = 0; j < OPACITY_NOISES; j++)
    own[j] = votes[j] - own[j];
  opacity_settle (&inside.opacity, own);
  speck->mark = inside_mark (&inside, veil->scene.colours);
  for (guint k = 0; k < piece.count; k++)
    rims->missing[list_at (veil->pixels, PiecePixel, k).index] =
      MASK_PIXEL;
  for (int i = 0; i < inside.count; i++) {
    gsize index = inside.pixels[i].pixel->index;
    Sum *sum = sum_of (veil, index);
    double colours[3] = { 0 };

    inside_undo (&inside, veil->scene.colours, i, colours);
    rims->missing[index] = 0;
    *sum = (Sum){ { (float) colours[0], (float) colours[1],
                    (float) colours[2] },
                  1 };
  }
  return TRUE;
}

static gboolean
undo_insides (Veil *veil, List *specks, Mask *rims,
              const Progress *progress, GError **error)
{
  ProgressPart parts[2] = { { progress, 0, 0.5 }, { progress, 0.5, 1 } };
  Progress finding = progress_part (&parts[0]);
  Progress undoing = progress_part (&parts[1]);
  double votes[OPACITY_NOISES] = { 0 };
  guint undone = 0;

  if (!find_specks (veil, specks, votes, &finding, error))
    return FALSE;
  for (guint i = 0; i < specks->len; i++) {
    VeiledSpeck speck = list_at (specks, VeiledSpeck, i);

    if (!progress_step (&undoing, (double) i / specks->len, error))
      return FALSE;
    if (undo_speck (veil, &speck, votes, rims))
      list_at (specks, VeiledSpeck, undone++) = speck;
  }
  list_cut (specks, undone);
  return list_check (veil->pixels, "what is seen through", error);
}

/* ---- 5. all of it ---- */

static void
write_back (const Veil *veil, Image *filled)
{
  const Sum *next = veil->sums;

  for (gsize i = 0; i < image_pixels (filled); i++) {
    guint16 *pixel = filled->samples + i * (gsize) filled->channels;
    const Sum *sum = next;

    if (!is_through (veil, i))
      continue;
    next++;
    if (sum->weight == 0 || image_is_transparent (filled, i))
      continue;
    for (int c = 0; c < veil->scene.colours; c++)
      pixel[c] =
        planes_to_sample (filled, sum->colours[c] / sum->weight / 255.f);
    image_avoid_key (filled, i);
  }
}

gboolean
image_unveil (const Image *damaged, const Mask *missing, double noise,
              Image *filled, List *specks, Mask *rims,
              const Progress *progress, GError **error)
{
  g_autoptr (Thickness) thickness = thickness_new (damaged, missing, error);
  const VeilScene scene =
    veil_scene (damaged, missing, noise, thickness, filled);
  g_auto (Veil) veil = { 0 };
  ProgressPart parts[2] = { { progress, 0, 0.5 }, { progress, 0.5, 1 } };
  Progress cutting = progress_part (&parts[0]);
  Progress looking = progress_part (&parts[1]);

  if (thickness == NULL || !veil_init (&veil, &scene, error)
      || !cut_pieces (&veil, &cutting, error))
    return FALSE;
  for (guint i = 0; i < veil.pieces->len; i++) {
    const Mark mark = find_mark (&veil, i);

    add_result (&veil, &list_at (veil.pieces, Piece, i), &mark);
  }
  if (!undo_insides (&veil, specks, rims, &looking, error))
    return FALSE;
  write_back (&veil, filled);
  return TRUE;
}
