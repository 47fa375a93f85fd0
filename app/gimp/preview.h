/* preview.h - what a filter makes of a small part of a layer, in its dialog */
#pragma once

#include "app/gimp/filter.h"

#include <libgimp/gimpui.h>

typedef struct Preview Preview;

/* Keeps all arguments, of which @values may change. */
Preview *preview_new (const Filter *filter, gint32 drawable,
                      TesseraContext *context, const Values *values);

/* To be called when the widget is gone.  @self may be NULL. */
void preview_free (Preview *self);

/* Belongs to the container that it is packed into. */
GtkWidget *preview_widget (Preview *self);

/* The values have changed. */
void preview_update (Preview *self);

/* Stops the work: the dialog was answered. */
void preview_close (Preview *self);
