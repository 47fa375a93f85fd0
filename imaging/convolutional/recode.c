#include "imaging/convolutional/recode.h"

#include "base/error.h"
#include "dictlearn/convolutional/pyramid.h"
#include "dictlearn/transform/rounds.h"

#include <math.h>
#include <string.h>

/* Largest side of a square in pixels, and its margin: known samples further
 * away have no visible influence. */
#define MOST_SIDE 384
#define MARGIN 32

/* A dictionary diverges where it makes anything larger, white being 1.  Far
 * below what any sum of samples would overflow. */
#define MOST_SAMPLE 1e4f

typedef struct {
  const RecodePicture *picture;
  const RecodeSettings *settings;
} Recode;

int
recoder_channels (const Recoder *coder)
{
  return coder->model != NULL ? coder->model->shape.channels
                              : coder->transform->shape.channels;
}

static int
spacing_of (const Recoder *coder)
{
  return coder->model != NULL ? coder->model->shape.stride
                              : coder->transform->shape.spacing;
}

/* ---- parts ---- */

static void
part_clear (RecodePart *part)
{
  g_clear_pointer (&part->values, planes_free);
  g_clear_pointer (&part->known, planes_free);
  g_clear_pointer (&part->noise, planes_free);
}

/* Reads all channels of @box into an empty @part. */
static gboolean
part_read (RecodePart *part, const Recode *r, Box box, GError **error)
{
  int width = box.right - box.left, height = box.bottom - box.top;
  int channels = r->picture->channels;

  part->values = planes_new (width, height, channels, error);
  if (part->values != NULL)
    part->known = planes_new (width, height, channels, error);
  if (part->known != NULL)
    part->noise = planes_new (width, height, 1, error);
  if (part->noise == NULL)
    return FALSE;
  for (gsize i = 0; i < planes_samples (part->known); i++)
    part->known->data[i] = 1;
  r->picture->read (box, part, r->picture->data);
  return TRUE;
}

static gboolean
is_wanted (const RecodePart *part, int x, int y)
{
  gboolean wanted = *planes_at (part->noise, 0, x, y) > 0;

  for (int c = 0; c < part->known->channels; c++)
    wanted |= *planes_at (part->known, c, x, y) < 1;
  return wanted;
}

/* Shrinks @box, whose part is @part, to what is wanted in it; FALSE if nothing
 * is. */
static gboolean
tighten (const RecodePart *part, Box *box)
{
  Box found = { box->right, box->bottom, box->left, box->top };

  for (int y = box->top; y < box->bottom; y++)
    for (int x = box->left; x < box->right; x++)
      if (is_wanted (part, x - box->left, y - box->top)) {
        found.left = MIN (found.left, x);
        found.right = MAX (found.right, x + 1);
        found.top = MIN (found.top, y);
        found.bottom = MAX (found.bottom, y + 1);
      }
  *box = found;
  return found.left < found.right;
}

static Box
widen (const Recode *r, Box box)
{
  return (Box){ MAX (0, box.left - MARGIN), MAX (0, box.top - MARGIN),
                MIN (r->picture->width, box.right + MARGIN),
                MIN (r->picture->height, box.bottom + MARGIN) };
}

/* ---- the eight orientations of a picture ---- */

/* Where sample (x, y) of a square in orientation @orientation is in the
 * original square; its bits mean mirroring x, mirroring y, and swapping both.
 */
static gsize
place_of (int orientation, int width, int height, int x, int y)
{
  int u = orientation & 4 ? y : x, v = orientation & 4 ? x : y;

  if (orientation & 1)
    u = width - 1 - u;
  if (orientation & 2)
    v = height - 1 - v;
  return (gsize) v * (gsize) width + (gsize) u;
}

static int
oriented_width (int orientation, int width, int height)
{
  return orientation & 4 ? height : width;
}

/* Copies @planes of width x height into orientation @orientation; in the other
 * direction it adds. */
