#include "dictlearn/convolutional/file.h"

#include "base/error.h"
#include "dictlearn/tensor.h"

#include <math.h>
#include <string.h>

#define FORMAT "tessera-convolutional"

/* Tensors of a level, and room for the state. */
#define PER_LEVEL 4
#define MOST_TENSORS (PER_LEVEL * CONV_MOST_LEVELS + 2)

/* Bytes of a number, at least. */
#define LEAST_SIZE 2

/* Bytes at the start of a file in which its format must be named. */
#define LOOK 65536

static const char *const parts[PER_LEVEL] = { "analysis", "synthesis",
                                              "atoms", "knobs" };

/* The whole numbers of the shape, by name; those whose least is 0 may be
 * left out. */
static const struct {
  const char *name;
  gsize offset;
  int most, least;
} fields[] = {
  { "side", G_STRUCT_OFFSET (ConvShape, side), CONV_MOST_SIDE, 1 },
  { "stride", G_STRUCT_OFFSET (ConvShape, stride), CONV_MOST_SIDE, 1 },
  { "channels", G_STRUCT_OFFSET (ConvShape, channels), 3, 1 },
  { "atoms", G_STRUCT_OFFSET (ConvShape, atoms), CONV_MOST_ATOMS, 1 },
  { "rounds", G_STRUCT_OFFSET (ConvShape, rounds), CONV_MOST_ROUNDS, 1 },
  { "sets", G_STRUCT_OFFSET (ConvShape, sets), CONV_MOST_ROUNDS, 1 },
  { "levels", G_STRUCT_OFFSET (ConvShape, levels), CONV_MOST_LEVELS, 1 },
  { "ground", G_STRUCT_OFFSET (ConvShape, ground), CONV_MOST_GROUND, 0 },
};

/* Part @part of @level: its shape and where its numbers are. */
static Tensor
part_of (const ConvShape *shape, float *numbers, int level, int part)
{
  ConvLevel l = conv_level (shape, numbers, level);
  float *at[PER_LEVEL] = { l.C, l.D, l.W, l.knobs };
  Tensor tensor = { .data = at[part] };

  if (part == PER_LEVEL - 1) {
    tensor.dimensions = 3;
    tensor.shape[0] = shape->rounds;
    tensor.shape[1] = KNOB_COUNT;
    tensor.shape[2] = shape->atoms;
    return tensor;
  }
  tensor.dimensions = 4;
  tensor.shape[0] = (part < 2 ? shape->sets : 1) * shape->atoms;
  tensor.shape[1] = shape->channels;
  tensor.shape[2] = tensor.shape[3] = shape->side;
  return tensor;
}

/* ---- writing ---- */

static void
set_count (JsonObject *meta, const char *key, guint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);

  json_object_set_string_member (meta, key, text);
}

/* All digits, so that learning resumes as if it had not stopped. */
static void
set_number (JsonObject *meta, const char *key, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  json_object_set_string_member (meta, key,
                                 g_ascii_dtostr (text, sizeof text, value));
}

static JsonObject *
metadata_of (const ConvModel *model, const ConvTrainerState *state)
{
  JsonObject *meta = json_object_new ();

  json_object_set_string_member (meta, "format", FORMAT);
  json_object_set_string_member (meta, "version", "1");
  json_object_set_string_member (meta, "algorithm", "convolutional");
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++) {
    int value = G_STRUCT_MEMBER (int, &model->shape, fields[i].offset);

    if (value > 0)
      set_count (meta, fields[i].name, (guint64) value);
  }
  if (model->options != NULL)
    json_object_set_string_member (meta, "options", model->options);
  set_count (meta, "seed", model->seed);
  set_count (meta, "samples", model->samples);
  if (state != NULL) {
    set_count (meta, "step", (guint64) state->step);
    set_number (meta, "error", state->error);
    set_number (meta, "norm", state->norm);
  }
  return meta;
}

/* Learning that is to be resumed needs every digit; otherwise half of them
 * make no visible difference. */
static TensorType
type_of (const ConvTrainerState *state)
{
  return state != NULL ? TENSOR_F32 : TENSOR_F16;
}

GBytes *
conv_model_to_bytes (const ConvModel *model, const ConvTrainerState *state,
                     GError **error)
{
  g_autoptr (JsonObject) meta = metadata_of (model, state);
  gint64 length = (gint64) conv_length (&model->shape);
  TensorType type = type_of (state);
  Tensor tensors[MOST_TENSORS];
  char *names[MOST_TENSORS];
  GBytes *bytes;
  int count = 0;

  for (int level = 0; level < model->shape.levels; level++)
    for (int part = 0; part < PER_LEVEL; part++) {
      tensors[count] = part_of (&model->shape, model->numbers, level, part);
      tensors[count].type = type;
      names[count++] = g_strdup_printf ("level%d.%s", level, parts[part]);
    }
  if (state != NULL) {
    tensors[count] = (Tensor){ 1, { length }, state->first, TENSOR_F32 };
    names[count++] = g_strdup ("adam.first");
    tensors[count] = (Tensor){ 1, { length }, state->second, TENSOR_F32 };
    names[count++] = g_strdup ("adam.second");
  }
  bytes = tensors_to_safetensors (tensors, (const char *const *) names, count,
                                  meta, error);
  for (int i = 0; i < count; i++)
    g_free (names[i]);
  return bytes;
}

/* ---- reading ---- */

