/* dialog.h - the dialog of a filter */
#pragma once

#include "app/gimp/filter.h"

/* Asks for the settings of @filter, which begin with those of @values.  FALSE
 * if the user thinks better of it. */
gboolean dialog_run (const Filter *filter, gint32 drawable,
                     TesseraContext *context, Values *values);