static void
orient (const float *from, int orientation, int width, int height,
        int channels, float *to)
{
  int across = oriented_width (orientation, width, height);
  int down = width * height / across;

  for (int c = 0; c < channels; c++, from += width * height)
    for (int y = 0; y < down; y++)
      for (int x = 0; x < across; x++)
        *to++ = from[place_of (orientation, width, height, x, y)];
}

static void
orient_back (const float *from, int orientation, int width, int height,
             int channels, float *sum)
{
  int across = oriented_width (orientation, width, height);
  int down = width * height / across;

  for (int c = 0; c < channels; c++, sum += width * height)
    for (int y = 0; y < down; y++)
      for (int x = 0; x < across; x++)
        sum[place_of (orientation, width, height, x, y)] += *from++;
}

/* ---- a square ---- */

/* Room for a part in some orientation, and for the sum over all. */
typedef struct {
  float *y, *known, *noise, *sum;
} Room;

static gboolean
room_init (Room *room, const RecodePart *part, int channels, GError **error)
{
  gsize pixels = planes_samples (part->noise);
  gsize samples = pixels * (gsize) channels;

  room->y = tessera_try_new (float, 3 * samples + pixels,
                             "a part of the picture", error);
  if (room->y == NULL)
    return FALSE;
  room->known = room->y + samples;
  room->sum = room->known + samples;
  room->noise = room->sum + samples;
  return TRUE;
}

/* Restores @damaged of the given size and adds the result, in orientation
 * @orientation, to the sum of @room. */
static gboolean
code (const Recoder *coder, const Damaged *damaged, int across, int down,
      int orientation, const Room *room, const Progress *progress,
      GError **error)
{
  g_autoptr (Pyramid) pyramid =
    coder->model != NULL
      ? pyramid_new (&coder->model->shape, across, down, FALSE, error)
      : NULL;
  g_autoptr (Rounds) rounds =
    coder->transform != NULL
      ? rounds_new (&coder->transform->shape, across, down, FALSE, error)
      : NULL;
  const float *out = NULL;
  gboolean swapped = orientation & 4;

  if (pyramid != NULL)
    out = pyramid_forward (pyramid, coder->model->numbers, damaged, progress,
                           error);
  else if (rounds != NULL)
    out = rounds_forward (rounds, coder->transform, damaged, progress, error);
  if (out == NULL)
    return FALSE;
  orient_back (out, orientation, swapped ? down : across,
               swapped ? across : down, recoder_channels (coder), room->sum);
  return TRUE;
}

/* Restores channels @first on of @part in orientation @orientation and adds
 * the result to the sum. */
static gboolean
restore_oriented (const RecodePart *part, const Recoder *coder, int first,
                  int orientation, const Room *room, const Progress *progress,
                  GError **error)
{
  int width = part->values->width, height = part->values->height;
  int across = oriented_width (orientation, width, height);
  int channels = recoder_channels (coder);
  Damaged damaged = { room->y, room->known, room->noise };

  orient (planes_at (part->values, first, 0, 0), orientation, width, height,
          channels, room->y);
  orient (planes_at (part->known, first, 0, 0), orientation, width, height,
          channels, room->known);
  orient (part->noise->data, orientation, width, height, 1, room->noise);
  return code (coder, &damaged, across, width * height / across, orientation,
               room, progress, error);
}

/* Patches of the largest size that a part is coded by, in each of its
 * orientations. */
static gsize
patches_in (const RecodePart *part, int stride)
{
  return (gsize) ((part->values->width + stride - 1) / stride)
         * (gsize) ((part->values->height + stride - 1) / stride);
}

/* Replaces what is wanted of channels @first on of @part by the mean of the
 * @turns results in @sum. */
static gboolean
replace_wanted (RecodePart *part, int first, const float *sum, gsize samples,
                int turns, GError **error)
{
  float *values = planes_at (part->values, first, 0, 0);
  const float *known = planes_at (part->known, first, 0, 0);
  gsize pixels = planes_samples (part->noise);

  for (gsize i = 0; i < samples; i++) {
    float mean = sum[i] / (float) turns;

    if (known[i] >= 1 && !(part->noise->data[i % pixels] > 0))
      continue;
    if (!(fabsf (mean) <= MOST_SAMPLE))
      return tessera_fail (error, TESSERA_ERROR_INPUT,
                           "the dictionary diverges on this "
                           "picture; it needs to be learned again");
    values[i] = mean;
  }
  return TRUE;
}

