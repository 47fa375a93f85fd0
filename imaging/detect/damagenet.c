#include "imaging/detect/damagenet.h"

#include "base/embedded.h"
#include "base/error.h"
#include "base/orderedgemm.h"
#include "base/parallel.h"
#include "dictlearn/tensor.h"

#include <math.h>
#include <string.h>

/* Layers that are not there. */
#define PICTURE (-1)
#define NONE (-2)

typedef struct {
  int channels; /* length of y_k */
  int halvings; /* of the size of the picture */
  int fine;     /* the layer x_k is made of */
  int coarse;   /* the layer y_c, or NONE */
} LayerShape;

static const LayerShape shapes[DAMAGENET_LAYERS] = {
  { 32, 1, PICTURE, NONE }, { 32, 1, 0, NONE },
  { 64, 2, 1, NONE },       { 64, 2, 2, NONE },
  { 96, 3, 3, NONE },       { 96, 3, 4, NONE },
  { 128, 4, 5, NONE },      { 128, 4, 6, NONE },
  { 128, 5, 7, NONE },      { 128, 5, 8, NONE },
  { 128, 4, 7, 9 },         { 96, 3, 5, 10 },
  { 96, 3, 11, NONE },      { 64, 2, 3, 12 },
  { 64, 2, 13, NONE },      { 32, 1, 1, 14 },
  { 32, 1, 15, NONE },      { DAMAGENET_OUTPUTS, 1, 16, NONE },
};

/* The layer with the mean m, which is that of the layer before it. */
#define CONTEXT_LAYER 9

/* Places that a thread computes at a time, at least: the weights are packed
 * once for them. */
#define CHUNK_PLACES 512

/* ---- 1. weights ---- */

static int
channels_of (int layer)
{
  return layer == PICTURE ? DAMAGENET_INPUTS
         : layer == NONE  ? 0
                          : shapes[layer].channels;
}

static int
context_of (int layer)
{
  return layer == CONTEXT_LAYER ? DAMAGENET_CONTEXT : 0;
}

/* Makes the views of all layers. */
static void
lay_out (DamageNet *net)
{
  float *next = net->weights;

  for (int k = 0; k < DAMAGENET_LAYERS; k++) {
    int rows = shapes[k].channels;
    int fine = 9 * channels_of (shapes[k].fine);
    int coarse = channels_of (shapes[k].coarse);

    net->W[k] = (MatF){ next, rows, fine, rows };
    next += rows * fine;
    net->V[k] = (MatF){ next, rows, coarse, rows };
    next += rows * coarse;
    net->G[k] = (MatF){ next, rows, context_of (k), rows };
    next += rows * context_of (k);
    net->b[k] = next;
    next += rows;
  }
}

gsize
damagenet_size (void)
{
  gsize size = 0;

  for (int k = 0; k < DAMAGENET_LAYERS; k++)
    size += (gsize) shapes[k].channels
            * (gsize) (9 * channels_of (shapes[k].fine)
                       + channels_of (shapes[k].coarse) + context_of (k) + 1);
  return size;
}

void
damagenet_clear (DamageNet *net)
{
  g_clear_pointer (&net->weights, g_free);
}

gboolean
damagenet_from_bytes (GBytes *bytes, DamageNet *net, GError **error)
{
  g_auto (Tensor) tensor = { 0 };
  g_autoptr (JsonObject) metadata = NULL;

  if (!tensor_from_safetensors (bytes, "weights", &tensor, &metadata, error))
    return FALSE;
  if (tensor.dimensions != 1 || tensor.shape[0] != (gint64) damagenet_size ())
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "these are not the weights of a damage detector");
  net->weights = g_steal_pointer (&tensor.data);
  lay_out (net);
  return TRUE;
}

/* From data/detector/detector.gresource.xml. */
extern GResource *detector_get_resource (void);

gboolean
damagenet_load (DamageNet *net, GError **error)
{
  g_autoptr (GBytes) bytes = embedded_file (
    detector_get_resource, "/tessera/detector/damage.safetensors");

  return damagenet_from_bytes (bytes, net, error);
}

