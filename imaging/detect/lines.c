#include "imaging/detect/lines.h"

#include "base/cpudispatch.h"
#include "base/error.h"
#include "base/parallel.h"
#include "imaging/detect/linesums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half of the width that lets no line through. */
#define REACH 4

/* Half of the sides of the window that says what is usual. */
#define SURROUNDINGS 24

#define LEAST_ROWS 20 /* of a line */
#define SEGMENT_ROWS 32
#define TAKEN 4 /* columns on both sides that belong to a line */

/* Lines are looked for twice: the second time those that were found count as
 * TAKEN_EVIDENCE, so that what they cross or touch is found as well. */
#define ROUNDS 2
#define TAKEN_EVIDENCE (-1)

#define FETCH_ROWS 8

/* Segments are counted in cells, and crowds in squares of cells. */
#define CELL 32
#define CROWD_REACH 2

/* Columns from the middle of a line to the background, and further. */
#define ASIDE 4
#define FURTHER 8

/* A line covers the columns that have this part of its contrast. */
#define PROFILE 7
#define COVERED 0.35f

/* ---- 1. evidence and its sums ---- */

/* The picture, or its negative, upright or turned. */
typedef struct {
  const Extremes *colours;
  gboolean dark, turned;
  int width, height;
  BytePlane shade, hat, usual;
  BytePlane evidence; /* less LEAST_EVIDENCE */
  gint16 *down;
  List *taken; /* pixels in the middle of lines found in this round */
  List *segments;
  GError *error;
} Field;

static void
field_clear (Field *field)
{
  byte_plane_clear (&field->shade);
  byte_plane_clear (&field->hat);
  byte_plane_clear (&field->usual);
  byte_plane_clear (&field->evidence);
  g_clear_pointer (&field->down, g_free);
  g_clear_pointer (&field->taken, list_free);
}

CPU_DISPATCH static void
negate (const guint8 *restrict from, guint8 *restrict to, gsize count)
{
  for (gsize i = 0; i < count; i++)
    to[i] = (guint8) (255 - from[i]);
}

static void
load_shade (Field *field)
{
  const Extremes *colours = field->colours;
  gsize size = byte_plane_size (&field->shade);

  if (field->dark)
    negate (colours->most.data, field->shade.data, size);
  else
    memcpy (field->shade.data, colours->least.data, size);
}

static void
find_sums (Field *field)
{
  gsize width = (gsize) field->width;

  for (gsize y = 0; y < (gsize) field->height; y++)
    line_sums (field->evidence.data + y * width,
               y > 0 ? field->down + (y - 1) * width : NULL,
               field->down + y * width, field->width);
}

static gboolean
field_load (Field *field, GError **error)
{
  int width = field->width, height = field->height;
  gsize size = (gsize) width * (gsize) height;

  if (!byte_plane_init (&field->shade, width, height, error)
      || !byte_plane_init (&field->evidence, width, height, error))
    return FALSE;
  load_shade (field);
  if (!byte_plane_mean (&field->shade, 0, 1, &field->hat, error)
      || !byte_plane_top_hat (&field->hat, REACH, 0, error)
      || !byte_plane_mean (&field->hat, SURROUNDINGS, SURROUNDINGS,
                           &field->usual, error))
    return FALSE;
  line_evidence (field->hat.data, field->usual.data, size,
                 field->evidence.data);
  field->taken = list_new (sizeof (gsize), NULL);
  field->down = g_try_new (gint16, size);
  if (field->down == NULL)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory to look for scratches");
  return TRUE;
}

/* ---- 2. features ---- */

/* Sums over rows of a line. */
typedef struct {
  float rows;
  float inside; /* rows where both sides lie within the picture */
  float hat, usual;
  float line, line2;     /* shades of the line, and their squares */
  float ground, ground2; /* those of the background */
  float both, near, far; /* contrasts */
  float sides;           /* differences of both sides */
  float chroma;
  float wobble; /* second differences of its places */
  float sure;   /* rows of evidence */
} LineSums;

