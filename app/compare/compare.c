/* compare.c - compares dictionaries: learn, damage, restore, report */
#include "app/compare/compare.h"

#include "app/command.h"
#include "app/files/folder.h"
#include "app/cli/interrupt.h"
#include "app/cli/optionlist.h"
#include "app/cli/jsonreport.h"
#include "app/cli/terminal.h"
#include "base/error.h"
#include "base/ranks.h"

#include <string.h>

static const char about[] =
  "Examples:\n"
  "  tessera compare photos/ -o report\n"
  "  tessera compare photos/ --damage missing:0.5,blocks:10x36 -o report\n"
  "  tessera compare --train a/ --test b/ --algorithms ksvd,mod -o report\n"
  "  tessera compare photos/ --dict mine=mine.safetensors -o report\n"
  "  tessera compare photos/ -o report \\\n"
  "    --restorer \"mine=./mend {input} {mask} {output}\"\n"
  "\n"
  "Learns dictionaries from the same patches, restores the same damaged\n"
  "pictures with each, and writes the scores as a page (index.html), tables\n"
  "and dictionaries.  Test pictures are set aside before learning.";

#define USUAL_PATCH 10
#define LEAST_PATCH 4
#define MOST_PATCH 32
#define MOST_PATCHES 10000000
#define MOST_PICTURES 100000

/* For the bar: which part of learning is reading; the share of learning that
 * ends by itself; and, where its time is limited, what that takes with the
 * probes. */
#define READING_END 0.125
#define LEARNING_END 0.4
#define WITH_PROBES 1.5

/* ---- what was asked for ---- */

/* Section 4.2 of the paper: lost pixels with small patches, and blocks, as
 * many as a picture of 150 x 150 has patches, with large ones. */
static const ComparePart paper_parts[] = {
  { "missing", 10, "missing:0.5" },
  { "blocks", 25, "blocks:3x36,blocks:5x36,blocks:10x36" },
};

static const char *const presets[] = { "none", "paper", NULL };

static gboolean
usage (GError **error, const char *message)
{
  g_set_error_literal (error, TESSERA_ERROR, TESSERA_ERROR_USAGE, message);
  return FALSE;
}

/* May be given several times. */
static gboolean
option_pair (const Option *option, const char *text, GError **error)
{
  GPtrArray *pairs = option->value;

  (void) error;
  g_ptr_array_add (pairs, g_strdup (text));
  return TRUE;
}

static void
add_options (Compare *compare)
{
  const Option rows[] = {
    { "output", 'o', "FOLDER", "folder for the report, created if needed",
      option_file, .value = &compare->folder },
    { "train", 0, "FOLDER", "pictures to learn from", option_file,
      .value = &compare->train },
    { "test", 0, "FOLDER", "pictures to test with", option_file,
      .value = &compare->test },
    { "test-pictures", 0, "N", "number of test pictures (20, or a quarter)",
      option_int, .value = &compare->test_pictures, .min = 1,
      .max = MOST_PICTURES },
    { "algorithms", 'a', "LIST", "what to compare: online,ksvd ...; see man",
      option_word_list, .value = &compare->algorithms,
      .choices = compare_algorithm_names () },
    { "dict", 0, "NAME=FILE", "also compare this dictionary; may be repeated",
      option_pair, .value = compare->files },
    { "restorer", 0, "NAME=COMMAND", "also compare this program; see man",
      option_pair, .value = compare->restorers },
    { "learner", 0, "NAME=COMMAND", "also learn with this program; see man",
      option_pair, .value = compare->learners },
    { "outside-limit", 0, "SECONDS", "for each run of such a program (600)",
      option_real, .value = &compare->outside_limit, .min = 0.1, .max = 1e9 },
    { "seeds", 0, "LIST", "learn with each of these seeds: 1,2,3",
      option_seed_list, .value = &compare->seeds },
    { "damage", 'd', "LIST", "missing:0.5, blocks:10x36, noise:25 ...",
      option_damage_list, .value = &compare->damages },
    { "preset", 0, "NAME", "paper: both experiments of its section 4.2",
      option_choice, .value = &compare->preset, .choices = presets },
    { "separate", 0, NULL, "patches side by side only, as in the paper",
      option_flag, .value = &compare->separate },
    { "patch", 0, "SIDE", "side of a patch, 4 to 32 (10)", option_int,
      .value = &compare->patch, .min = LEAST_PATCH, .max = MOST_PATCH },
    { "patches", 0, "N", "patches to learn from (10k)", option_int,
      .value = &compare->patches, .min = 1, .max = MOST_PATCHES },
    { "iterations", 0, "N", "steps of each learner (its usual number)",
      option_int, .value = &compare->iterations, .min = 1, .max = G_MAXINT },
    { "time-limit", 0, "SECONDS", "learning time of each algorithm",
      option_real, .value = &compare->time_limit, .min = 0.001, .max = 1e9 },
    { "init", 0, "START", "dct (the default), pca, data or random",
      option_choice, .value = &compare->init, .choices = compare_init_names },
    { "atoms", 0, "N", "number of atoms, for ksvd and mod", option_int,
      .value = &compare->atoms, .min = 1, .max = DICTIONARY_MAX_ATOMS },
    { "train-atoms", 0, "N", "atoms per patch while ksvd and mod learn (10)",
      option_int, .value = &compare->train_atoms, .min = 1, .max = 1024 },
    { "atoms-per-patch", 0, "N", "atoms per separate patch (a tenth: 30)",
      option_int, .value = &compare->atoms_per_patch, .min = 1, .max = 1024 },
    { "reference", 0, "NAME", "report differences to this (dct, or the first)",
      option_file, .value = &compare->reference },
    { "show", 0, "N", "test pictures shown on the page (6)", option_int,
      .value = &compare->show, .min = 0, .max = 1000 },
  };

  command_line_add (&compare->line, rows, G_N_ELEMENTS (rows));
}

