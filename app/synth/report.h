/* report.h - the results of an experiment: tables, figures, a summary */
#pragma once

#include "app/chart/plot.h"
#include "app/chart/table.h"

typedef struct SynthReport SynthReport;

SynthReport *synth_report_new (void);
void synth_report_free (SynthReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SynthReport, synth_report_free)

/* Take ownership of @table and @plot, which become the files NAME.csv and
 * NAME.svg.  They may still be added to. */
void synth_report_add_table (SynthReport *self, const char *name,
                             Table *table);
void synth_report_add_plot (SynthReport *self, const char *name, Plot *plot);

/* Takes ownership of @table, which is shown to the user. */
void synth_report_set_summary (SynthReport *self, Table *table);

/* Writes all files into @folder.  FALSE with @error set (FAILED, CANCELLED);
 * files that were written before stay. */
gboolean synth_report_write (const SynthReport *self, const char *folder,
                             gboolean force, GError **error);

/* The summary and the names of the files, as text and into @json as "results"
 * and "files". */
void synth_report_print (const SynthReport *self, const char *folder);
void synth_report_to_json (const SynthReport *self, const char *folder,
                           JsonObject *json);