#define SUM_FEATURES 13

static void
add_row (LineSums *sums, const Field *field, int x, int y)
{
  int width = field->width;
  gsize start = (gsize) y * (gsize) width;
  const guint8 *shade = field->shade.data + start;
  int left = shade[MAX (0, x - ASIDE)];
  int right = shade[MIN (width - 1, x + ASIDE)];
  float line = shade[x];
  float ground = 0.5f
                 * (float) (shade[MAX (0, x - FURTHER)]
                            + shade[MIN (width - 1, x + FURTHER)]);

  sums->rows++;
  sums->inside += x >= FURTHER && x + FURTHER < width;
  sums->hat += field->hat.data[start + (gsize) x];
  sums->usual += field->usual.data[start + (gsize) x];
  sums->line += line;
  sums->line2 += line * line;
  sums->ground += ground;
  sums->ground2 += ground * ground;
  sums->both += line - (float) MAX (left, right);
  sums->near += line - 0.5f * (float) (left + right);
  sums->far += line - ground;
  sums->sides += (float) abs (left - right);
  sums->chroma += (float) (field->colours->most.data[start + (gsize) x]
                           - field->colours->least.data[start + (gsize) x]);
  sums->sure += field->evidence.data[start + (gsize) x] > -LEAST_EVIDENCE;
}

/* The sums of @rows rows from @top on, at the columns @core. */
static LineSums
sum_rows (const Field *field, const int *core, int top, int rows)
{
  LineSums sums = { 0 };

  for (int i = 0; i < rows; i++)
    add_row (&sums, field, core[i], top + i);
  for (int i = 2; i < rows; i++)
    sums.wobble += (float) abs (core[i] - 2 * core[i - 1] + core[i - 2]);
  return sums;
}

static float
variance (float sum, float squares, float count)
{
  float mean = sum / count;

  return MAX (0, squares / count - mean * mean);
}

static void
describe_sums (const LineSums *s, float f[SUM_FEATURES])
{
  float n = s->rows, far = MAX (s->far / n, 1);
  float ground = variance (s->ground, s->ground2, n);

  f[0] = s->far / n;
  f[1] = s->hat / (s->usual + 2 * n);
  f[2] = s->both / n / far;
  f[3] = s->near / n / far;
  f[4] = (variance (s->line, s->line2, n) + 30) / (ground + 60);
  f[5] = sqrtf (ground) / far;
  f[6] = s->inside / n;
  f[7] = s->line / n;
  f[8] = s->wobble / n;
  f[9] = s->sides / n / far;
  f[10] = s->chroma / n;
  f[11] = s->sure / n;
  f[12] = s->usual / n;
}

/* ---- 3. lines ---- */

/* A whole line. */
typedef struct {
  int top, rows;
  int *core;
  float slant; /* columns per row */
} Line;

/* Moves the middle of each row to where it stands out most. */
static void
centre_line (const Field *field, Line *line)
{
  for (int i = 0; i < line->rows; i++) {
    const guint8 *hat =
      field->hat.data + (gsize) (line->top + i) * (gsize) field->width;
    int from = MAX (0, line->core[i] - 3);
    int to = MIN (field->width - 1, line->core[i] + 3);
    int most = 0, sum = 0, weights = 0;

    for (int x = from; x <= to; x++)
      most = MAX (most, hat[x]);
    for (int x = from; x <= to; x++) {
      int weight = MAX (0, 2 * hat[x] - most);

      sum += weight * (x - from);
      weights += weight;
    }
    if (weights > 0)
      line->core[i] = from + (2 * sum + weights) / (2 * weights);
  }
}

/* Mean shade at column @offset from the middle. */
static float
shade_at (const Field *field, const Segment *segment, int offset)
{
  float sum = 0;

  for (int i = 0; i < segment->rows; i++) {
    int x = CLAMP (segment->core[i] + offset, 0, field->width - 1);
    gsize y = (gsize) (segment->top + i);

    sum += field->shade.data[y * (gsize) field->width + (gsize) x];
  }
  return sum / (float) segment->rows;
}

