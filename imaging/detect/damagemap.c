#include "imaging/detect/damagemap.h"

#include "base/error.h"
#include "imaging/detect/damagenet.h"
#include "imaging/halve.h"

#include <math.h>
#include <string.h>

/* Pictures up to this size are looked at as they are; larger ones also at
 * reduced sizes, the smallest of which is no larger. */
#define WHOLE_PIXELS (1 << 20)
#define MAX_LEVELS 12

/* A look is at tiles of TILE pixels, which overlap their neighbours by MARGIN
 * on each side: examples to learn from were no larger than six margins. */
#define TILE 448
#define MARGIN 32

/* At full size only tiles are looked at in which this likelihood was reached
 * at half the size, 2.5 logits: others have no marks. */
#define SUSPECT (LIKELIHOOD_ZERO + 5 * LIKELIHOOD_UNIT / 2)

void
damage_map_free (DamageMap *map)
{
  if (map == NULL)
    return;
  g_free (map->likelihood);
  g_free (map->opacity);
  g_free (map->kind);
  g_free (map);
}

static DamageMap *
map_new (int width, int height, GError **error)
{
  g_autoptr (DamageMap) map = g_new0 (DamageMap, 1);
  gsize size = (gsize) width * (gsize) height;

  map->width = width;
  map->height = height;
  map->likelihood = tessera_try_new (guint8, size, "finding damage", error);
  if (map->likelihood == NULL)
    return NULL;
  map->opacity = tessera_try_new (guint8, size, "finding damage", error);
  if (map->opacity == NULL)
    return NULL;
  map->kind = tessera_try_new (guint8, size, "finding damage", error);
  if (map->kind == NULL)
    return NULL;
  memset (map->likelihood, 0, size);
  memset (map->opacity, 0, size);
  memset (map->kind, 0, size);
  return g_steal_pointer (&map);
}

/* ---- 1. tiles ---- */

typedef struct {
  const DamageNet *net;
  const Image *image;
  DamagePass pass;
  DamageMap *map;
  const float *context;
} Look;

/* The length of a pass over @size pixels. */
static int
pass_length (int size)
{
  int length = MIN (size, TILE + 2 * MARGIN);

  return (length + DAMAGENET_STEP - 1) / DAMAGENET_STEP * DAMAGENET_STEP;
}

static int
tiles_in (int size)
{
  return size <= TILE + 2 * MARGIN ? 1 : (size + TILE - 1) / TILE;
}

/* The part of the picture whose results tile number @tile gives. */
static ImageArea
tile_area (const Image *image, int tile)
{
  int across = tiles_in (image->width), down = tiles_in (image->height);
  int x = tile % across * TILE, y = tile / across * TILE;

  return (ImageArea){
    x, y, across == 1 ? image->width : MIN (TILE, image->width - x),
    down == 1 ? image->height : MIN (TILE, image->height - y)
  };
}

/* Where the pass of a tile begins: a margin before it, if there is one.  The
 * last one ends at the end of the picture or up to a step behind it. */
static int
pass_start (int at, int size)
{
  int last = MAX (0, size - TILE - 2 * MARGIN);

  last = (last + DAMAGENET_STEP - 1) / DAMAGENET_STEP * DAMAGENET_STEP;
  return CLAMP (at - MARGIN, 0, last) / DAMAGENET_STEP * DAMAGENET_STEP;
}

/* @i, or what it is the mirror image of, in 0 .. @size - 1. */
static int
mirrored (int i, int size)
{
  int period = 2 * size;

  i = (i % period + period) % period;
  return MIN (i, period - 1 - i);
}

/* Loads the pixels from (@left, @top); what is outside of the picture is its
 * mirror image. */
