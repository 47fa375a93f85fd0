/* tensor.c - safetensors and .npy
 *
 * safetensors:  u64 header length | JSON | data
 *     {"NAME": {"dtype": "F32", "shape": [..], "data_offsets": [from, to]},
 *      "__metadata__": {"key": "value", ..}}
 * npy:  "\x93NUMPY" | version 1.0 | u16 header length | header | data
 *     {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
 *     Versions 2 and 3 have a length of four bytes.
 */
#include "dictlearn/tensor.h"

#include "base/error.h"
#include "dictlearn/boundedjson.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NPY_MAGIC "\x93NUMPY"
#define NPY_MAGIC_SIZE 6
#define ALIGNMENT 64 /* of the data of .npy; a multiple of safetensors' 8 */
#define MAX_HEADER (1 << 20)

/* Bits of the fraction of F16; its smallest number, and the exponent of that. */
#define HALF_BITS 10
#define HALF_LEAST (-24)
#define HALF_STEP 0x1p-24

static const struct {
  const char *name;
  gsize size;
} types[] = { [TENSOR_F32] = { "F32", 4 },
              [TENSOR_F16] = { "F16", 2 },
              [TENSOR_BF16] = { "BF16", 2 },
              [TENSOR_F64] = { "F64", 8 } };

void
tensor_clear (Tensor *tensor)
{
  g_clear_pointer (&tensor->data, g_free);
}

static gboolean
broken (GError **error, const char *what)
{
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_INPUT, what);
  return FALSE;
}

/* The number of entries, or 0 when it is absurd. */
static gsize
entries (const Tensor *tensor)
{
  gsize product = 1;

  for (int i = 0; i < tensor->dimensions; i++)
    if (tensor->shape[i] < 1
        || !g_size_checked_mul (&product, product, (gsize) tensor->shape[i]))
      return 0;
  return product;
}

static void
write_floats (const float *data, gsize count, guint8 *to)
{
  for (gsize i = 0; i < count; i++) {
    guint32 bits;

    memcpy (&bits, &data[i], sizeof bits);
    bits = GUINT32_TO_LE (bits);
    memcpy (to + i * sizeof bits, &bits, sizeof bits);
  }
}

/* Sign, exponent and fraction of @x, rounded to the nearest: a fraction that
 * is rounded up to one carries into the exponent. */
static guint16
half_from_float (float x)
{
  int exponent;
  double fraction = frexp (fabs ((double) x), &exponent);
  int bits = fraction == 0 || exponent - 1 < HALF_LEAST + HALF_BITS
               ? (int) rint (ldexp (fraction, exponent - HALF_LEAST))
               : ((exponent - 1 - HALF_LEAST - HALF_BITS) << HALF_BITS)
                   + (int) rint (ldexp (fraction, HALF_BITS + 1));

  return (guint16) (bits | (signbit (x) ? 1 << 15 : 0));
}

static double
half_to_double (guint16 bits)
{
  const int one = 1 << HALF_BITS, infinite = 31;
  int fraction = bits & (one - 1), exponent = bits >> HALF_BITS & infinite;
  guint64 steps = exponent == 0 ? (guint64) fraction
                                : (guint64) (one + fraction) << (exponent - 1);
  double size = (double) steps * HALF_STEP;

  if (exponent == infinite)
    size = fraction == 0 ? (double) INFINITY : (double) NAN;
  return bits >> 15 ? -size : size;
}

static void
write_halves (const float *data, gsize count, guint8 *to)
{
  for (gsize i = 0; i < count; i++) {
    guint16 bits = GUINT16_TO_LE (half_from_float (data[i]));

    memcpy (to + i * sizeof bits, &bits, sizeof bits);
  }
}

/* The bytes of @tensor in a file of its type. */
static gsize
tensor_bytes (const Tensor *tensor)
{
  return entries (tensor) * types[tensor->type].size;
}