/* Columns that the line covers on the side where @step, 1 or -1, leads. */
static int
width_of_side (const Field *field, const Segment *segment, int step)
{
  float ground = shade_at (field, segment, step * PROFILE);
  float least = ground + COVERED * (shade_at (field, segment, 0) - ground);
  int columns = 0;

  while (columns + 1 < PROFILE
         && shade_at (field, segment, step * (columns + 1)) > least)
    columns++;
  return columns;
}

/* Adds the segments of @line. */
static void
cut_line (Field *field, const Line *line)
{
  int count = MAX (1, line->rows / SEGMENT_ROWS);
  LineSums whole = sum_rows (field, line->core, line->top, line->rows);
  float f[LINE_FEATURES] = { 0 };

  describe_sums (&whole, f + SUM_FEATURES);
  f[2 * SUM_FEATURES] = (float) line->rows;
  f[2 * SUM_FEATURES + 1] = line->slant;
  f[2 * SUM_FEATURES + 3] = (float) field->dark;
  f[2 * SUM_FEATURES + 4] = (float) field->turned;
  for (int s = 0; s < count; s++) {
    int start = s * line->rows / count, end = (s + 1) * line->rows / count;
    LineSums part = sum_rows (field, line->core + start, line->top + start,
                              end - start);
    Segment segment = { .top = line->top + start,
                        .rows = end - start,
                        .turned = field->turned };

    segment.core =
      g_memdup2 (line->core + start, (gsize) (end - start) * sizeof (int));
    segment.left = width_of_side (field, &segment, -1);
    segment.right = width_of_side (field, &segment, 1);
    f[2 * SUM_FEATURES + 2] = (float) (segment.left + segment.right);
    describe_sums (&part, f);
    memcpy (segment.features, f, sizeof f);
    if (!list_append (field->segments, &segment, 1))
      segment_clear (&segment);
  }
}

void
segment_clear (gpointer data)
{
  Segment *segment = data;

  g_clear_pointer (&segment->core, g_free);
}

/* Where a line may end. */
typedef struct {
  gsize pixel;
  int sum;
} End;

static gint
by_sum (gconstpointer a, gconstpointer b)
{
  const End *p = a, *q = b;

  if (p->sum != q->sum)
    return q->sum - p->sum;
  return (p->pixel > q->pixel) - (p->pixel < q->pixel);
}

/* The largest of the sums in columns @x - 1 .. @x + 1 of row @y; its column
 * comes back in @at. */
static int
largest (const Field *field, const gint16 *sums, int x, int y, int *at)
{
  const gint16 *row = sums + (gsize) y * (gsize) field->width;

  *at = x;
  if (x > 0 && row[x - 1] > row[*at])
    *at = x - 1;
  if (x + 1 < field->width && row[x + 1] > row[*at])
    *at = x + 1;
  return row[*at];
}

/* The first from @x on that is 1, or @width. */
static int
next_end (const guint8 *ends, int x, int width)
{
  const guint8 *next = memchr (ends + x, 1, (gsize) (width - x));

  return next != NULL ? (int) (next - ends) : width;
}

/* Where lines may end.  Sums from below are needed a row at a time. */
static List *
find_ends (const Field *field)
{
  List *ends = list_new (sizeof (End), NULL);
  gsize width = (gsize) field->width;
  g_autofree gint16 *sums = g_new (gint16, 2 * width);
  g_autofree guint8 *marks = g_new (guint8, width);
  gint16 *up = sums, *below = NULL;

  for (int y = field->height - 1; y >= 0; y--) {
    gsize start = (gsize) y * width;
    const guint8 *evidence = field->evidence.data + start;
    const gint16 *down = field->down + start;

    line_sums (evidence, below, up, field->width);
    line_ends (evidence, down, up, field->width, marks);
    for (int x = next_end (marks, 0, field->width); x < field->width;
         x = next_end (marks, x + 1, field->width)) {
      End end = { start + (gsize) x, down[x] };

      list_append (ends, &end, 1);
    }
    below = up;
    up = up == sums ? sums + width : sums;
  }
  return ends;
}

