#include "imaging/detect/specknet.h"

#include "base/embedded.h"
#include "base/error.h"
#include "base/orderedgemm.h"
#include "base/parallel.h"
#include "dictlearn/tensor.h"

#include <math.h>
#include <string.h>

const SpeckLayer specknet_layers[SPECKNET_LAYERS] = {
  { 16, 1, SPECKNET_PICTURE, SPECKNET_NONE },
  { 16, 1, 0, SPECKNET_NONE },
  { 48, 2, 1, SPECKNET_NONE },
  { 48, 2, 2, SPECKNET_NONE },
  { 64, 3, 3, SPECKNET_NONE },
  { 64, 3, 4, SPECKNET_NONE },
  { 48, 2, 3, 5 },
  { 48, 2, 6, SPECKNET_NONE },
  { 16, 1, 1, 7 },
  { 16, 1, 8, SPECKNET_NONE },
  { SPECKNET_OUTPUTS, 1, 9, SPECKNET_NONE },
};

/* A look at a large picture is at squares of this side, of which the margins
 * count only for what is inside: they hide most of the frame of zeros, which
 * reaches further, but changes a logit by less than 0.5 there. */
#define SIDE 512
#define MARGIN 24

/* ---- 1. weights ---- */

static int
channels_of (int layer)
{
  return layer == SPECKNET_PICTURE ? SPECKNET_INPUTS
         : layer == SPECKNET_NONE  ? 0
                                   : specknet_layers[layer].channels;
}

/* Makes the views of all layers. */
static void
lay_out (SpeckNet *net)
{
  float *next = net->weights;

  for (int k = 0; k < SPECKNET_LAYERS; k++) {
    const SpeckLayer *layer = &specknet_layers[k];
    int rows = layer->channels;
    int fine = 9 * channels_of (layer->fine);
    int coarse = channels_of (layer->coarse);

    net->W[k] = (MatF){ next, rows, fine, rows };
    next += rows * fine;
    net->V[k] = (MatF){ next, rows, coarse, rows };
    next += rows * coarse;
    net->b[k] = next;
    next += rows;
  }
}

gsize
specknet_size (void)
{
  gsize size = 0;

  for (int k = 0; k < SPECKNET_LAYERS; k++) {
    const SpeckLayer *layer = &specknet_layers[k];

    size += (gsize) layer->channels
            * (gsize) (9 * channels_of (layer->fine)
                       + channels_of (layer->coarse) + 1);
  }
  return size;
}

void
specknet_init (SpeckNet *net)
{
  net->weights = g_new0 (float, specknet_size ());
  lay_out (net);
}

void
specknet_clear (SpeckNet *net)
{
  g_clear_pointer (&net->weights, g_free);
}

GBytes *
specknet_to_bytes (const SpeckNet *net)
{
  g_autoptr (JsonObject) metadata = json_object_new ();
  const Tensor tensor = { 1,
                          { (gint64) specknet_size () },
                          net->weights,
                          TENSOR_F16 };

  return tensor_to_safetensors (&tensor, "weights", metadata, NULL);
}

gboolean
specknet_from_bytes (GBytes *bytes, SpeckNet *net, GError **error)
{
  g_auto (Tensor) tensor = { 0 };
  g_autoptr (JsonObject) metadata = NULL;

  if (!tensor_from_safetensors (bytes, "weights", &tensor, &metadata, error))
    return FALSE;
  if (tensor.dimensions != 1
      || tensor.shape[0] != (gint64) specknet_size ())
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "these are not the weights of a finder of dust");
  net->weights = g_steal_pointer (&tensor.data);
  lay_out (net);
  return TRUE;
}

/* From data/finders/finders.gresource.xml. */
extern GResource *finders_get_resource (void);

gboolean
specknet_load (SpeckNet *net, GError **error)
{
  g_autoptr (GBytes) bytes = embedded_file (
    finders_get_resource, "/tessera/finders/dust.safetensors");

  return specknet_from_bytes (bytes, net, error);
}

/* ---- 2. a look at one square ---- */

static gboolean
net_plane_init (NetPlane *plane, int side, int channels, GError **error)
{
  gsize count = (gsize) (side + 2) * (gsize) (side + 2) * (gsize) channels;

  *plane = (NetPlane){ side, side, channels,
                       tessera_try_new (float, count, "finding dust", error) };
  if (plane->data == NULL)
    return FALSE;
  memset (plane->data, 0, count * sizeof (float));
  return TRUE;
}