/* A file: @start, @header and the numbers of @tensors. */
static GBytes *
file_of (GBytes *start, const GString *header, const Tensor *tensors,
         int count, GError **error)
{
  gsize before = g_bytes_get_size (start), size = before + header->len;
  guint8 *file, *to;

  for (int i = 0; i < count; i++)
    size += tensor_bytes (&tensors[i]);
  file = tessera_try_new (guint8, size, "a dictionary", error);
  if (file == NULL)
    return NULL;
  memcpy (file, g_bytes_get_data (start, NULL), before);
  memcpy (file + before, header->str, header->len);
  to = file + before + header->len;
  for (int i = 0; i < count; i++) {
    if (tensors[i].type == TENSOR_F16)
      write_halves (tensors[i].data, entries (&tensors[i]), to);
    else
      write_floats (tensors[i].data, entries (&tensors[i]), to);
    to += tensor_bytes (&tensors[i]);
  }
  return g_bytes_new_take (file, size);
}

static double
float_from_bits (guint32 bits)
{
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

static double
read_number (const guint8 *at, TensorType type)
{
  guint16 bits16;
  guint32 bits32;
  guint64 bits64;
  double wide;

  switch (type) {
  case TENSOR_F16:
    memcpy (&bits16, at, sizeof bits16);
    return half_to_double (GUINT16_FROM_LE (bits16));
  case TENSOR_BF16:
    memcpy (&bits16, at, sizeof bits16);
    return float_from_bits ((guint32) GUINT16_FROM_LE (bits16) << 16);
  case TENSOR_F32:
    memcpy (&bits32, at, sizeof bits32);
    return float_from_bits (GUINT32_FROM_LE (bits32));
  case TENSOR_F64:
  default:
    memcpy (&bits64, at, sizeof bits64);
    bits64 = GUINT64_FROM_LE (bits64);
    memcpy (&wide, &bits64, sizeof wide);
    return wide;
  }
}

/* Reads @tensor's numbers, of its type, from the @available bytes at @at. */
static gboolean
read_numbers (Tensor *tensor, const guint8 *at, gsize available,
              GError **error)
{
  gsize count = entries (tensor), size = types[tensor->type].size, total;

  if (count == 0 || !g_size_checked_mul (&total, count, size)
      || total > available)
    return broken (error, "the file is shorter than its header says");
  tensor->data = tessera_try_new (float, count, "the array", error);
  if (tensor->data == NULL)
    return FALSE;
  for (gsize i = 0; i < count; i++) {
    tensor->data[i] = (float) read_number (at + i * size, tensor->type);
    if (!isfinite (tensor->data[i]))
      return tessera_fail (error, TESSERA_ERROR_INPUT,
                           "number %" G_GSIZE_FORMAT " is not finite", i);
  }
  return TRUE;
}

/* ---- npy ---- */

gboolean
tensor_is_npy (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return size >= NPY_MAGIC_SIZE
         && memcmp (data, NPY_MAGIC, NPY_MAGIC_SIZE) == 0;
}

GBytes *
tensor_to_npy (const Tensor *tensor, GError **error)
{
  g_autoptr (GString) header =
    g_string_new ("{'descr': '<f4', 'fortran_order': False, 'shape': (");
  g_autoptr (GBytes) start = NULL;
  guint8 bytes[10] = NPY_MAGIC "\x01";
  guint16 length;

  for (int i = 0; i < tensor->dimensions; i++)
    g_string_append_printf (header, "%" G_GINT64_FORMAT ", ",
                            tensor->shape[i]);
  g_string_append (header, "), }");
  /* Ten bytes come before the header, and a newline ends it. */
  while ((10 + header->len + 1) % ALIGNMENT != 0)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');

  length = GUINT16_TO_LE ((guint16) header->len);
  memcpy (bytes + 8, &length, sizeof length);
  start = g_bytes_new (bytes, sizeof bytes);
  return file_of (start, header, tensor, 1, error);
}

/* What follows 'KEY': in the header, or NULL. */
static const char *
npy_value (const char *header, const char *key)
{
  g_autofree char *quoted = g_strdup_printf ("'%s':", key);
  const char *at = strstr (header, quoted);

  if (at == NULL)
    return NULL;
  at += strlen (quoted);
  while (*at == ' ')
    at++;
  return at;
}

static gboolean
parse_npy_shape (const char *at, Tensor *tensor)
{
  if (at == NULL || *at++ != '(')
    return FALSE;
  for (tensor->dimensions = 0;; tensor->dimensions++) {
    char *end;

    while (*at == ' ' || *at == ',')
      at++;
    if (*at == ')')
      return tensor->dimensions > 0;
    if (tensor->dimensions == TENSOR_MAX_DIMENSIONS)
      return FALSE;
    tensor->shape[tensor->dimensions] = g_ascii_strtoll (at, &end, 10);
    if (end == at)
      return FALSE;
    at = end;
  }
}

/* Turns numbers read in Fortran order, where the first dimension runs fastest,
 * into C order. */
static gboolean
reorder_from_fortran (Tensor *tensor, GError **error)
{
  gsize count = entries (tensor);
  float *ordered = tessera_try_new (float, count, "the array", error);

  if (ordered == NULL)
    return FALSE;
  for (gsize i = 0; i < count; i++) {
    gsize rest = i, place = 0;

    for (int d = 0; d < tensor->dimensions; d++) {
      gsize extent = (gsize) tensor->shape[d];

      place = place * extent + rest % extent;
      rest /= extent;
    }
    ordered[place] = tensor->data[i];
  }
  g_free (tensor->data);
  tensor->data = ordered;
  return TRUE;
}

/* Finds the header text; @data_at is set to where the numbers begin. */
static char *
npy_header (const guint8 *data, gsize size, gsize *data_at)
{
  gsize start, length;

  if (size < 12)
    return NULL;
  if (data[NPY_MAGIC_SIZE] == 1) {
    start = 10;
    length = data[8] | (gsize) data[9] << 8;
  } else {
    start = 12;
    length = data[8] | (gsize) data[9] << 8 | (gsize) data[10] << 16
             | (gsize) data[11] << 24;
  }
  if (length > MAX_HEADER || length > size - start)
    return NULL;
  *data_at = start + length;
  return g_strndup ((const char *) data + start, length);
}

gboolean
tensor_from_npy (GBytes *bytes, Tensor *tensor, GError **error)
{
  gsize size, data_at;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autofree char *header = npy_header (data, size, &data_at);
  const char *descr, *order;

  if (header == NULL)
    return broken (error, "the .npy header is cut off");
  descr = npy_value (header, "descr");
  order = npy_value (header, "fortran_order");
  if (descr == NULL || order == NULL
      || !parse_npy_shape (npy_value (header, "shape"), tensor))
    return broken (error, "the .npy header is not one of an array");
  if (g_str_has_prefix (descr, "'<f4'"))
    tensor->type = TENSOR_F32;
  else if (g_str_has_prefix (descr, "'<f8'"))
    tensor->type = TENSOR_F64;
  else
    return broken (error, "the array is not of float32 or float64");
  if (!read_numbers (tensor, data + data_at, size - data_at, error))
    return FALSE;
  return !g_str_has_prefix (order, "True")
         || reorder_from_fortran (tensor, error);
}

/* ---- safetensors ---- */

/* One entry of the header, whose numbers begin at @offset. */
static void
build_entry (JsonBuilder *builder, const Tensor *tensor, const char *name,
             gsize offset)
{
  gsize end = offset + tensor_bytes (tensor);

  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "dtype");
  json_builder_add_string_value (builder, types[tensor->type].name);
  json_builder_set_member_name (builder, "shape");
  json_builder_begin_array (builder);
  for (int i = 0; i < tensor->dimensions; i++)
    json_builder_add_int_value (builder, tensor->shape[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "data_offsets");
  json_builder_begin_array (builder);
  json_builder_add_int_value (builder, (gint64) offset);
  json_builder_add_int_value (builder, (gint64) end);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

static char *
safetensors_header (const Tensor *tensors, const char *const *names, int count,
                    JsonObject *metadata)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  JsonNode *meta = json_node_new (JSON_NODE_OBJECT);
  gsize offset = 0;

  json_node_set_object (meta, metadata);
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "__metadata__");
  json_builder_add_value (builder, meta);
  for (int i = 0; i < count; i++) {
    build_entry (builder, &tensors[i], names[i], offset);
    offset += tensor_bytes (&tensors[i]);
  }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  return json_to_string (root, FALSE);
}

