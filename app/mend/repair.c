#include "app/mend/repair.h"

#include "app/batch/batch.h"
#include "app/files/dictionaryfile.h"
#include "app/mend/noiseoptions.h"
#include "app/mend/repairpicture.h"
#include "base/error.h"
#include "base/ranks.h"

enum { PROTOCOL_TESSERA, PROTOCOL_PAPER };
static const char *const protocols[] = { "tessera", "paper", NULL };

static void
request_init (RepairRequest *request, const RepairTask *task)
{
  *request = (RepairRequest){ .task = task,
                              .output = PICTURE_OUTPUT_DEFAULTS,
                              .options = RESTORE_DEFAULTS,
                              .quality = QUALITY_NORMAL,
                              .protocol = PROTOCOL_TESSERA };
  command_line_init (&request->line);
}

static void
request_clear (RepairRequest *request)
{
  command_line_clear (&request->line);
  dictionary_free (request->dictionary);
}

static gboolean
check_options (const RepairTask *task, GError **error)
{
  if (!missing_check_options (task->sources, error)
      || (task->noise != NULL && !noise_check_options (task->noise, error)))
    return FALSE;
  return !task->sources->nothing || !task->noise->keep || *task->fading >= 0
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "--no-damage and --no-noise leave nothing to do");
}

static void
add_task_options (CommandLine *line, const RepairTask *task)
{
  command_line_add (line, task->options, task->option_count);
  if (task->is_search)
    missing_add_find_options (line, task->sources);
  else if (task->kinds != NULL)
    missing_add_options (line, task->sources);
  if (task->noise != NULL)
    noise_add_options (line, task->noise);
}

/* Options of all commands that change pictures. */
static void
add_repair_options (CommandLine *line, RepairRequest *request)
{
  const Option rows[] = {
    { "quality", 0, "NAME", "fast, normal or best (normal)", option_choice,
      .value = &request->quality, .choices = restore_quality_names },
    { "fill", 0, "NAME", "large holes: auto, smooth or texture (auto)",
      option_choice, .value = &request->fill, .choices = thick_fill_names },
    { "grain", 0, "F", "keep, or fill with, this fraction of the grain",
      option_real, .value = &request->options.grain, .min = 0, .max = 1 },
    { "crop", 0, "X,Y,WxH", "work on this part only; the rest stays",
      option_area, .value = &request->options.area },
    { "protocol", 0, "NAME", "'paper': the method of the paper, to compare",
      option_choice, .value = &request->protocol, .choices = protocols },
  };

  picture_add_output_or_folder (line, &request->output);
  command_line_add (line, rows, G_N_ELEMENTS (rows));
  line->common |= COMMON_SEED | COMMON_DICTIONARY;
}

static void
describe (CommandLine *line, RepairRequest *request)
{
  line->usage = "IN... -o OUT";
  line->about = request->task->about;
  line->min_arguments = 1;
  line->max_arguments = G_MAXINT;
  line->common = COMMON_OUTPUT | COMMON_LIMITS;
  add_task_options (line, request->task);
  if (request->task->is_search) {
    picture_add_place (line, &request->output);
    request->folders.format = "png";
  } else
    add_repair_options (line, request);
  batch_add_options (line, &request->folders);
}

static gboolean
parse (RepairRequest *request, char **argv, GError **error)
{
  CommandLine *line = &request->line;

  describe (line, request);
  if (!command_line_parse (line, argv, error)
      || !check_options (request->task, error))
    return FALSE;
  request->options.quality = (RestoreQuality) request->quality;
  request->options.fill = (ThickFill) request->fill;
  request->options.seed = line->seed;
  request->options.paper_protocol = request->protocol == PROTOCOL_PAPER;
  request->options.detector = request->task->detector;
  if (request->task->fading != NULL)
    request->options.fading = (FadingMode) (*request->task->fading + 1);
  if (request->task->noise != NULL) {
    request->options.sigma =
      request->task->noise->keep ? 0 : request->task->noise->sigma;
    request->options.strength = request->task->noise->strength;
  }
  request->options.fill_grain =
    g_hash_table_contains (line->given, "grain") ? request->options.grain
                                                 : request->task->fill_grain;
  return TRUE;
}

/* The dictionary, which is the same for all pictures. */
static gboolean
load_dictionary (RepairRequest *request, GError **error)
{
  const char *name = request->line.dictionary;

  if (name == NULL || dictionary_file_is_builtin (name))
    return TRUE;
  if (dictionary_file_is_cosines (name)) {
    request->options.cosines = TRUE;
    return TRUE;
  }
  request->dictionary = dictionary_file_load (name, error);
  request->options.dictionary = request->dictionary;
  return request->dictionary != NULL;
}

/* ---- one picture ---- */

static gboolean
run_alone (const RepairRequest *request, GError **error)
{
  Repair repair = { .request = request,
                    .path = request->line.arguments[0],
                    .mask_path = request->task->sources->file,
                    .output = request->output.path,
                    .is_alone = TRUE };
  gboolean ok = repair_alone (&repair, error);

  repair_clear (&repair);
  return ok;
}

/* ---- a folder of them ---- */

static GBytes *
take_turn (BatchTurn *turn, gpointer data, GError **error)
{
  Repair repair = { .request = data,
                    .path = turn->item->input,
                    .mask_path = turn->item->mask,
                    .output = turn->item->output };
  GBytes *bytes = repair_in_turn (&repair, turn, error);

  repair_clear (&repair);
  return bytes;
}

static gboolean
run_folder (RepairRequest *request, GError **error)
{
  BatchRequest wanted = { request->line.arguments, request->output.path,
                          request->task->sources->file,
                          request->output.mask_path, &request->folders };
  g_autoptr (BatchPlan) plan = NULL;
  g_autofree char *recipe = command_line_recipe (&request->line);
  Batch batch = { .options = &request->folders,
                  .line = &request->line,
                  .folder = request->output.path,
                  .mask_folder = request->output.mask_path,
                  .label = request->task->label,
                  .recipe = recipe,
                  .work = take_turn,
                  .data = request };

  if (!repair_check_noise_out (request, error))
    return FALSE;
  plan = batch_plan_new (&wanted, error);
  batch.plan = plan;
  return plan != NULL && batch_run (&batch, error);
}

/* A mask must come back bit for bit. */
static gboolean
check_lossless (const RepairRequest *request, GError **error)
{
  g_autofree char *in_folder =
    g_strconcat ("x.", request->folders.format, NULL);
  const char *path =
    request->line.into_folder ? in_folder : request->output.path;
  TesseraFormat format = TESSERA_PNG;

  image_format_from_path (path, &format);
  return format == TESSERA_PNG || format == TESSERA_TIFF
         || tessera_fail (error, TESSERA_ERROR_USAGE,
                          "masks are written as PNG or TIFF; use one of "
                          "these extensions");
}

static gboolean
work (RepairRequest *request, GError **error)
{
  if (!picture_check_place (&request->line, &request->output, error)
      || (request->task->is_search && !check_lossless (request, error))
      || !load_dictionary (request, error))
    return FALSE;
  if (request->line.into_folder)
    return run_folder (request, error);
  /* A single picture is not shared out. */
  return !ranks_is_first () || run_alone (request, error);
}

gboolean
repair_run (const RepairTask *task, char **argv, GError **error)
{
  RepairRequest request;
  gboolean ok;

  request_init (&request, task);
  ok = parse (&request, argv, error)
       && (request.line.answered || work (&request, error));
  request_clear (&request);
  return ok;
}