/* Whether layer @k takes the largest numbers of squares. */
static gboolean
is_pooled (int k)
{
  int fine = specknet_layers[k].fine;

  return fine != SPECKNET_PICTURE
         && specknet_layers[fine].halvings < specknet_layers[k].halvings;
}

static gboolean
init_layer (SpeckPass *pass, int k, GError **error)
{
  const SpeckLayer *layer = &specknet_layers[k];
  int side = pass->side >> layer->halvings;

  return net_plane_init (&pass->layer[k], side, layer->channels, error)
         && (!is_pooled (k)
             || net_plane_init (&pass->pooled[k], side,
                                channels_of (layer->fine), error))
         && (layer->coarse == SPECKNET_NONE
             || net_plane_init (&pass->lifted[k], side / 2, layer->channels,
                                error));
}

gboolean
speck_pass_init (SpeckPass *pass, int side, GError **error)
{
  int most = 0;

  *pass = (SpeckPass){ .side = side };
  if (!net_plane_init (&pass->picture, side / 2, SPECKNET_INPUTS, error))
    return FALSE;
  for (int k = 0; k < SPECKNET_LAYERS; k++) {
    if (!init_layer (pass, k, error))
      return FALSE;
    most = MAX (most, channels_of (specknet_layers[k].fine));
  }
  return matf_try_new (&pass->gathered, 9 * most, side / 2, error);
}

void
speck_pass_clear (SpeckPass *pass)
{
  g_clear_pointer (&pass->picture.data, g_free);
  for (int k = 0; k < SPECKNET_LAYERS; k++) {
    g_clear_pointer (&pass->pooled[k].data, g_free);
    g_clear_pointer (&pass->layer[k].data, g_free);
    g_clear_pointer (&pass->lifted[k].data, g_free);
  }
  matf_clear (&pass->gathered);
}

void
speck_pass_load (SpeckPass *pass, const Image *image, int left, int top)
{
  float scale = 1.f / (float) image_peak (image);
  int second = image_colours (image) / 3, third = 2 * second;

  for (int y = 0; y < pass->side; y++)
    for (int x = 0; x < pass->side; x++) {
      const guint16 *pixel =
        image_pixel (image, image_mirrored (left + x, image->width),
                     image_mirrored (top + y, image->height));
      float *to = net_plane_at (&pass->picture, x / 2, y / 2)
                  + 3 * (2 * (y % 2) + x % 2);

      to[0] = scale * (float) pixel[0] - 0.5f;
      to[1] = scale * (float) pixel[second] - 0.5f;
      to[2] = scale * (float) pixel[third] - 0.5f;
    }
}

const NetPlane *
speck_pass_input (const SpeckPass *pass, int k)
{
  int fine = specknet_layers[k].fine;

  return is_pooled (k)               ? &pass->pooled[k]
         : fine == SPECKNET_PICTURE ? &pass->picture
                                    : &pass->layer[fine];
}

/* The largest numbers of each square of @from. */
static void
pool (const NetPlane *from, NetPlane *to)
{
  for (int y = 0; y < to->height; y++)
    for (int x = 0; x < to->width; x++) {
      const float *a = net_plane_at (from, 2 * x, 2 * y);
      const float *b = net_plane_at (from, 2 * x, 2 * y + 1);
      float *out = net_plane_at (to, x, y);

      for (int c = 0; c < to->channels; c++) {
        float upper = MAX (a[c], a[c + to->channels]);
        float lower = MAX (b[c], b[c + to->channels]);

        out[c] = MAX (upper, lower);
      }
    }
}

void
net_plane_gather (const NetPlane *plane, int y, MatF *columns)
{
  gsize run = 3 * (gsize) plane->channels;

  for (int x = 0; x < plane->width; x++)
    for (int dy = 0; dy < 3; dy++)
      memcpy (matf_at (columns, dy * (int) run, x),
              net_plane_at (plane, x - 1, y + dy - 1), run * sizeof (float));
}

/* The places of row @y of @plane as columns. */
static MatF
row_of (const NetPlane *plane, int y)
{
  return (MatF){ net_plane_at (plane, 0, y), plane->channels, plane->width,
                 plane->channels };
}

/* V_k y_c, before it is repeated. */
static void
lift (const SpeckNet *net, SpeckPass *pass, int k)
{
  const NetPlane *coarse = &pass->layer[specknet_layers[k].coarse];

  for (int y = 0; y < coarse->height; y++) {
    MatF from = row_of (coarse, y), to = row_of (&pass->lifted[k], y);

    ordered_multiply (1, &net->V[k], PLAIN, &from, PLAIN, &to);
  }
}