GBytes *
tensors_to_safetensors (const Tensor *tensors, const char *const *names,
                        int count, JsonObject *metadata, GError **error)
{
  g_autofree char *text = safetensors_header (tensors, names, count, metadata);
  g_autoptr (GString) header = g_string_new (text);
  g_autoptr (GBytes) start = NULL;
  guint64 length;

  while (header->len % 8 != 0)
    g_string_append_c (header, ' ');
  length = GUINT64_TO_LE (header->len);
  start = g_bytes_new (&length, sizeof length);
  return file_of (start, header, tensors, count, error);
}

GBytes *
tensor_to_safetensors (const Tensor *tensor, const char *name,
                       JsonObject *metadata, GError **error)
{
  return tensors_to_safetensors (tensor, &name, 1, metadata, error);
}

/* The member @name of @object if it is an array of whole numbers. */
static JsonArray *
integer_array (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  JsonArray *array;

  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return NULL;
  array = json_node_get_array (node);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonNode *element = json_array_get_element (array, i);

    if (!JSON_NODE_HOLDS_VALUE (element)
        || json_node_get_value_type (element) != G_TYPE_INT64)
      return NULL;
  }
  return array;
}

static JsonObject *
object_member (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_OBJECT (node)
           ? json_node_get_object (node)
           : NULL;
}