/* The place in a 2 x 2 or 3 x 3 square, row after row, of its mirror image. */
static int
transposed_place (int place, int side)
{
  return place % side * side + place / side;
}

/* Columns of W: channels of x at the places of a 3 x 3 square; channels of the
 * picture are the three colours at those of a 2 x 2 square. */
static void
transpose_inputs (const MatF *W, int parts, MatF *transposed)
{
  int inputs = W->cols / 9, channels = inputs / parts;

  for (int place = 0; place < 9; place++)
    for (int part = 0; part < parts; part++) {
      int from = place * inputs + part * channels;
      int to = transposed_place (place, 3) * inputs
               + (parts == 4 ? transposed_place (part, 2) : part) * channels;

      memcpy (matf_at (transposed, 0, to), matf_at (W, 0, from),
              (gsize) (W->rows * channels) * sizeof (float));
    }
}

/* @numbers are what the last layer has for a square of 2 x 2 pixels. */
static void
transpose_outputs (float *numbers)
{
  for (int first = 0; first < 8; first += 4) {
    float swapped = numbers[first + 1];

    numbers[first + 1] = numbers[first + 2];
    numbers[first + 2] = swapped;
  }
}

gboolean
damagenet_transpose (const DamageNet *net, DamageNet *transposed,
                     GError **error)
{
  const int last = DAMAGENET_LAYERS - 1;
  gsize size = damagenet_size ();

  transposed->weights = tessera_try_new (float, size, "finding damage", error);
  if (transposed->weights == NULL)
    return FALSE;
  memcpy (transposed->weights, net->weights, size * sizeof (float));
  lay_out (transposed);
  for (int k = 0; k < DAMAGENET_LAYERS; k++)
    transpose_inputs (&net->W[k], shapes[k].fine == PICTURE ? 4 : 1,
                      &transposed->W[k]);
  for (int j = 0; j < transposed->W[last].cols; j++)
    transpose_outputs (matf_at (&transposed->W[last], 0, j));
  transpose_outputs (transposed->b[last]);
  return TRUE;
}

/* ---- 2. a look at one rectangle ---- */

static gboolean
net_plane_init (NetPlane *plane, int width, int height, int channels,
                GError **error)
{
  gsize count = (gsize) (width + 2) * (gsize) (height + 2) * (gsize) channels;

  *plane =
    (NetPlane){ width, height, channels,
                tessera_try_new (float, count, "finding damage", error) };
  if (plane->data == NULL)
    return FALSE;
  memset (plane->data, 0, count * sizeof (float));
  return TRUE;
}

/* Whether layer @k takes the largest numbers of squares. */
static gboolean
is_pooled (int k)
{
  int fine = shapes[k].fine;

  return fine != PICTURE && shapes[fine].halvings < shapes[k].halvings;
}

static gboolean
init_layer (DamagePass *pass, int k, GError **error)
{
  int width = pass->width >> shapes[k].halvings;
  int height = pass->height >> shapes[k].halvings;

  return net_plane_init (&pass->layer[k], width, height, shapes[k].channels,
                         error)
         && (!is_pooled (k)
             || net_plane_init (&pass->pooled[k], width, height,
                                channels_of (shapes[k].fine), error))
         && (shapes[k].coarse == NONE
             || net_plane_init (&pass->lifted[k], width / 2, height / 2,
                                shapes[k].channels, error));
}

gboolean
damage_pass_init (DamagePass *pass, int width, int height, GError **error)
{
  g_return_val_if_fail (
    width % DAMAGENET_STEP == 0 && height % DAMAGENET_STEP == 0, FALSE);

  *pass = (DamagePass){ .width = width, .height = height };
  if (!net_plane_init (&pass->picture, width / 2, height / 2, DAMAGENET_INPUTS,
                       error))
    return FALSE;
  for (int k = 0; k < DAMAGENET_LAYERS; k++)
    if (!init_layer (pass, k, error))
      return FALSE;
  return TRUE;
}

