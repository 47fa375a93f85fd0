#include "dictlearn/transform/file.h"

#include "base/error.h"
#include "dictlearn/tensor.h"

#include <string.h>

#define TENSORS 3

static const char *const names[TENSORS] = { "atoms", "levels", "paces" };

/* The tensors of @model, in the order of their names. */
static void
describe (const TransformModel *model, Tensor tensors[TENSORS])
{
  const TransformShape *shape = &model->shape;
  int n = transform_length (shape);

  tensors[0] = (Tensor){ .dimensions = 4,
                         .shape = { n, shape->channels, shape->side,
                                    shape->side },
                         .data = model->atoms.data };
  tensors[1] = (Tensor){ .dimensions = 3,
                         .shape = { shape->rounds, LEVEL_COUNT, n },
                         .data = model->levels };
  tensors[2] = (Tensor){ .dimensions = 2,
                         .shape = { shape->rounds, PACE_COUNT },
                         .data = model->paces };
}

static void
set_count (JsonObject *metadata, const char *key, int value)
{
  g_autofree char *text = g_strdup_printf ("%d", value);

  json_object_set_string_member (metadata, key, text);
}

GBytes *
transform_model_to_bytes (const TransformModel *model, JsonObject *metadata,
                          GError **error)
{
  Tensor tensors[TENSORS];

  describe (model, tensors);
  set_count (metadata, "spacing", model->shape.spacing);
  set_count (metadata, "rounds", model->shape.rounds);
  return tensors_to_safetensors (tensors, names, TENSORS, metadata, error);
}

gboolean
transform_model_in (JsonObject *metadata)
{
  return json_object_has_member (metadata, "rounds");
}

/* FALSE with @error set unless the metadata have 1 .. @most. */
static gboolean
read_count (JsonObject *metadata, const char *key, int most, int *value,
            GError **error)
{
  const char *text =
    json_object_get_string_member_with_default (metadata, key, "");
  guint64 count = g_ascii_strtoull (text, NULL, 10);

  if (count > (guint64) most)
    return tessera_fail (error, TESSERA_ERROR_LIMIT, "%s %s is more than %d",
                         key, text, most);
  *value = (int) count;
  return count > 0
         || tessera_fail (error, TESSERA_ERROR_INPUT,
                          "its metadata has no \"%s\"", key);
}

static gboolean
read_shape (JsonObject *metadata, const MatF *atoms, TransformShape *shape,
            GError **error)
{
  if (shape->side > TRANSFORM_MOST_SIDE)
    return tessera_fail (error, TESSERA_ERROR_LIMIT,
                         "a transform with patches of side %d; %d is the most",
                         shape->side, TRANSFORM_MOST_SIDE);
  if (atoms->cols != atoms->rows)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "a transform has as many atoms as a patch has "
                         "samples");
  return read_count (metadata, "spacing", shape->side, &shape->spacing, error)
         && read_count (metadata, "rounds", TRANSFORM_MOST_ROUNDS,
                        &shape->rounds, error);
}

/* Reads tensor @name into @to, whose shape it must have. */
static gboolean
read_tensor (GBytes *bytes, const char *name, const Tensor *to, GError **error)
{
  g_auto (Tensor) tensor = { 0 };
  g_autoptr (JsonObject) metadata = NULL;
  gsize count = 1;

  if (!tensor_from_safetensors (bytes, name, &tensor, &metadata, error))
    return FALSE;
  for (int i = 0; i < to->dimensions; i++)
    count *= (gsize) to->shape[i];
  if (tensor.dimensions != to->dimensions
      || memcmp (tensor.shape, to->shape,
                 (gsize) to->dimensions * sizeof *to->shape)
           != 0)
    return tessera_fail (error, TESSERA_ERROR_INPUT,
                         "tensor \"%s\" has another shape than its metadata "
                         "say",
                         name);
  memcpy (to->data, tensor.data, count * sizeof (float));
  return TRUE;
}

TransformModel *
transform_model_from_bytes (GBytes *bytes, JsonObject *metadata,
                            const MatF *atoms, int side, int channels,
                            GError **error)
{
  TransformShape shape = { .side = side, .channels = channels };
  g_autoptr (TransformModel) model = NULL;
  Tensor tensors[TENSORS];

  if (!read_shape (metadata, atoms, &shape, error)
      || (model = transform_model_new (&shape, error)) == NULL)
    return NULL;
  memcpy (model->atoms.data, atoms->data,
          (gsize) atoms->rows * (gsize) atoms->cols * sizeof (float));
  describe (model, tensors);
  for (int i = 1; i < TENSORS; i++)
    if (!read_tensor (bytes, names[i], &tensors[i], error))
      return NULL;
  if (transform_model_is_bounded (model))
    return g_steal_pointer (&model);
  tessera_fail (error, TESSERA_ERROR_INPUT,
                "the numbers of its rounds are out of range");
  return NULL;
}
