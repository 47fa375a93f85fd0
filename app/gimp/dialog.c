#include "app/gimp/dialog.h"

#include "app/gimp/preview.h"

#include <libgimp/gimpui.h>

#define SPACING 6
#define SCALE_WIDTH 160
#define SPIN_WIDTH 6

typedef struct {
  Values *values;
  Preview *preview; /* or NULL */
  GtkTable *table;
  int row;
} Dialog;

/* What a widget changes. */
typedef struct {
  Dialog *dialog;
  double *value;
  int bit; /* of KINDS */
} Control;

static Control *
control_new (Dialog *dialog, double *value, int bit)
{
  Control *control = g_new (Control, 1);

  *control = (Control){ dialog, value, bit };
  return control;
}

static void
control_free (gpointer control, GClosure *closure)
{
  (void) closure;
  g_free (control);
}

static void
changed (const Control *control)
{
  if (control->dialog->preview != NULL)
    preview_update (control->dialog->preview);
}

/* ---- widgets ---- */

static void
on_choice (GtkWidget *box, Control *control)
{
  int choice;

  if (gimp_int_combo_box_get_active (GIMP_INT_COMBO_BOX (box), &choice))
    *control->value = choice;
  changed (control);
}

static void
add_choice (Dialog *dialog, const Setting *setting, double *value)
{
  GtkWidget *box = gimp_int_combo_box_new_array (
    setting_choices (setting), (const char **) setting->choices);

  gimp_int_combo_box_set_active (GIMP_INT_COMBO_BOX (box), (int) *value);
  g_signal_connect_data (box, "changed", G_CALLBACK (on_choice),
                         control_new (dialog, value, 0), control_free, 0);
  gimp_help_set_help_data (box, setting->help, NULL);
  gimp_table_attach_aligned (dialog->table, 0, dialog->row++, setting->label,
                             0, 0.5F, box, 2, FALSE);
}

static void
on_flag (GtkToggleButton *button, Control *control)
{
  int bits = (int) *control->value & ~control->bit;

  if (gtk_toggle_button_get_active (button))
    bits |= control->bit;
  *control->value = bits;
  changed (control);
}

/* A switch for one bit of @value. */
static void
add_flag (Dialog *dialog, const char *label, const char *help, double *value,
          int bit)
{
  GtkWidget *button = gtk_check_button_new_with_mnemonic (label);

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button),
                                ((int) *value & bit) != 0);
  g_signal_connect_data (button, "toggled", G_CALLBACK (on_flag),
                         control_new (dialog, value, bit), control_free, 0);
  gimp_help_set_help_data (button, help, NULL);
  gtk_table_attach_defaults (dialog->table, button, 0, 3, (guint) dialog->row,
                             (guint) dialog->row + 1);
  gtk_widget_show (button);
  dialog->row++;
}

static void
add_kinds (Dialog *dialog, const Setting *setting, double *value)
{
  for (int i = 0; tessera_find_noun (i) != NULL; i++) {
    g_autofree char *label = g_strdup (tessera_find_noun (i));

    label[0] = g_ascii_toupper (label[0]);
    add_flag (dialog, label, setting->help, value, 1 << i);
  }
}

static void
on_number (GtkAdjustment *adjustment, Control *control)
{
  *control->value = gtk_adjustment_get_value (adjustment);
  changed (control);
}

static void
add_number (Dialog *dialog, const Setting *setting, double *value)
{
  gboolean is_whole = setting->type == SETTING_WHOLE;
  double step = is_whole || setting->max > 10 ? 1 : 0.05;
  GtkObject *adjustment = gimp_scale_entry_new (
    dialog->table, 0, dialog->row++, setting->label, SCALE_WIDTH, SPIN_WIDTH,
    *value, setting->min, setting->max, step, 10 * step, is_whole ? 0 : 2,
    TRUE, 0, 0, setting->help, NULL);

  g_signal_connect_data (adjustment, "value-changed", G_CALLBACK (on_number),
                         control_new (dialog, value, 0), control_free, 0);
}

static void
add_setting (Dialog *dialog, const Setting *setting, double *value)
{
  switch (setting->type) {
  case SETTING_CHOICE:
    add_choice (dialog, setting, value);
    break;
  case SETTING_FLAG:
    add_flag (dialog, setting->label, setting->help, value, 1);
    break;
  case SETTING_KINDS:
    add_kinds (dialog, setting, value);
    break;
  case SETTING_WHOLE:
  case SETTING_REAL:
    add_number (dialog, setting, value);
    break;
  }
}

/* ---- the dialog ---- */

static GtkWidget *
window_new (const Filter *filter)
{
  GtkWidget *window =
    gimp_dialog_new (filter->title, filter->procedure, NULL, 0,
                     gimp_standard_help_func, filter->procedure, "_Cancel",
                     GTK_RESPONSE_CANCEL, "_OK", GTK_RESPONSE_OK, NULL);

  gtk_dialog_set_default_response (GTK_DIALOG (window), GTK_RESPONSE_OK);
  gtk_window_set_resizable (GTK_WINDOW (window), TRUE);
  gimp_window_set_transient (GTK_WINDOW (window));
  return window;
}

static void
fill_window (Dialog *dialog, GtkWidget *window, const Filter *filter)
{
  GtkWidget *box = gtk_vbox_new (FALSE, 2 * SPACING);
  GtkWidget *table = gtk_table_new (1, 3, FALSE);

  gtk_container_set_border_width (GTK_CONTAINER (box), 2 * SPACING);
  gtk_box_pack_start (
    GTK_BOX (gtk_dialog_get_content_area (GTK_DIALOG (window))), box, TRUE,
    TRUE, 0);
  if (dialog->preview != NULL)
    gtk_box_pack_start (GTK_BOX (box), preview_widget (dialog->preview), TRUE,
                        TRUE, 0);
  gtk_box_pack_start (GTK_BOX (box), table, FALSE, FALSE, 0);
  dialog->table = GTK_TABLE (table);
  gtk_table_set_col_spacings (dialog->table, SPACING);
  gtk_table_set_row_spacings (dialog->table, SPACING);
  for (int i = 0; i < filter->setting_count; i++)
    add_setting (dialog, &filter->settings[i], &dialog->values->value[i]);
  gtk_widget_show (table);
  gtk_widget_show (box);
}

gboolean
dialog_run (const Filter *filter, gint32 drawable, TesseraContext *context,
            Values *values)
{
  Dialog dialog = { .values = values };
  GtkWidget *window;
  gboolean is_wanted;

  gimp_ui_init ("tessera", FALSE);
  window = window_new (filter);
  if (filter->choose != NULL) {
    dialog.preview = preview_new (filter, drawable, context, values);
    g_signal_connect_swapped (window, "response", G_CALLBACK (preview_close),
                              dialog.preview);
  }
  fill_window (&dialog, window, filter);
  gtk_widget_show (window);
  is_wanted = gimp_dialog_run (GIMP_DIALOG (window)) == GTK_RESPONSE_OK;
  gtk_widget_destroy (window);
  preview_free (dialog.preview);
  return is_wanted;
}
