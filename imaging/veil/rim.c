#include "imaging/veil/rim.h"

#include "imaging/planes.h"

/* What is expected of the square of the error of a fill, as a part of that of a
 * hole as large as the speck. */
#define RING_ERROR 0.6

/* How much of what is undone is kept: what is taken for certain seldom is. */
#define MOST_WEIGHT 0.7

/* Leaves those of the @pixels of a speck that are of its rim. */
static void
keep_rim (const Mask *rims, List *pixels)
{
  PiecePixel *pixel = &list_at (pixels, PiecePixel, 0);
  guint kept = 0;

  for (guint k = 0; k < pixels->len; k++)
    if (rims->missing[pixel[k].index]) {
      pixel[kept] = pixel[k];
      pixel[kept++].error *= (float) RING_ERROR;
    }
  list_cut (pixels, kept);
}

static void
undo_rim (const VeilScene *scene, const Mark *mark, const Piece *piece,
          const List *pixels, Image *filled)
{
  const PiecePixel *at = &list_at (pixels, PiecePixel, 0);
  double misfit = mark_misfit (mark, scene, at, pixels->len);

  for (guint k = 0; k < pixels->len; k++, at++) {
    guint16 *pixel = filled->samples + at->index * (gsize) filled->channels;
    double before[3], undone[3];

    if (image_is_transparent (filled, at->index))
      continue;
    veil_colours (scene, filled, at->index, before);
    mark_undo (mark, scene, piece, at, misfit, undone);
    for (int c = 0; c < scene->colours; c++) {
      double value = before[c] + MOST_WEIGHT * (undone[c] - before[c]);

      pixel[c] = planes_to_sample (filled, (float) (value / 255));
    }
    image_avoid_key (filled, at->index);
  }
}

gboolean
image_unveil_rims (const Image *damaged, const Mask *missing, double noise,
                   const List *specks, const Mask *rims, Image *filled,
                   const Progress *progress, GError **error)
{
  g_autoptr (Thickness) thickness = thickness_new (damaged, missing, error);
  const VeilScene scene =
    veil_scene (damaged, missing, noise, thickness, filled);
  g_autoptr (List) pixels = list_new (sizeof (PiecePixel), NULL);

  if (thickness == NULL)
    return FALSE;
  for (guint i = 0; i < specks->len; i++) {
    const VeiledSpeck *speck = &list_at (specks, VeiledSpeck, i);
    Piece piece;

    if (!progress_step (progress, (double) i / specks->len, error))
      return FALSE;
    list_cut (pixels, 0);
    if (!piece_init_speck (&piece, &scene, speck->x, speck->y,
                           speck->mark.colour, pixels))
      continue;
    keep_rim (rims, pixels);
    undo_rim (&scene, &speck->mark, &piece, pixels, filled);
  }
  return list_check (pixels, "what is seen through", error);
}