/* The type called @name; FALSE if there is none. */
static gboolean
find_type (const char *name, TensorType *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_strcmp0 (name, types[i].name) == 0) {
      *type = (TensorType) i;
      return TRUE;
    }
  return FALSE;
}

/* Reads shape, type and offset of the tensor that @entry describes. */
static gboolean
parse_entry (JsonObject *entry, Tensor *tensor, gsize *offset)
{
  JsonArray *shape = integer_array (entry, "shape");
  JsonArray *offsets = integer_array (entry, "data_offsets");
  const char *dtype =
    json_object_get_string_member_with_default (entry, "dtype", "");

  if (shape == NULL || offsets == NULL || json_array_get_length (offsets) != 2
      || json_array_get_length (shape) > TENSOR_MAX_DIMENSIONS
      || !find_type (dtype, &tensor->type)
      || json_array_get_int_element (offsets, 0) < 0)
    return FALSE;
  tensor->dimensions = (int) json_array_get_length (shape);
  for (int i = 0; i < tensor->dimensions; i++)
    tensor->shape[i] = json_array_get_int_element (shape, (guint) i);
  *offset = (gsize) json_array_get_int_element (offsets, 0);
  return TRUE;
}

/* Keeps those members of @source, which may be NULL, that are strings. */
static JsonObject *
strings_of (JsonObject *source)
{
  JsonObject *strings = json_object_new ();
  JsonObjectIter iter;
  const char *key;
  JsonNode *node;

  if (source == NULL)
    return strings;
  json_object_iter_init (&iter, source);
  while (json_object_iter_next (&iter, &key, &node))
    if (JSON_NODE_HOLDS_VALUE (node)
        && json_node_get_value_type (node) == G_TYPE_STRING)
      json_object_set_string_member (strings, key,
                                     json_node_get_string (node));
  return strings;
}

gboolean
tensor_from_safetensors (GBytes *bytes, const char *name, Tensor *tensor,
                         JsonObject **metadata, GError **error)
{
  gsize size, offset = 0;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autoptr (JsonNode) header = NULL;
  JsonObject *root, *entry;
  guint64 length;

  if (size < sizeof length)
    return broken (error, "neither a safetensors nor a .npy file");
  memcpy (&length, data, sizeof length);
  length = GUINT64_FROM_LE (length);
  if (length > MAX_HEADER || length > size - sizeof length)
    return broken (error, "neither a safetensors nor a .npy file");
  header = bounded_json_parse ((const char *) data + sizeof length, length);
  if (header == NULL || !JSON_NODE_HOLDS_OBJECT (header))
    return broken (error, "the safetensors header is not JSON");

  root = json_node_get_object (header);
  entry = object_member (root, name);
  if (entry == NULL || !parse_entry (entry, tensor, &offset)
      || offset > size - sizeof length - length) {
    g_set_error (error, TESSERA_ERROR, TESSERA_ERROR_INPUT,
                 "it has no tensor of floats called \"%s\"", name);
    return FALSE;
  }
  data += sizeof length + length + offset;
  size -= sizeof length + length + offset;
  if (!read_numbers (tensor, data, size, error))
    return FALSE;
  *metadata = strings_of (object_member (root, "__metadata__"));
  return TRUE;
}
