#include "imaging/detect/lines.h"

#include "base/error.h"
#include "base/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Half of the width that lets no line through. */
#define REACH 4

/* Half of the sides of the window that says what is usual. */
#define SURROUNDINGS 24

/* Evidence of a top-hat h where u is usual:
 *     SCALE (h - USUAL_TIMES u - OFFSET) / (u + SOFTENER), within bounds. */
#define USUAL_TIMES 2.f
#define OFFSET 4.f
#define SOFTENER 4.f
#define SCALE 8.f
#define LEAST_EVIDENCE (-12)
#define MOST_EVIDENCE 16

#define LEAST_SUM 280  /* of the evidence of a line */
#define MOST_SUM 1000  /* that is counted: how long a gap may be */
#define LEAST_ROWS 20  /* of a line */
#define SEGMENT_ROWS 32
#define TAKEN 4        /* columns on both sides that belong to a line */

/* Lines are looked for twice: the second time those that were found count as
 * TAKEN_EVIDENCE, so that what they cross or touch is found as well. */
#define ROUNDS 2
#define TAKEN_EVIDENCE (-1)

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
  guint16 *down, *up;
  GArray *segments;
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
  g_clear_pointer (&field->up, g_free);
}

static void
load_shade (Field *field)
{
  const Extremes *colours = field->colours;
  gsize size = byte_plane_size (&field->shade);

  if (!field->dark) {
    memcpy (field->shade.data, colours->least.data, size);
    return;
  }
  for (gsize i = 0; i < size; i++)
    field->shade.data[i] = (guint8) (255 - colours->most.data[i]);
}

/* Of a top-hat of @hat where @usual is usual, less LEAST_EVIDENCE. */
static guint8
evidence_of (float hat, float usual)
{
  float e = SCALE * (hat - USUAL_TIMES * usual - OFFSET) / (usual + SOFTENER);

  return (guint8) (CLAMP (e, LEAST_EVIDENCE, MOST_EVIDENCE) - LEAST_EVIDENCE);
}

static void
find_evidence (Field *field)
{
  g_autofree guint8 *table = g_new (guint8, 256 * 256);
  const guint8 *hats = field->hat.data, *usuals = field->usual.data;
  guint8 *evidence = field->evidence.data;
  gsize size = byte_plane_size (&field->evidence);

  for (int usual = 0; usual < 256; usual++)
    for (int hat = 0; hat < 256; hat++)
      table[usual * 256 + hat] = evidence_of ((float) hat, (float) usual);
  for (gsize i = 0; i < size; i++)
    evidence[i] = table[usuals[i] * 256 + hats[i]];
}

/* The sums of one row from those of the row before, which is NULL at the
 * start. */
static void
add_row_of_sums (const guint8 *evidence, const guint16 *before, guint16 *sums,
                 int width)
{
  for (int x = 0; x < width; x++) {
    int best = 0;

    if (before != NULL) {
      best = before[x];
      best = MAX (best, before[MAX (x - 1, 0)]);
      best = MAX (best, before[MIN (x + 1, width - 1)]);
    }
    best += evidence[x] + LEAST_EVIDENCE;
    sums[x] = (guint16) CLAMP (best, 0, MOST_SUM);
  }
}

static void
find_sums (Field *field)
{
  gsize width = (gsize) field->width, last = (gsize) field->height - 1;
  const guint8 *evidence = field->evidence.data;

  for (gsize y = 0; y <= last; y++) {
    gsize z = last - y;

    add_row_of_sums (evidence + y * width,
                     y > 0 ? field->down + (y - 1) * width : NULL,
                     field->down + y * width, field->width);
    add_row_of_sums (evidence + z * width,
                     y > 0 ? field->up + (z + 1) * width : NULL,
                     field->up + z * width, field->width);
  }
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
  find_evidence (field);
  field->down = g_try_new (guint16, size);
  field->up = g_try_new (guint16, size);
  if (field->down == NULL || field->up == NULL)
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
    g_array_append_val (field->segments, segment);
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
largest (const Field *field, const guint16 *sums, int x, int y, int *at)
{
  const guint16 *row = sums + (gsize) y * (gsize) field->width;

  *at = x;
  if (x > 0 && row[x - 1] > row[*at])
    *at = x - 1;
  if (x + 1 < field->width && row[x + 1] > row[*at])
    *at = x + 1;
  return row[*at];
}

/* Pixels of evidence where the sums of what follows are 0. */
static GArray *
find_ends (const Field *field)
{
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (End));

  for (int y = 0; y < field->height; y++) {
    gsize start = (gsize) y * (gsize) field->width;
    const guint16 *down = field->down + start;
    const guint8 *evidence = field->evidence.data + start;

    for (int x = 0, at; x < field->width; x++) {
      End end = { start + (gsize) x, down[x] };

      if (down[x] >= LEAST_SUM && evidence[x] > -LEAST_EVIDENCE
          && (y + 1 == field->height
              || largest (field, field->up, x, y + 1, &at) == 0))
        g_array_append_val (ends, end);
    }
  }
  g_array_sort (ends, by_sum);
  return ends;
}

