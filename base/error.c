#include "base/error.h"

GQuark
tessera_error_quark (void)
{
  return g_quark_from_static_string ("tessera-error-quark");
}
