#include "imaging/detect/damagemap.h"

#include "base/error.h"
#include "imaging/detect/damagenet.h"
#include "imaging/halve.h"

#include <math.h>
#include <string.h>

/* Pictures up to WHOLE_PIXELS are looked at as they are; larger ones also at
 * reduced sizes, the smallest of which has at most SMALLEST_PIXELS: on a large
 * scan, even a scratch may be wide. */
#define WHOLE_PIXELS (1 << 20)
#define SMALLEST_PIXELS (1 << 19)
#define MAX_LEVELS 12

/* A look is at tiles of at most MAX_TILE pixels a side, which overlap their
 * neighbours by MARGIN on each side: examples to learn from were no larger
 * than six margins. */
#define MAX_TILE 448
#define MARGIN 32

/* At the finest sizes only tiles are looked at that have a mark already, or
 * would have one if the threshold were lower by this many logits. */
#define SUSPECT 1.

/* How the odds of a pixel depend on the share of the picture that is damaged:
 * see damage_map_threshold().  Chosen on photographs kept out of the learning,
 * sound and damaged by simulation. */
#define OFFSET 2.
#define GAIN 0.65
#define FIRST_SHARE 0.05
#define MIN_SHARE 1e-9
#define ROUNDS 30

void
damage_map_free (DamageMap *map)
{
  if (map == NULL)
    return;
  g_free (map->likelihood);
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
  map->kind = tessera_try_new (guint8, size, "finding damage", error);
  if (map->kind == NULL)
    return NULL;
  memset (map->likelihood, 0, size);
  memset (map->kind, 0, size);
  return g_steal_pointer (&map);
}

/* ---- 1. tiles ---- */

/* The network and its transposed one; the mean of what they say depends less on
 * how a picture is turned, and is more often right. */
enum { AS_LEARNED, MIRRORED, NETS };

typedef struct {
  DamageNet net[NETS];
  float context[NETS][DAMAGENET_CONTEXT];
} Nets;

static gboolean
nets_load (Nets *nets, GError **error)
{
  return damagenet_load (&nets->net[AS_LEARNED], error)
         && damagenet_transpose (&nets->net[AS_LEARNED], &nets->net[MIRRORED],
                                 error);
}