void
damage_pass_clear (DamagePass *pass)
{
  g_clear_pointer (&pass->picture.data, g_free);
  for (int k = 0; k < DAMAGENET_LAYERS; k++) {
    g_clear_pointer (&pass->pooled[k].data, g_free);
    g_clear_pointer (&pass->layer[k].data, g_free);
    g_clear_pointer (&pass->lifted[k].data, g_free);
  }
}

/* ---- 3. one layer ---- */

static const NetPlane *
input_of (const DamagePass *pass, int k)
{
  int fine = shapes[k].fine;

  return is_pooled (k)     ? &pass->pooled[k]
         : fine == PICTURE ? &pass->picture
                           : &pass->layer[fine];
}

/* A layer while its rows are computed. */
typedef struct {
  const DamageNet *net;
  DamagePass *pass;
  int k;
  float bias[128]; /* b_k + G_k m */
} LayerRun;

/* The largest numbers of the squares that row @y of x_k is made of. */
static void
pool_row (const LayerRun *run, int y)
{
  const NetPlane *from = &run->pass->layer[shapes[run->k].fine];
  const NetPlane *to = &run->pass->pooled[run->k];
  int channels = to->channels;

  for (int x = 0; x < to->width; x++) {
    const float *a = net_plane_at (from, 2 * x, 2 * y);
    const float *b = net_plane_at (from, 2 * x, 2 * y + 1);
    float *out = net_plane_at (to, x, y);

    for (int c = 0; c < channels; c++) {
      float upper = MAX (a[c], a[c + channels]);
      float lower = MAX (b[c], b[c + channels]);

      out[c] = MAX (upper, lower);
    }
  }
}

/* The places of row @y of @plane as columns. */
static MatF
row_of (const NetPlane *plane, int y)
{
  return (MatF){ net_plane_at (plane, 0, y), plane->channels, plane->width,
                 plane->channels };
}

/* Row @y of V_k y_c, before it is repeated. */
static void
lift_row (const LayerRun *run, int y)
{
  MatF from = row_of (&run->pass->layer[shapes[run->k].coarse], y);
  MatF to = row_of (&run->pass->lifted[run->k], y);

  ordered_multiply (1, &run->net->V[run->k], PLAIN, &from, PLAIN, &to);
}

/* Adds the bias and what was lifted to row @y, and cuts it off at zero. */
static void
finish_row (const LayerRun *run, int y)
{
  const NetPlane *layer = &run->pass->layer[run->k];
  gboolean is_lifted = shapes[run->k].coarse != NONE;
  float least = run->k == DAMAGENET_LAYERS - 1 ? -INFINITY : 0;

  for (int x = 0; x < layer->width; x++) {
    float *place = net_plane_at (layer, x, y);
    const float *up =
      is_lifted ? net_plane_at (&run->pass->lifted[run->k], x / 2, y / 2)
                : NULL;

    for (int c = 0; c < layer->channels; c++) {
      float sum = place[c] + run->bias[c] + (is_lifted ? up[c] : 0);

      place[c] = MAX (sum, least);
    }
  }
}

/* Makes the places of row @y beyond its ends zero again. */
static void
clear_ends (const NetPlane *plane, int y)
{
  gsize size = (gsize) plane->channels * sizeof (float);

  memset (net_plane_at (plane, -1, y), 0, size);
  memset (net_plane_at (plane, plane->width, y), 0, size);
}

/* W_k x_k for @rows rows from @y on.  A place and its neighbours to the left
 * and right lie side by side, so that x_k is three matrices with columns that
 * overlap.  The ends of rows, which lie between them, are computed as well. */