static void
load (Look *look, int left, int top)
{
  const Image *image = look->image;
  float scale = 1.f / (float) image_peak (image);
  int last = image_colours (image) - 1;

  for (int y = 0; y < look->pass.height; y++)
    for (int x = 0; x < look->pass.width; x++) {
      const guint16 *pixel =
        image_pixel (image, mirrored (left + x, image->width),
                     mirrored (top + y, image->height));
      float *to = damage_pass_pixel (&look->pass, x, y);

      to[0] = scale * (float) pixel[last] - 0.5f;
      to[1] = scale * (float) pixel[last / 2] - 0.5f;
      to[2] = scale * (float) pixel[0] - 0.5f;
    }
}

static guint8
to_byte (float value)
{
  return (guint8) (CLAMP (value, 0.f, 255.f) + 0.5f);
}

static int
likeliest_kind (const float *numbers)
{
  int best = 0;

  for (int k = 1; k < DAMAGENET_KINDS; k++)
    if (numbers[k] > numbers[best])
      best = k;
  return best;
}

/* Takes over the outputs for a pixel, at (@x, @y) of the pass, where they are
 * likelier than what the map has. */
static void
take_pixel (const Look *look, int x, int y, gsize i)
{
  const float *square = damage_pass_square (&look->pass, x, y);
  int corner = 2 * (y % 2) + x % 2;
  guint8 likelihood =
    to_byte (LIKELIHOOD_ZERO + LIKELIHOOD_UNIT * square[corner]);

  if (likelihood <= look->map->likelihood[i])
    return;
  look->map->likelihood[i] = likelihood;
  look->map->opacity[i] = to_byte (255 / (1 + expf (-square[4 + corner])));
  look->map->kind[i] = (guint8) likeliest_kind (square + 8);
}

static void
look_at_tile (Look *look, int tile)
{
  ImageArea area = tile_area (look->image, tile);
  int left = pass_start (area.x, look->image->width);
  int top = pass_start (area.y, look->image->height);

  g_assert (area.x + area.width - left <= look->pass.width
            && area.y + area.height - top <= look->pass.height);
  load (look, left, top);
  damagenet_run (look->net, &look->pass, look->context);
  for (int y = area.y; y < area.y + area.height; y++)
    for (int x = area.x; x < area.x + area.width; x++)
      take_pixel (look, x - left, y - top,
                  (gsize) y * (gsize) look->image->width + (gsize) x);
}

/* ---- 2. levels ---- */

/* The mean over the picture that the network asks for. */
static gboolean
find_context (Look *look, float *context, const Progress *progress,
              GError **error)
{
  int tiles = tiles_in (look->image->width) * tiles_in (look->image->height);
  double sum[DAMAGENET_CONTEXT] = { 0 };
  gsize places = 0;

  for (int tile = 0; tile < tiles; tile++) {
    ImageArea area = tile_area (look->image, tile);
    int left = pass_start (area.x, look->image->width);
    int top = pass_start (area.y, look->image->height);

    load (look, left, top);
    places +=
      damagenet_add_context (look->net, &look->pass, area.x - left,
                             area.y - top, area.width, area.height, sum);
    if (!progress_step (progress, (double) tile / tiles, error))
      return FALSE;
  }
  for (int c = 0; c < DAMAGENET_CONTEXT; c++)
    context[c] = (float) (sum[c] / (double) places);
  return TRUE;
}

/* Whether something was seen in a tile so far. */
static gboolean
is_suspect (const Look *look, int tile)
{
  ImageArea area = tile_area (look->image, tile);

  for (int y = area.y; y < area.y + area.height; y++) {
    const guint8 *row =
      look->map->likelihood + (gsize) y * (gsize) look->map->width;

    for (int x = area.x; x < area.x + area.width; x++)
      if (row[x] >= SUSPECT)
        return TRUE;
  }
  return FALSE;
}

static gboolean
look_at_level (Look *look, gboolean suspects_only, const Progress *progress,
               GError **error)
{
  int tiles = tiles_in (look->image->width) * tiles_in (look->image->height);

  for (int tile = 0; tile < tiles; tile++) {
    if (!suspects_only || is_suspect (look, tile))
      look_at_tile (look, tile);
    if (!progress_step (progress, (tile + 1.) / tiles, error))
      return FALSE;
  }
  return TRUE;
}