gboolean
conv_model_in_bytes (GBytes *bytes)
{
  const gsize start = sizeof (guint64); /* the length of the header */
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  return size > start
         && g_strstr_len (data + start, (gssize) MIN (size - start, LOOK),
                          "\"" FORMAT "\"")
              != NULL;
}

static const char *
text_of (JsonObject *meta, const char *key)
{
  return json_object_get_string_member_with_default (meta, key, NULL);
}

static guint64
count_of (JsonObject *meta, const char *key)
{
  const char *text = text_of (meta, key);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;
}

static double
number_of (JsonObject *meta, const char *key)
{
  const char *text = text_of (meta, key);

  return text != NULL ? g_ascii_strtod (text, NULL) : 0;
}

static gboolean
read_shape (JsonObject *meta, ConvShape *shape, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++) {
    guint64 value = count_of (meta, fields[i].name);

    if (value < (guint64) fields[i].least) {
      g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                   "its metadata has no \"%s\"", fields[i].name);
      return FALSE;
    }
    if (value > (guint64) fields[i].most) {
      g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_LIMIT,
                   "%s %" G_GUINT64_FORMAT " is more than %d", fields[i].name,
                   value, fields[i].most);
      return FALSE;
    }
    G_STRUCT_MEMBER (int, shape, fields[i].offset) = (int) value;
  }
  if (shape->stride <= shape->side && shape->sets <= shape->rounds
      && shape->channels != 2)
    return TRUE;
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                       "its metadata contradict each other");
  return FALSE;
}

static gboolean
all_finite (const float *x, gsize count)
{
  for (gsize i = 0; i < count; i++)
    if (!isfinite (x[i]))
      return FALSE;
  return TRUE;
}

/* Reads tensor @name into @to, whose shape it must have. */
static gboolean
read_tensor (GBytes *bytes, const char *name, const Tensor *to, GError **error)
{
  g_auto (Tensor) tensor = { 0 };
  g_autoptr (JsonObject) meta = NULL;
  gsize count = 1;

  if (!tensor_from_safetensors (bytes, name, &tensor, &meta, error))
    return FALSE;
  for (int i = 0; i < to->dimensions; i++)
    count *= (gsize) to->shape[i];
  if (tensor.dimensions != to->dimensions
      || memcmp (tensor.shape, to->shape,
                 (gsize) to->dimensions * sizeof *to->shape)
           != 0
      || !all_finite (tensor.data, count)) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "tensor \"%s\" has another shape or is not finite", name);
    return FALSE;
  }
  memcpy (to->data, tensor.data, count * sizeof (float));
  return TRUE;
}

static gboolean
read_levels (GBytes *bytes, ConvModel *model, GError **error)
{
  for (int level = 0; level < model->shape.levels; level++)
    for (int part = 0; part < PER_LEVEL; part++) {
      g_autofree char *name =
        g_strdup_printf ("level%d.%s", level, parts[part]);
      Tensor to = part_of (&model->shape, model->numbers, level, part);

      if (!read_tensor (bytes, name, &to, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
check_bounds (const ConvModel *model, GError **error)
{
  return conv_model_is_bounded (model)
         || tessera_fail (error, TESSERA_ERROR_INPUT,
                          "its numbers are beyond %g, or those of its "
                          "thresholds beyond %g",
                          (double) CONV_MOST_NUMBER,
                          (double) CONV_MOST_LOGARITHM);
}

static gboolean
read_state (GBytes *bytes, JsonObject *meta, const ConvShape *shape,
            ConvTrainerState *state, GError **error)
{
  gsize length = conv_length (shape);
  Tensor to = { 1, { (gint64) length }, NULL, TENSOR_F32 };

  *state = (ConvTrainerState){ 0 };
  if (count_of (meta, "step") == 0)
    return TRUE;
  state->step = (int) MIN (count_of (meta, "step"), G_MAXINT);
  state->error = number_of (meta, "error");
  state->norm = number_of (meta, "norm");
  to.data = state->first =
    tessera_try_new (float, length, "the state of learning", error);
  if (to.data == NULL || !read_tensor (bytes, "adam.first", &to, error))
    return FALSE;
  to.data = state->second =
    tessera_try_new (float, length, "the state of learning", error);
  return to.data != NULL && read_tensor (bytes, "adam.second", &to, error);
}

static ConvModel *
read_model (GBytes *bytes, ConvTrainerState *state, GError **error)
{
  g_auto (Tensor) first = { 0 };
  g_autoptr (JsonObject) meta = NULL;
  g_autoptr (ConvModel) model = NULL;
  ConvShape shape;

  if (!tensor_from_safetensors (bytes, "level0.atoms", &first, &meta, error)
      || !read_shape (meta, &shape, error))
    return NULL;
  if (g_bytes_get_size (bytes) / LEAST_SIZE < conv_length (&shape)) {
    g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                         "it is smaller than its metadata say");
    return NULL;
  }
  model = conv_model_empty (&shape, error);
  if (model == NULL)
    return NULL;
  model->options = g_strdup (text_of (meta, "options"));
  model->seed = count_of (meta, "seed");
  model->samples = count_of (meta, "samples");
  if (!read_levels (bytes, model, error)
      || !check_bounds (model, error)
      || (state != NULL
          && !read_state (bytes, meta, &shape, state, error)))
    return NULL;
  return g_steal_pointer (&model);
}

ConvModel *
conv_model_from_bytes (GBytes *bytes, const char *name,
                       ConvTrainerState *state, GError **error)
{
  ConvModel *model = read_model (bytes, state, error);

  if (model == NULL)
    g_prefix_error (error, "%s: not a dictionary: ", name);
  return model;
}