/* Asks for what trace() needs FETCH_ROWS further up: a row there is somewhere
 * else in memory, and waiting for it took most of the time. */
static inline void
fetch_above (const Field *field, const BytePlane *taken, int x, int y)
{
  gsize i = (gsize) MAX (0, y - FETCH_ROWS) * (gsize) field->width + (gsize) x;

  __builtin_prefetch (field->down + i);
  __builtin_prefetch (field->evidence.data + i);
  __builtin_prefetch (taken->data + i);
}

/* Takes the path that ends at @end, upwards to where it begins or meets one
 * that was taken before, into @path.  Returns its own sum. */
static int
trace (const Field *field, const End *end, BytePlane *taken, List *path)
{
  int x = (int) (end->pixel % (gsize) field->width);
  int y = (int) (end->pixel / (gsize) field->width);
  int sum = 0;

  list_cut (path, 0);
  for (gsize i = end->pixel; !taken->data[i];
       i = (gsize) y * (gsize) field->width + (gsize) x) {
    fetch_above (field, taken, x, y);
    list_append (path, &x, 1);
    sum += field->evidence.data[i] + LEAST_EVIDENCE;
    if (y == 0 || largest (field, field->down, x, y - 1, &x) == 0)
      break;
    y--;
  }
  return sum;
}

/* Sets what belongs to a line in the row of pixel @middle of it to @value. */
static void
take_around (const Field *field, gsize middle, guint8 *plane, guint8 value)
{
  gsize width = (gsize) field->width;
  gsize x = middle % width, first = middle - MIN (x, TAKEN);

  memset (plane + first, value,
          MIN (middle + TAKEN + 1, middle - x + width) - first);
}

static void
note_line (Field *field, const List *path, int bottom, BytePlane *taken)
{
  int rows = (int) path->len;
  g_autofree int *core = g_new (int, rows);
  Line line = { .top = bottom - rows + 1, .rows = rows, .core = core };

  for (int i = 0; i < rows; i++) {
    int x = list_at (path, int, rows - 1 - i);
    gsize start = (gsize) (line.top + i) * (gsize) field->width;
    gsize middle = start + (gsize) x;

    core[i] = x;
    take_around (field, middle, taken->data, 1);
    list_append (field->taken, &middle, 1);
  }
  line.slant = (float) abs (core[rows - 1] - core[0]) / (float) rows;
  centre_line (field, &line);
  cut_line (field, &line);
}

/* Where lines were taken in this round. */
static void
weaken_evidence (Field *field)
{
  for (guint i = 0; i < field->taken->len; i++)
    take_around (field, list_at (field->taken, gsize, i),
                 field->evidence.data,
                 (guint8) (TAKEN_EVIDENCE - LEAST_EVIDENCE));
  list_cut (field->taken, 0);
}

/* Finds lines by the evidence as it is, and weakens the evidence there. */
static gboolean
find_once (Field *field, GError **error)
{
  g_auto (BytePlane) taken = { 0 };
  g_autoptr (List) path = list_new (sizeof (int), NULL);
  g_autoptr (List) ends = NULL;

  if (!byte_plane_init (&taken, field->width, field->height, error))
    return FALSE;
  find_sums (field);
  ends = find_ends (field);
  if (!list_sort (ends, by_sum))
    return list_check (ends, "the ends of scratches", error);
  for (guint i = 0; i < ends->len; i++) {
    const End *end = &list_at (ends, End, i);
    int sum = trace (field, end, &taken, path);

    if (sum >= LEAST_SUM && path->len >= LEAST_ROWS)
      note_line (field, path, (int) (end->pixel / (gsize) field->width),
                 &taken);
  }
  if (!list_check (ends, "the ends of scratches", error)
      || !list_check (path, "a scratch", error)
      || !list_check (field->taken, "the pixels of scratches", error))
    return FALSE;
  weaken_evidence (field);
  return TRUE;
}