/* The defaults: the paper's experiment. */
static gboolean
apply_defaults (Compare *compare, GError **error)
{
  const Option damage = { .value = &compare->damages };
  static const char *const usual[] = { "dct",  "online",     "online-paper",
                                       "ksvd", "ksvd-paper", "tessera",
                                       NULL };

  if (compare->patch == 0)
    compare->patch = USUAL_PATCH;
  if (compare->algorithms == NULL)
    compare->algorithms = g_strdupv ((char **) usual);
  if (compare->seeds == NULL) {
    compare->seeds = g_array_new (FALSE, FALSE, sizeof (guint64));
    g_array_append_val (compare->seeds, compare->line.seed);
  }
  return compare->damages != NULL
         || option_damage_list (&damage, "missing:0.5", error);
}

static gboolean
check_options (const Compare *compare, GError **error)
{
  gboolean has_arguments = compare->line.arguments != NULL;
  gboolean has_folders = compare->train != NULL || compare->test != NULL;

  if (compare->folder == NULL)
    return usage (error, "-o FOLDER is missing: folder for the report");
  if ((compare->train == NULL) != (compare->test == NULL))
    return usage (error, "--train and --test go together");
  if (has_arguments && has_folders)
    return usage (error, "give pictures to split, or --train and --test, but "
                         "not both");
  if (!has_arguments && !has_folders)
    return usage (error, "name a folder of pictures, or give --train and "
                         "--test");
  if (compare->preset != 0
      && (compare->patch != 0 || compare->damages != NULL
          || compare->files->len > 0))
    return usage (error, "--preset has patches and damage of its own: omit "
                         "--patch, --damage and --dict");
  return TRUE;
}

/* What one comparison of a preset is about. */
static gboolean
apply_part (Compare *compare, GError **error)
{
  const Option damage = { .value = &compare->damages };

  if (compare->part == NULL)
    return TRUE;
  compare->part_folder =
    g_build_filename (compare->folder, compare->part->name, NULL);
  compare->folder = compare->part_folder;
  compare->patch = compare->part->patch;
  compare->separate = TRUE;
  return option_damage_list (&damage, compare->part->damages, error);
}

/* The whole line, so that it can be typed again. */
static char *
quote_command (char **argv)
{
  GString *text = g_string_new ("tessera");

  for (int i = 0; argv[i] != NULL; i++) {
    g_autofree char *quoted = g_shell_quote (argv[i]);
    gboolean plain =
      argv[i][0] != '\0'
      && argv[i][strspn (argv[i],
                         G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_./:,=+%@")]
           == '\0';

    g_string_append_printf (text, " %s", plain ? argv[i] : quoted);
  }
  return g_string_free (text, FALSE);
}

static gboolean
parse (Compare *compare, char **argv, GError **error)
{
  CommandLine *line = &compare->line;
  g_autofree char *command = quote_command (argv);

  line->usage = "FILE|FOLDER... -o FOLDER";
  line->about = about;
  line->max_arguments = G_MAXINT;
  line->common = COMMON_OUTPUT | COMMON_LIMITS | COMMON_SEED;
  add_options (compare);
  if (!command_line_parse (line, argv, error))
    return FALSE;
  compare->command = g_utf8_make_valid (command, -1);
  return line->answered
         || (check_options (compare, error) && apply_part (compare, error)
             && apply_defaults (compare, error));
}

/* ---- doing it ---- */

/* The share of the work that is learning. */
static double
learning_share (const Compare *compare)
{
  double learning = 0;

  if (compare->time_limit == 0)
    return LEARNING_END;
  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);

    if (contender_learns (contender))
      learning += WITH_PROBES * compare->time_limit * contender->run_count;
  }
  return learning / (learning + compare_restoring_seconds (compare) + 1e-9);
}