/* Adds b_k and what was lifted to row @y, and cuts it off at zero. */
static void
finish_row (const SpeckNet *net, SpeckPass *pass, int k, int y)
{
  const NetPlane *layer = &pass->layer[k];
  gboolean is_lifted = specknet_layers[k].coarse != SPECKNET_NONE;
  float least = k == SPECKNET_LAYERS - 1 ? -INFINITY : 0;

  for (int x = 0; x < layer->width; x++) {
    float *place = net_plane_at (layer, x, y);
    const float *up =
      is_lifted ? net_plane_at (&pass->lifted[k], x / 2, y / 2) : NULL;

    for (int c = 0; c < layer->channels; c++) {
      float sum = place[c] + net->b[k][c] + (is_lifted ? up[c] : 0);

      place[c] = MAX (sum, least);
    }
  }
}

void
specknet_run (const SpeckNet *net, SpeckPass *pass)
{
  for (int k = 0; k < SPECKNET_LAYERS; k++) {
    const NetPlane *input = speck_pass_input (pass, k);
    MatF gathered = { pass->gathered.data, net->W[k].cols, input->width,
                      net->W[k].cols };

    if (is_pooled (k))
      pool (&pass->layer[specknet_layers[k].fine], &pass->pooled[k]);
    if (specknet_layers[k].coarse != SPECKNET_NONE)
      lift (net, pass, k);
    for (int y = 0; y < input->height; y++) {
      MatF row = row_of (&pass->layer[k], y);

      net_plane_gather (input, y, &gathered);
      ordered_multiply (1, &net->W[k], PLAIN, &gathered, PLAIN, &row);
      finish_row (net, pass, k, y);
    }
  }
}

/* ---- 3. a whole picture ---- */

typedef struct {
  const SpeckNet *net;
  const Image *image;
  BytePlane *scores;
  int side, across;
  SpeckPass *passes; /* one for each worker, made when it begins */
  gint failed;       /* for lack of memory; atomic */
} Scoring;

static guint8
score_of (float logit)
{
  return (guint8) (CLAMP (SCORE_ZERO + SCORE_UNIT * logit, 0.f, 255.f) + 0.5f);
}

/* The part of the picture that counts of square @chunk. */
static ImageArea
inside_of (const Scoring *scoring, int chunk)
{
  int inner = scoring->side - 2 * MARGIN;
  int left = chunk % scoring->across * inner;
  int top = chunk / scoring->across * inner;

  return (ImageArea){ left, top, MIN (inner, scoring->image->width - left),
                      MIN (inner, scoring->image->height - top) };
}

static void
score_square (int chunk, int worker, gpointer data)
{
  Scoring *scoring = data;
  SpeckPass *pass = &scoring->passes[worker];
  ImageArea area = inside_of (scoring, chunk);

  if (pass->side == 0 && !speck_pass_init (pass, scoring->side, NULL))
    g_atomic_int_set (&scoring->failed, TRUE);
  if (g_atomic_int_get (&scoring->failed))
    return;
  speck_pass_load (pass, scoring->image, area.x - MARGIN, area.y - MARGIN);
  specknet_run (scoring->net, pass);
  for (int y = 0; y < area.height; y++) {
    guint8 *row = byte_plane_row (scoring->scores, area.y + y) + area.x;

    for (int x = 0; x < area.width; x++)
      row[x] = score_of (speck_pass_logit (pass, x + MARGIN, y + MARGIN));
  }
}

/* The side of squares: a small picture fits into one. */
static int
side_for (const Image *image)
{
  int side = MAX (image->width, image->height) + 2 * MARGIN;

  return MIN (SIDE, (side + SPECKNET_STEP - 1) / SPECKNET_STEP * SPECKNET_STEP);
}

gboolean
specknet_score (const SpeckNet *net, const Image *image,
                BytePlane *scores, const Progress *progress, GError **error)
{
  int side = side_for (image);
  int inner = side - 2 * MARGIN;
  int across = (image->width + inner - 1) / inner;
  int down = (image->height + inner - 1) / inner;
  int workers = parallel_threads ();
  g_autofree SpeckPass *passes = g_new0 (SpeckPass, workers);
  Scoring scoring = { net, image, scores, side, across, passes, FALSE };
  gboolean ok =
    parallel_for (across * down, score_square, &scoring, progress, error);

  for (int i = 0; i < workers; i++)
    speck_pass_clear (&passes[i]);
  if (ok && scoring.failed)
    return tessera_fail (error, TESSERA_ERROR_MEMORY,
                         "not enough memory for finding dust");
  return ok;
}