/* Replaces what is wanted of channels @first on of @part. */
static gboolean
restore_channels (const Recode *r, RecodePart *part, int first,
                  const Room *room, const Progress *progress, GError **error)
{
  const Recoder *coder = &r->settings->coder;
  int turns = r->settings->turns;
  gsize samples =
    planes_samples (part->noise) * (gsize) recoder_channels (coder);

  memset (room->sum, 0, samples * sizeof (float));
  for (int orientation = 0; orientation < turns; orientation++) {
    ProgressPart share = { progress, (double) orientation / turns,
                           (orientation + 1.0) / turns };
    Progress turn = progress_part (&share);

    if (!restore_oriented (part, coder, first, orientation, room, &turn,
                           error))
      return FALSE;
    if (r->settings->patches != NULL)
      *r->settings->patches += patches_in (part, spacing_of (coder));
  }
  return replace_wanted (part, first, room->sum, samples, turns, error);
}

/* Replaces what is wanted of @part. */
static gboolean
restore_part (const Recode *r, RecodePart *part, const Progress *progress,
              GError **error)
{
  int channels = recoder_channels (&r->settings->coder);
  int total = part->values->channels;
  Room room;
  gboolean ok = room_init (&room, part, channels, error);

  if (!ok)
    return FALSE;
  for (int first = 0; ok && first < total; first += channels) {
    ProgressPart share = { progress, (double) first / total,
                           (double) (first + channels) / total };
    Progress group = progress_part (&share);

    ok = restore_channels (r, part, first, &room, &group, error);
  }
  g_free (room.y);
  return ok;
}

/* Hands over what lies in @box of @part, whose own box is @whole. */
static gboolean
write_box (const Recode *r, const RecodePart *part, Box whole, Box box,
           GError **error)
{
  int width = box.right - box.left;
  g_autoptr (Planes) restored =
    planes_new (width, box.bottom - box.top, part->values->channels, error);

  if (restored == NULL)
    return FALSE;
  for (int c = 0; c < restored->channels; c++)
    for (int y = 0; y < restored->height; y++)
      memcpy (planes_at (restored, c, 0, y),
              planes_at (part->values, c, box.left - whole.left,
                         box.top - whole.top + y),
              (gsize) width * sizeof (float));
  r->picture->write (box, restored, r->picture->data);
  return TRUE;
}

static gboolean
recode_box (const Recode *r, Box box, const Progress *progress, GError **error)
{
  RecodePart part = { 0 };
  Box whole;
  gboolean ok = part_read (&part, r, box, error), wanted;

  wanted = ok && tighten (&part, &box);
  part_clear (&part);
  if (!wanted)
    return ok;
  whole = widen (r, box);
  ok = part_read (&part, r, whole, error)
       && restore_part (r, &part, progress, error)
       && write_box (r, &part, whole, box, error);
  part_clear (&part);
  return ok;
}

/* Squares of about equal size along @length. */
static int
square_count (int length)
{
  return (length + MOST_SIDE - 1) / MOST_SIDE;
}

gboolean
picture_recode (const RecodePicture *picture, const RecodeSettings *settings,
                const Progress *progress, GError **error)
{
  Recode r = { picture, settings };
  int w = picture->width, h = picture->height;
  int across = square_count (w), down = square_count (h);
  int all = across * down;

  for (int i = 0; i < all; i++) {
    int a = i % across, b = i / across;
    Box box = { (int) ((gint64) w * a / across), (int) ((gint64) h * b / down),
                (int) ((gint64) w * (a + 1) / across),
                (int) ((gint64) h * (b + 1) / down) };
    ProgressPart share = { progress, (double) i / all,
                           (double) (i + 1) / all };
    Progress part = progress_part (&share);

    if (!recode_box (&r, box, &part, error))
      return FALSE;
  }
  return TRUE;
}
