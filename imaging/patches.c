#include "imaging/patches.h"

#include <string.h>

/* Coordinate of the last place along a side of length @length. */
static int
last_place (int length, const PlaceGrid *grid)
{
  return MAX (-grid->margin, length - grid->patch + grid->margin);
}

static int
places_along (int length, const PlaceGrid *grid)
{
  int reach = last_place (length, grid) + grid->margin;

  return (reach + grid->step - 1) / grid->step + 1;
}

/* Coordinate of place number @i; the last one is moved to the edge. */
static int
place_number (int i, int length, const PlaceGrid *grid)
{
  return MIN (i * grid->step - grid->margin, last_place (length, grid));
}

/* Adds rows @from .. @to - 1 of @touch, as far as there are such, to the
 * counts of each column. */
static void
count_rows (int *columns, const guint8 *touch, int width, int height, int from,
            int to, int sign)
{
  for (int y = MAX (0, from); y < MIN (to, height); y++)
    for (int x = 0; x < width; x++)
      if (touch[(gsize) y * (gsize) width + (gsize) x])
        columns[x] += sign;
}

static void
places_of_row (GArray *places, const int *columns, int width, int y,
               const PlaceGrid *grid)
{
  for (int i = 0; i < places_along (width, grid); i++) {
    Place place = { place_number (i, width, grid), y };
    int right = MIN (place.x + grid->patch, width);

    for (int x = MAX (0, place.x); x < right; x++)
      if (columns[x] > 0) {
        g_array_append_val (places, place);
        break;
      }
  }
}

GArray *
patch_places (const guint8 *touch, int width, int height,
              const PlaceGrid *grid)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (Place));
  g_autofree int *columns = g_new0 (int, width);
  int above = -grid->margin, below = -grid->margin; /* rows now counted */

  for (int i = 0; i < places_along (height, grid); i++) {
    int y = place_number (i, height, grid);

    count_rows (columns, touch, width, height, below, y + grid->patch, 1);
    count_rows (columns, touch, width, height, above, y, -1);
    above = y;
    below = y + grid->patch;
    places_of_row (places, columns, width, y, grid);
  }
  return places;
}

/* The part of a patch that lies in the picture. */
typedef struct {
  int left, right, top, bottom;
} Inside;

static Inside
inside (const Planes *planes, Place place, int patch)
{
  return (Inside){
    .left = MAX (0, place.x),
    .right = MIN (place.x + patch, planes->width),
    .top = MAX (0, place.y),
    .bottom = MIN (place.y + patch, planes->height),
  };
}

void
patch_get (const Planes *planes, const Planes *trust, Place place, int patch,
           int first, int count, float *y, float *w)
{
  Inside in = inside (planes, place, patch);
  gsize size = (gsize) (patch * patch * count) * sizeof (float);

  memset (y, 0, size);
  memset (w, 0, size);
  for (int c = 0; c < count; c++)
    for (int row = in.top; row < in.bottom; row++) {
      const float *from = planes_at (planes, first + c, 0, row);
      const float *sure = planes_at (trust, first + c, 0, row);
      int offset = (c * patch + row - place.y) * patch - place.x;

      for (int x = in.left; x < in.right; x++) {
        w[offset + x] = sure[x];
        y[offset + x] = sure[x] > 0 ? from[x] : 0;
      }
    }
}

void
patch_add (Planes *sum, Planes *weights, Place place, int patch, int first,
           int count, const float *y, float weight)
{
  Inside in = inside (sum, place, patch);

  for (int c = 0; c < count; c++)
    for (int row = in.top; row < in.bottom; row++) {
      float *to = planes_at (sum, first + c, 0, row);
      float *total = planes_at (weights, first + c, 0, row);
      int offset = (c * patch + row - place.y) * patch - place.x;

      for (int x = in.left; x < in.right; x++) {
        to[x] += weight * y[offset + x];
        total[x] += weight;
      }
    }
}
