#include "imaging/veil/rim.h"

#include "imaging/planes.h"

/* What is expected of the square of the error of a fill, as a part of that of a
 * hole as large as the speck. */
#define RING_ERROR 0.6

/* How much what is undone counts at most: neither it nor the fill is ever free of
 * errors. */
#define MOST_WEIGHT 0.7

static void
undo_rim (const VeilScene *scene, const Speck *speck, const Piece *piece,
          const PiecePixel *pixels, const Mask *rims, Image *filled)
{
  double misfit = mark_misfit (&speck->mark, scene, piece, pixels);

  for (guint k = 0; k < piece->count; k++) {
    gsize index = pixels[k].index;
    guint16 *pixel = filled->samples + index * (gsize) filled->channels;
    double before[3], undone[3];

    if (!rims->missing[index] || image_is_transparent (filled, index))
      continue;
    veil_colours (scene, filled, index, before);
    mark_undo (&speck->mark, scene, piece, &pixels[k], misfit, undone);
    for (int c = 0; c < scene->colours; c++) {
      double value = before[c] + MOST_WEIGHT * (undone[c] - before[c]);

      pixel[c] = planes_to_sample (filled, (float) (value / 255));
    }
    image_avoid_key (filled, index);
  }
}

gboolean
image_unveil_rims (const Image *damaged, const Mask *missing, double noise,
                   const GArray *specks, const Mask *rims, Image *filled,
                   const Progress *progress, GError **error)
{
  g_autoptr (Thickness) thickness = thickness_new (damaged, missing, error);
  const VeilScene scene =
    veil_scene (damaged, missing, noise, thickness, filled);
  g_autoptr (GArray) pixels = g_array_new (FALSE, FALSE, sizeof (PiecePixel));

  for (guint i = 0; thickness != NULL && i < specks->len; i++) {
    const Speck *speck = &g_array_index (specks, Speck, i);
    PiecePixel *first;
    Piece piece;

    if (!progress_step (progress, (double) i / specks->len, error))
      return FALSE;
    g_array_set_size (pixels, 0);
    if (!piece_init_speck (&piece, &scene, speck->x, speck->y,
                           speck->mark.colour, pixels))
      continue;
    first = &g_array_index (pixels, PiecePixel, 0);
    for (guint k = 0; k < piece.count; k++)
      first[k].error *= (float) RING_ERROR;
    undo_rim (&scene, speck, &piece, first, rims, filled);
  }
  return thickness != NULL;
}