static void
nets_clear (Nets *nets)
{
  for (int i = 0; i < NETS; i++)
    damagenet_clear (&nets->net[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Nets, nets_clear)

typedef struct {
  Nets *nets;
  const Image *image;
  DamagePass pass;
  float *sums; /* of the outputs of all networks, for each square */
  DamageMap *map;
} Look;

static gsize
outputs_of (const DamagePass *pass)
{
  return (gsize) (pass->width / 2) * (gsize) (pass->height / 2)
         * DAMAGENET_OUTPUTS;
}

static gboolean
look_init (Look *look, int width, int height, GError **error)
{
  if (!damage_pass_init (&look->pass, width, height, error))
    return FALSE;
  look->sums =
    tessera_try_new (float, outputs_of (&look->pass), "finding damage", error);
  return look->sums != NULL;
}

static void
look_clear (Look *look)
{
  damage_pass_clear (&look->pass);
  g_free (look->sums);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Look, look_clear)

static int
round_up (int size)
{
  return (size + DAMAGENET_STEP - 1) / DAMAGENET_STEP * DAMAGENET_STEP;
}

static int
tiles_in (int size)
{
  return size <= MAX_TILE + 2 * MARGIN ? 1 : (size + MAX_TILE - 1) / MAX_TILE;
}

/* The length of all tiles of a side but the last, which may be shorter. */
static int
tile_length (int size)
{
  int tiles = tiles_in (size);

  return tiles == 1 ? size : round_up ((size + tiles - 1) / tiles);
}

/* The length of a pass over a tile. */
static int
pass_length (int size)
{
  return tiles_in (size) == 1 ? round_up (size)
                              : tile_length (size) + 2 * MARGIN;
}

/* The part of the picture whose results tile number @tile gives. */
static ImageArea
tile_area (const Image *image, int tile)
{
  int across = tiles_in (image->width);
  int width = tile_length (image->width);
  int height = tile_length (image->height);
  int x = tile % across * width, y = tile / across * height;

  return (ImageArea){ x, y, MIN (width, image->width - x),
                      MIN (height, image->height - y) };
}

/* Where the pass of a tile begins: a margin before it, if there is one.  The
 * last one ends at the end of the picture or up to a step behind it. */
static int
pass_start (int at, int size)
{
  int last = round_up (MAX (0, size - pass_length (size)));

  return CLAMP (at - MARGIN, 0, last) / DAMAGENET_STEP * DAMAGENET_STEP;
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
        image_pixel (image, image_mirrored (left + x, image->width),
                     image_mirrored (top + y, image->height));
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
  gsize place = (gsize) (y / 2) * (gsize) (look->pass.width / 2) + x / 2;
  const float *square = look->sums + DAMAGENET_OUTPUTS * place;
  int corner = 2 * (y % 2) + x % 2;
  guint8 likelihood =
    to_byte (LIKELIHOOD_ZERO + (float) LIKELIHOOD_UNIT / NETS * square[corner]);

  if (likelihood <= look->map->likelihood[i])
    return;
  look->map->likelihood[i] = likelihood;
  look->map->kind[i] = (guint8) likeliest_kind (square + 8);
}

/* Adds the outputs of a pass to the sums. */
static void
add_outputs (Look *look)
{
  float *sum = look->sums;

  for (int y = 0; y < look->pass.height; y += 2)
    for (int x = 0; x < look->pass.width; x += 2) {
      const float *square = damage_pass_square (&look->pass, x, y);

      for (int i = 0; i < DAMAGENET_OUTPUTS; i++)
        *sum++ += square[i];
    }
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
  memset (look->sums, 0, outputs_of (&look->pass) * sizeof (float));
  for (int i = 0; i < NETS; i++) {
    damagenet_run (&look->nets->net[i], &look->pass, look->nets->context[i]);
    add_outputs (look);
  }
  for (int y = area.y; y < area.y + area.height; y++)
    for (int x = area.x; x < area.x + area.width; x++)
      take_pixel (look, x - left, y - top,
                  (gsize) y * (gsize) look->image->width + (gsize) x);
}

/* ---- 2. levels ---- */

/* The means over the picture that the networks ask for. */
static gboolean
find_contexts (Look *look, const Progress *progress, GError **error)
{
  int tiles = tiles_in (look->image->width) * tiles_in (look->image->height);
  double sum[NETS][DAMAGENET_CONTEXT] = { 0 };
  gsize places = 0;

  for (int tile = 0; tile < tiles; tile++) {
    ImageArea area = tile_area (look->image, tile);
    int left = pass_start (area.x, look->image->width);
    int top = pass_start (area.y, look->image->height);

    load (look, left, top);
    for (int i = 0; i < NETS; i++)
      places += damagenet_add_context (&look->nets->net[i], &look->pass,
                                       area.x - left, area.y - top,
                                       area.width, area.height, sum[i]);
    if (!progress_step (progress, (double) tile / tiles, error))
      return FALSE;
  }
  for (int i = 0; i < NETS; i++)
    for (int c = 0; c < DAMAGENET_CONTEXT; c++)
      look->nets->context[i][c] = (float) (NETS * sum[i][c] / (double) places);
  return TRUE;
}

/* What is added to the logits of a picture of which @share is damaged. */
static double
shift_of (double share)
{
  return OFFSET + GAIN * log (share);
}

/* The mean probability of damage, given the @counts of each likelihood. */
static double
mean_probability (const gsize *counts, double shift)
{
  double sum = 0, pixels = 0;

  for (int byte = 0; byte < 256; byte++) {
    double logit = (byte - LIKELIHOOD_ZERO) / (double) LIKELIHOOD_UNIT;

    sum += (double) counts[byte] / (1 + exp (-logit - shift));
    pixels += (double) counts[byte];
  }
  return sum / pixels;
}

double
damage_map_threshold (const DamageMap *map)
{
  gsize size = (gsize) map->width * (gsize) map->height;
  gsize counts[256] = { 0 };
  double share = FIRST_SHARE;

  for (gsize i = 0; i < size; i++)
    counts[map->likelihood[i]]++;
  for (int round = 0; round < ROUNDS; round++)
    share = MAX (mean_probability (counts, shift_of (share)), MIN_SHARE);
  return -shift_of (share);
}

/* Whether a likelihood in a tile reaches @least so far. */
static gboolean
is_suspect (const Look *look, int tile, int least)
{
  ImageArea area = tile_area (look->image, tile);

  for (int y = area.y; y < area.y + area.height; y++) {
    const guint8 *row =
      look->map->likelihood + (gsize) y * (gsize) look->map->width;

    for (int x = area.x; x < area.x + area.width; x++)
      if (row[x] >= least)
        return TRUE;
  }
  return FALSE;
}

/* Looks at all tiles, or at those that are suspects. */
static gboolean
look_at_level (Look *look, gboolean suspects_only, const Progress *progress,
               GError **error)
{
  int tiles = tiles_in (look->image->width) * tiles_in (look->image->height);
  int least =
    suspects_only
      ? damage_map_byte (damage_map_threshold (look->map) - SUSPECT)
      : 0;

  for (int tile = 0; tile < tiles; tile++) {
    if (is_suspect (look, tile, least))
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

static gint64
pixels_of (const Image *image)
{
  return (gint64) image->width * image->height;
}

static gboolean
levels_init (Levels *levels, const Image *image, GError **error)
{
  static const float grey[3] = { 0.5f, 0.5f, 0.5f };
  gint64 most =
    pixels_of (image) > WHOLE_PIXELS ? SMALLEST_PIXELS : WHOLE_PIXELS;

  *levels = (Levels){ { image }, 1 };
  while (pixels_of (image) > most && levels->count < MAX_LEVELS) {
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
refine (Nets *nets, const Levels *levels, int level, DamageMap **map,
        const Progress *progress, GError **error)
{
  const Image *image = levels->image[level];
  gboolean is_first = level == levels->count - 1;
  g_autoptr (DamageMap) finer =
    is_first ? map_new (image->width, image->height, error)
             : enlarge (*map, image->width, image->height, error);
  g_auto (Look) look = { .nets = nets, .image = image, .map = finer };

  if (finer == NULL
      || !look_init (&look, pass_length (image->width),
                     pass_length (image->height), error)
      || (is_first && !find_contexts (&look, NULL, error))
      || !look_at_level (&look, level < levels->count - 2, progress, error))
    return FALSE;
  damage_map_free (*map);
  *map = g_steal_pointer (&finer);
  return TRUE;
}

DamageMap *
damage_map_new (const Image *image, const Progress *progress, GError **error)
{
  g_auto (Nets) nets = { 0 };
  g_auto (Levels) levels = { 0 };
  g_autoptr (DamageMap) map = NULL;
  double done = 0;

  if (!nets_load (&nets, error) || !levels_init (&levels, image, error))
    return NULL;
  for (int level = levels.count - 1; level >= 0; level--) {
    double next = pow (0.25, level);
    ProgressPart share = { progress, done, next };
    Progress part = progress_part (&share);

    if (!refine (&nets, &levels, level, &map, &part, error))
      return NULL;
    done = next;
  }
  return g_steal_pointer (&map);
}