/* Reads the patches of one seed and learns from them, which is @share of the
 * work. */
static gboolean
run_seed (Compare *compare, guint seed, double share, const Progress *progress,
          GError **error)
{
  double begin = seed * share;
  ProgressPart reading = { progress, begin, begin + READING_END * share };
  ProgressPart learning = { progress, begin + READING_END * share,
                            begin + share };
  Progress part = progress_part (&reading);

  progress_bar_set_label (&compare->bar, "reading pictures");
  if (!compare_gather_patches (compare, seed, &part, error))
    return FALSE;
  skipped_files_print (&compare->skipped);
  part = progress_part (&learning);
  return compare_learn (compare, seed, &part, error);
}

static gboolean
run_all (Compare *compare, const Progress *progress, GError **error)
{
  double learning_end = learning_share (compare);
  ProgressPart testing = { progress, learning_end, 1 };
  Progress part;

  for (guint seed = 0; seed < compare->seeds->len; seed++)
    if (!run_seed (compare, seed, learning_end / compare->seeds->len, progress,
                   error))
      return FALSE;
  progress_bar_set_label (&compare->bar, "restoring");
  part = progress_part (&testing);
  return compare_test (compare, &part, error);
}

/* Whether there is anything to save after an interrupt. */
static gboolean
has_results (const Compare *compare)
{
  for (guint i = 0; i < compare->contenders->len; i++) {
    const Contender *contender = compare_contender (compare, i);

    if (contender_learns (contender) && contender->runs[0].ready)
      return TRUE;
  }
  return compare->scores->len > 0;
}

/* Learns and tests.  An interrupt after which there is something to save is no
 * failure yet. */
static gboolean
run (Compare *compare, GError **error)
{
  Progress progress;
  GError *stopped = NULL;
  gboolean ok;

  interrupt_be_patient ();
  progress = progress_bar_start (&compare->bar, "reading pictures");
  ok = run_all (compare, &progress, &stopped);
  progress_bar_stop (&compare->bar);
  if (ok)
    return TRUE;
  if (compare->is_over
      || !g_error_matches (stopped, TESSERA_ERROR, TESSERA_ERROR_CANCELLED)) {
    g_propagate_error (error, stopped);
    return FALSE;
  }
  g_clear_error (&stopped);
  if (!has_results (compare))
    return tessera_fail (error, TESSERA_ERROR_CANCELLED,
                         "interrupted before anything was learned or "
                         "restored; there is no report");
  compare->interrupted = TRUE;
  interrupt_begin_saving ();
  return TRUE;
}

static gboolean
print_result (Compare *compare, GError **error)
{
  g_autofree char *page =
    g_build_filename (compare->folder, "index.html", NULL);

  skipped_files_print (&compare->skipped);
  if (compare->skipped.count > 0)
    terminal_note ("skipped %d picture%s", compare->skipped.count,
                   PLURAL (compare->skipped.count));
  if (compare->line.json) {
    g_autoptr (JsonObject) json = compare_to_json (compare);

    if (compare->all != NULL)
      json_object_set_object_member (compare->all, compare->part->name,
                                     json_object_ref (json));
    else if (!json_report_print (json, error))
      return FALSE;
  } else {
    g_autofree char *text = compare_to_text (compare);
    g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

    for (int i = 0; lines[i] != NULL; i++)
      terminal_result ("%s", lines[i]);
    terminal_result ("-> %s", page);
  }
  if (!compare->interrupted)
    return TRUE;
  return tessera_fail (error, TESSERA_ERROR_CANCELLED,
                       compare->scores->len > 0
                         ? "interrupted; what was finished is in %s"
                         : "interrupted before any picture was restored; what "
                           "was learned is in %s",
                       page);
}

/* The first rank makes the folder; all of them learn whether it could. */
static gboolean
prepare_folder (const Compare *compare, FolderState *state, GError **error)
{
  gboolean ok =
    !ranks_is_first ()
    || folder_prepare (compare->folder, compare->line.force, state, error);

  ranks_begin ();
  ranks_broadcast (&ok, sizeof ok, 0);
  ranks_end ();
  return ok;
}