static void
convolve (const LayerRun *run, int y, int rows)
{
  const NetPlane *from = input_of (run->pass, run->k);
  const NetPlane *to = &run->pass->layer[run->k];
  int inner = 3 * from->channels, places = rows * (to->width + 2) - 2;
  MatF sums = { net_plane_at (to, 0, y), to->channels, places, to->channels };
  MatF weights = run->net->W[run->k];

  weights.cols = inner;
  for (int dy = 0; dy < 3; dy++) {
    MatF x = { net_plane_at (from, -1, y + dy - 1), inner, places,
               from->channels };

    weights.data = matf_at (&run->net->W[run->k], 0, dy * inner);
    if (dy == 0)
      ordered_multiply (1, &weights, PLAIN, &x, PLAIN, &sums);
    else
      ordered_multiply_add (&weights, PLAIN, &x, PLAIN, &sums);
  }
}

/* The rows of a chunk of @plane. */
static int
chunk_rows (const NetPlane *plane)
{
  return MAX (1, CHUNK_PLACES / plane->width);
}

/* Calls what follows for the rows of a chunk of @plane. */
#define FOR_ROWS(plane, rows, chunk, y)                                       \
  for (int y = (chunk) * (rows);                                              \
       y < MIN (((chunk) + 1) * (rows), (plane)->height); y++)

static void
prepare_rows (int chunk, int worker, gpointer data)
{
  const LayerRun *run = data;
  const NetPlane *pooled = &run->pass->pooled[run->k];
  const NetPlane *lifted = &run->pass->lifted[run->k];
  int rows = chunk_rows (&run->pass->layer[run->k]);

  (void) worker;
  if (is_pooled (run->k))
    FOR_ROWS (pooled, rows, chunk, y)
    pool_row (run, y);
  if (shapes[run->k].coarse != NONE)
    FOR_ROWS (lifted, rows, chunk, y)
    lift_row (run, y);
}

static void
compute_rows (int chunk, int worker, gpointer data)
{
  const LayerRun *run = data;
  const NetPlane *layer = &run->pass->layer[run->k];
  int rows = chunk_rows (layer), first = chunk * rows;

  (void) worker;
  convolve (run, first, MIN (rows, layer->height - first));
  FOR_ROWS (layer, rows, chunk, y)
  {
    finish_row (run, y);
    clear_ends (layer, y);
  }
}

static void
set_bias (LayerRun *run, const float *context)
{
  const DamageNet *net = run->net;

  for (int c = 0; c < shapes[run->k].channels; c++) {
    float sum = net->b[run->k][c];

    for (int j = 0; j < context_of (run->k); j++)
      sum += *matf_at (&net->G[run->k], c, j) * context[j];
    run->bias[c] = sum;
  }
}

static void
compute_layer (const DamageNet *net, DamagePass *pass, int k,
               const float *context)
{
  LayerRun run = { .net = net, .pass = pass, .k = k };
  int rows = chunk_rows (&pass->layer[k]);
  int chunks = (pass->layer[k].height + rows - 1) / rows;

  set_bias (&run, context);
  if (is_pooled (k) || shapes[k].coarse != NONE)
    parallel_for (chunks, prepare_rows, &run, NULL, NULL);
  parallel_for (chunks, compute_rows, &run, NULL, NULL);
}

/* ---- 4. all layers ---- */

gsize
damagenet_add_context (const DamageNet *net, DamagePass *pass, int left,
                       int top, int width, int height, double *sum)
{
  const NetPlane *plane = &pass->layer[CONTEXT_LAYER - 1];
  int step = 1 << shapes[CONTEXT_LAYER - 1].halvings;
  gsize places = 0;

  for (int k = 0; k < CONTEXT_LAYER; k++)
    compute_layer (net, pass, k, NULL);
  for (int y = top / step; y * step < top + height; y++)
    for (int x = left / step; x * step < left + width; x++, places++)
      for (int c = 0; c < DAMAGENET_CONTEXT; c++)
        sum[c] += net_plane_at (plane, x, y)[c];
  return places;
}

void
damagenet_run (const DamageNet *net, DamagePass *pass, const float *context)
{
  for (int k = 0; k < DAMAGENET_LAYERS; k++)
    compute_layer (net, pass, k, context);
}