/* Takes the path that ends at @end, upwards to where it begins or meets one
 * that was taken before, into @path.  Returns its own sum. */
static int
trace (const Field *field, const End *end, BytePlane *taken, GArray *path)
{
  int x = (int) (end->pixel % (gsize) field->width);
  int y = (int) (end->pixel / (gsize) field->width);
  int sum = 0;

  g_array_set_size (path, 0);
  for (gsize i = end->pixel; !taken->data[i];
       i = (gsize) y * (gsize) field->width + (gsize) x) {
    g_array_append_val (path, x);
    sum += field->evidence.data[i] + LEAST_EVIDENCE;
    if (y == 0 || largest (field, field->down, x, y - 1, &x) == 0)
      break;
    y--;
  }
  return sum;
}

static void
note_line (Field *field, const GArray *path, int bottom, BytePlane *taken)
{
  int rows = (int) path->len;
  g_autofree int *core = g_new (int, rows);
  Line line = { .top = bottom - rows + 1, .rows = rows, .core = core };

  for (int i = 0; i < rows; i++) {
    int x = g_array_index (path, int, rows - 1 - i);
    guint8 *row = taken->data + (gsize) (line.top + i) * (gsize) field->width;

    core[i] = x;
    for (int k = MAX (0, x - TAKEN); k <= MIN (x + TAKEN, field->width - 1);
         k++)
      row[k] = 1;
  }
  line.slant = (float) abs (core[rows - 1] - core[0]) / (float) rows;
  centre_line (field, &line);
  cut_line (field, &line);
}

/* Where lines were @taken. */
static void
weaken_evidence (Field *field, const guint8 *taken)
{
  guint8 *evidence = field->evidence.data;
  gsize size = byte_plane_size (&field->evidence);

  for (gsize i = 0; i < size; i++)
    evidence[i] =
      taken[i] ? (guint8) (TAKEN_EVIDENCE - LEAST_EVIDENCE) : evidence[i];
}

/* Finds lines by the evidence as it is, and weakens the evidence there. */
static gboolean
find_once (Field *field, GError **error)
{
  g_auto (BytePlane) taken = { 0 };
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GArray) ends = NULL;

  if (!byte_plane_init (&taken, field->width, field->height, error))
    return FALSE;
  find_sums (field);
  ends = find_ends (field);
  for (guint i = 0; i < ends->len; i++) {
    const End *end = &g_array_index (ends, End, i);
    int sum = trace (field, end, &taken, path);

    if (sum >= LEAST_SUM && path->len >= LEAST_ROWS)
      note_line (field, path, (int) (end->pixel / (gsize) field->width),
                 &taken);
  }
  weaken_evidence (field, taken.data);
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
static void
count_crowds (GArray *segments, const Image *image)
{
  int across = image->width / CELL + 1, down = image->height / CELL + 1;
  g_autofree int *cells = g_new0 (int, (gsize) across *(gsize) down);

  for (guint i = 0; i < segments->len; i++)
    cells[cell_of (&g_array_index (segments, Segment, i), image, across)]++;
  for (guint i = 0; i < segments->len; i++) {
    Segment *segment = &g_array_index (segments, Segment, i);
    int cell = cell_of (segment, image, across);
    int x = cell % across, y = cell / across, crowd = 0;

    for (int row = MAX (0, y - CROWD_REACH);
         row <= MIN (y + CROWD_REACH, down - 1); row++)
      for (int col = MAX (0, x - CROWD_REACH);
           col <= MIN (x + CROWD_REACH, across - 1); col++)
        crowd += cells[row * across + col];
    segment->features[LINE_FEATURES - 1] = (float) crowd;
  }
}

/* The lines of all @fields, in order, and their errors. */
static GArray *
collect (Field fields[4], gboolean ok, GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Segment));

  g_array_set_clear_func (all, segment_clear);
  for (int k = 0; k < 4; k++) {
    g_array_append_vals (all, fields[k].segments->data,
                         fields[k].segments->len);
    g_array_unref (fields[k].segments);
    if (fields[k].error != NULL && ok)
      g_propagate_error (error, g_steal_pointer (&fields[k].error));
    ok = ok && fields[k].error == NULL && (error == NULL || *error == NULL);
    g_clear_error (&fields[k].error);
  }
  return ok ? g_steal_pointer (&all) : NULL;
}

GArray *
lines_find (const Image *image, const Progress *progress, GError **error)
{
  g_auto (Extremes) upright = { 0 };
  g_auto (Extremes) turned = { 0 };
  GArray *all;
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
    fields[k].segments = g_array_new (FALSE, FALSE, sizeof (Segment));
  }
  ok = parallel_for (4, find_field, fields, progress, error);
  all = collect (fields, ok, error);
  if (all != NULL)
    count_crowds (all, image);
  return all;
}
