/* tensor.h - one array of floats in file formats known to numpy users
 *
 * Both formats are a short text header and raw little-endian numbers in C
 * order.  Every size in a header is checked against the bytes that are there.
 */
#pragma once

#include <json-glib/json-glib.h>

#define TENSOR_MAX_DIMENSIONS 4

/* How numbers are stored in a safetensors file. */
typedef enum { TENSOR_F32, TENSOR_F16, TENSOR_BF16, TENSOR_F64 } TensorType;

typedef struct {
  int dimensions;
  gint64 shape[TENSOR_MAX_DIMENSIONS]; /* each at least 1 */
  float *data;                         /* last dimension runs fastest */
  TensorType type; /* in a safetensors file; F32 and F16 can be written */
} Tensor;

/* The largest magnitude that F16 has. */
#define TENSOR_F16_MOST 65504.f

/* Frees the data of a tensor that was read. */
void tensor_clear (Tensor *tensor);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tensor, tensor_clear)

gboolean tensor_is_npy (GBytes *bytes);

/* Write.  @metadata holds strings only.  For F16, numbers are rounded to the
 * nearest and must not exceed TENSOR_F16_MOST.  .npy has F32 only.  NULL with
 * @error set: MEMORY. */
GBytes *tensor_to_npy (const Tensor *tensor, GError **error);
GBytes *tensor_to_safetensors (const Tensor *tensor, const char *name,
                               JsonObject *metadata, GError **error);

/* The same for @count tensors, one after the other. */
GBytes *tensors_to_safetensors (const Tensor *tensors,
                                const char *const *names, int count,
                                JsonObject *metadata, GError **error);

/* Read into an empty @tensor that the caller clears.  Errors are INPUT or
 * MEMORY; their messages say what is wrong, not with which file. */
gboolean tensor_from_npy (GBytes *bytes, Tensor *tensor, GError **error);

/* Reads tensor @name, of any TensorType; @metadata is set to the file's metadata, perhaps
 * empty, which the caller owns. */
gboolean tensor_from_safetensors (GBytes *bytes, const char *name,
                                  Tensor *tensor, JsonObject **metadata,
                                  GError **error);