/* A byte of a plane of half the size, linear between the middles of pixels. */
static guint8
byte_between (const guint8 *half, int width, int height, int x, int y)
{
  int near_x = x / 2, near_y = y / 2;
  int far_x = CLAMP (near_x + (x % 2 == 0 ? -1 : 1), 0, width - 1);
  int far_y = CLAMP (near_y + (y % 2 == 0 ? -1 : 1), 0, height - 1);
  const guint8 *a = half + (gsize) near_y * (gsize) width;
  const guint8 *b = half + (gsize) far_y * (gsize) width;

  return (
    guint8) ((3 * (3 * a[near_x] + a[far_x]) + 3 * b[near_x] + b[far_x] + 8)
             / 16);
}

/* The map of a picture of @width x @height from that of half its size. */
static DamageMap *
enlarge (const DamageMap *half, int width, int height, GError **error)
{
  DamageMap *map = map_new (width, height, error);

  if (map == NULL)
    return NULL;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      gsize i = (gsize) y * (gsize) width + (gsize) x;

      map->likelihood[i] =
        byte_between (half->likelihood, half->width, half->height, x, y);
      map->opacity[i] =
        byte_between (half->opacity, half->width, half->height, x, y);
      map->kind[i] =
        half->kind[(gsize) (y / 2) * (gsize) half->width + (gsize) (x / 2)];
    }
  return map;
}

/* The picture at its full size and at half the size before, until it is small.
 */
typedef struct {
  const Image *image[MAX_LEVELS];
  int count;
} Levels;

static gboolean
levels_init (Levels *levels, const Image *image, GError **error)
{
  static const float grey[3] = { 0.5f, 0.5f, 0.5f };

  *levels = (Levels){ { image }, 1 };
  while ((gint64) image->width * image->height > WHOLE_PIXELS
         && levels->count < MAX_LEVELS) {
    image = image_halve (image, image_colours (image), grey, error);
    if (image == NULL)
      return FALSE;
    levels->image[levels->count++] = image;
  }
  return TRUE;
}

static void
levels_clear (Levels *levels)
{
  for (int i = 1; i < levels->count; i++)
    image_free ((Image *) levels->image[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Levels, levels_clear)

/* Adds what is seen at level @level to @map, which is replaced. */
static gboolean
refine (const DamageNet *net, const Levels *levels, int level, float *context,
        DamageMap **map, const Progress *progress, GError **error)
{
  const Image *image = levels->image[level];
  gboolean is_first = level == levels->count - 1;
  g_autoptr (DamageMap) finer =
    is_first ? map_new (image->width, image->height, error)
             : enlarge (*map, image->width, image->height, error);
  Look look = { .net = net, .image = image, .map = finer, .context = context };
  gboolean ok =
    finer != NULL
    && damage_pass_init (&look.pass, pass_length (image->width),
                         pass_length (image->height), error)
    && (!is_first || find_context (&look, context, NULL, error))
    && look_at_level (&look, level < levels->count - 2, progress, error);

  damage_pass_clear (&look.pass);
  if (!ok)
    return FALSE;
  damage_map_free (*map);
  *map = g_steal_pointer (&finer);
  return TRUE;
}

DamageMap *
damage_map_new (const Image *image, const Progress *progress, GError **error)
{
  g_auto (DamageNet) net = { 0 };
  g_auto (Levels) levels = { 0 };
  g_autoptr (DamageMap) map = NULL;
  float context[DAMAGENET_CONTEXT];
  double done = 0;

  if (!damagenet_load (&net, error) || !levels_init (&levels, image, error))
    return NULL;
  for (int level = levels.count - 1; level >= 0; level--) {
    double next = pow (0.25, level);
    ProgressPart share = { progress, done, next };
    Progress part = progress_part (&share);

    if (!refine (&net, &levels, level, context, &map, &part, error))
      return NULL;
    done = next;
  }
  return g_steal_pointer (&map);
}
