#include "base/error.h"

G_DEFINE_QUARK (tessera - error - quark, tessera_error)