/* Where another rank has failed, that one says why. */
static gboolean
give_up (const Compare *compare, FolderState state, GError **error)
{
  if (ranks_is_first ())
    folder_undo (compare->folder, state);
  if (!compare->is_over)
    return FALSE;
  g_clear_error (error);
  return TRUE;
}

static gboolean
work (Compare *compare, GError **error)
{
  FolderState state = { 0 };

  if (!compare_make_contenders (compare, error)
      || !compare_find_pictures (compare, error))
    return FALSE;
  if (!prepare_folder (compare, &state, error))
    return !ranks_is_first ();
  if (!run (compare, error))
    return give_up (compare, state, error);
  if (!ranks_is_first ())
    return TRUE;
  compare_summarise (compare);
  if (!compare_write_report (compare, error)) {
    folder_undo (compare->folder, state);
    return FALSE;
  }
  return print_result (compare, error);
}

static void
compare_init (Compare *compare)
{
  *compare = (Compare){ .patches = 10000,
                        .show = 6,
                        .train_atoms = 10,
                        .outside_limit = 600,
                        .began = g_date_time_new_now_utc (),
                        .started = g_get_monotonic_time () };
  compare->files = g_ptr_array_new_with_free_func (g_free);
  compare->restorers = g_ptr_array_new_with_free_func (g_free);
  compare->learners = g_ptr_array_new_with_free_func (g_free);
  compare->contenders = g_array_new (FALSE, TRUE, sizeof (Contender));
  g_array_set_clear_func (compare->contenders, compare_contender_clear);
  compare->methods = g_array_new (FALSE, FALSE, sizeof (Method));
  compare->scores = g_array_new (FALSE, FALSE, sizeof (Score));
  compare->shown = g_array_new (FALSE, FALSE, sizeof (Shown));
  compare->summary = g_array_new (FALSE, FALSE, sizeof (SummaryRow));
  skipped_files_init (&compare->skipped);
  command_line_init (&compare->line);
}

static void
compare_clear (Compare *compare)
{
  GArray *arrays[] = { compare->damages, compare->contenders, compare->methods,
                       compare->scores,  compare->shown,      compare->summary,
                       compare->seeds };
  GPtrArray *lists[] = { compare->files,    compare->restorers,
                         compare->learners, compare->training,
                         compare->probing,  compare->testing,
                         compare->names };

  for (gsize i = 0; i < G_N_ELEMENTS (arrays); i++)
    g_clear_pointer (&arrays[i], g_array_unref);
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    g_clear_pointer (&lists[i], g_ptr_array_unref);
  g_strfreev (compare->algorithms);
  g_free (compare->part_folder);
  g_free (compare->command);
  g_date_time_unref (compare->began);
  mat_clear (&compare->Y);
  skipped_files_clear (&compare->skipped);
  command_line_clear (&compare->line);
}

static gboolean
run_part (char **argv, const ComparePart *part, JsonObject *all,
          GError **error)
{
  Compare compare;
  gboolean ok;

  compare_init (&compare);
  compare.part = part;
  compare.all = all;
  ok = parse (&compare, argv, error) && work (&compare, error);
  compare_clear (&compare);
  return ok;
}

/* One comparison after the other, each into a folder below that of the
 * report. */
static gboolean
work_on_preset (Compare *compare, char **argv, GError **error)
{
  g_autoptr (JsonObject) all = json_object_new ();
  FolderState state = { 0 };
  gboolean ok = TRUE;

  if (!prepare_folder (compare, &state, error))
    return !ranks_is_first ();
  for (gsize i = 0; ok && i < G_N_ELEMENTS (paper_parts); i++)
    ok = run_part (argv, &paper_parts[i], all, error);
  if (!ok && ranks_is_first ())
    folder_undo (compare->folder, state);
  if (json_object_get_size (all) > 0 && ranks_is_first ())
    ok = json_report_print (all, ok ? error : NULL) && ok;
  return ok;
}

static gboolean
run_command (char **argv, GError **error)
{
  Compare compare;
  gboolean ok;

  compare_init (&compare);
  ok = parse (&compare, argv, error);
  if (ok && !compare.line.answered)
    ok = compare.preset != 0 ? work_on_preset (&compare, argv, error)
                             : work (&compare, error);
  compare_clear (&compare);
  return ok;
}

const Command command_compare = { .name = "compare",
                                  .summary =
                                    "compare dictionaries and write a report",
                                  .run = run_command,
                                  .is_shared = TRUE };