static gboolean
find_in_field (Field *field, GError **error)
{
  gboolean ok = field_load (field, error);

  for (int round = 0; ok && round < ROUNDS; round++)
    ok = find_once (field, error);
  return ok;
}

/* ---- 4. light and dark, steep and flat ---- */

static void
find_field (int chunk, int worker, gpointer data)
{
  Field *field = (Field *) data + chunk;

  (void) worker;
  (void) find_in_field (field, &field->error);
  field_clear (field);
}

/* The cell of the middle of @segment. */
static int
cell_of (const Segment *segment, const Image *image, int across)
{
  int middle = segment->rows / 2;
  gsize i = segment_place (segment, image, middle, segment->core[middle]);
  int x = (int) (i % (gsize) image->width), y = (int) (i / (gsize) image->width);

  return y / CELL * across + x / CELL;
}

/* Adds to the features how many segments there are around. */
static gboolean
count_crowds (List *segments, const Image *image, GError **error)
{
  int across = image->width / CELL + 1, down = image->height / CELL + 1;
  g_autofree int *cells = tessera_try_new0 (
    int, (gsize) across * (gsize) down, "scratches", error);

  if (cells == NULL)
    return FALSE;
  for (guint i = 0; i < segments->len; i++)
    cells[cell_of (&list_at (segments, Segment, i), image, across)]++;
  for (guint i = 0; i < segments->len; i++) {
    Segment *segment = &list_at (segments, Segment, i);
    int cell = cell_of (segment, image, across);
    int x = cell % across, y = cell / across, crowd = 0;

    for (int row = MAX (0, y - CROWD_REACH);
         row <= MIN (y + CROWD_REACH, down - 1); row++)
      for (int col = MAX (0, x - CROWD_REACH);
           col <= MIN (x + CROWD_REACH, across - 1); col++)
        crowd += cells[row * across + col];
    segment->features[LINE_FEATURES - 1] = (float) crowd;
  }
  return TRUE;
}

/* The lines of all @fields, in order, and their errors. */
static List *
collect (Field fields[4], gboolean ok, GError **error)
{
  g_autoptr (List) all = list_new (sizeof (Segment), segment_clear);

  for (int k = 0; k < 4; k++) {
    ok = ok && list_check (fields[k].segments, "scratches", error);
    list_move (all, fields[k].segments);
    list_free (fields[k].segments);
    if (fields[k].error != NULL && ok) {
      g_propagate_error (error, g_steal_pointer (&fields[k].error));
      ok = FALSE;
    }
    g_clear_error (&fields[k].error);
  }
  ok = ok && list_check (all, "scratches", error);
  return ok ? g_steal_pointer (&all) : NULL;
}

List *
lines_find (const Image *image, const Progress *progress, GError **error)
{
  g_auto (Extremes) upright = { 0 };
  g_auto (Extremes) turned = { 0 };
  g_autoptr (List) all = NULL;
  Field fields[4];
  gboolean ok;

  if (!extremes_init (&upright, image, error)
      || !byte_plane_turn (&upright.least, &turned.least, error)
      || !byte_plane_turn (&upright.most, &turned.most, error))
    return NULL;
  for (int k = 0; k < 4; k++) {
    const Extremes *colours = k >= 2 ? &turned : &upright;

    fields[k] = (Field){ .colours = colours,
                         .dark = k % 2,
                         .turned = k >= 2,
                         .width = colours->least.width,
                         .height = colours->least.height };
    fields[k].segments = list_new (sizeof (Segment), segment_clear);
  }
  ok = parallel_for (4, find_field, fields, progress, error);
  all = collect (fields, ok, error);
  if (all == NULL || !count_crowds (all, image, error))
    return NULL;
  return g_steal_pointer (&all);
}
