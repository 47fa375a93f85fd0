/* commandline.h - what a command was asked to do
 *
 * The command describes itself and adds its options; parsing fills in the
 * rest, answers --help and --version, and checks all files that are named
 * before any work is done.
 */
#pragma once

#include "app/cli/option.h"
#include "imaging/codec/codec.h"

/* Options that several commands have. */
typedef enum {
  COMMON_OUTPUT = 1 << 0,     /* --force */
  COMMON_LIMITS = 1 << 1,     /* --max-pixels and the like, --lenient */
  COMMON_SEED = 1 << 2,       /* --seed */
  COMMON_DICTIONARY = 1 << 3, /* --dict */
} CommonOptions;

typedef struct {
  /* The command's description. */
  const char *usage; /* "IN -o OUT" */
  const char *about; /* what it does, then examples */
  int min_arguments, max_arguments;
  const char *const *words; /* what the argument may be, NULL at the end; NULL
                               for names of files */
  CommonOptions common;
  GArray *options; /* Option */

  /* What the user asked for. */
  gboolean answered; /* by --help or --version: there is nothing to do */
  gboolean into_folder; /* an OUTPUT_PLACE is a folder */
  char **arguments;  /* files to read */
  GHashTable *given; /* texts of the options that were given, by name */
  gboolean json, force, quiet, verbose, help, version;
  int threads; /* 0 for one per core */
  guint64 seed;
  const char *dictionary; /* NULL for the built-in one */
  ImageLimits limits;
} CommandLine;

void command_line_init (CommandLine *line);
void command_line_clear (CommandLine *line);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CommandLine, command_line_clear)

/* Adds @count rows, which are copied. */
void command_line_add (CommandLine *line, const Option *rows, gsize count);

/* What a result depends on, apart from the arguments: the version, the command
 * and the options that were given, without those of output and of manner.  A
 * file among them counts by its size and time too.  The caller owns it. */
char *command_line_recipe (const CommandLine *line);

/* Sees a command's description with all its options. */
typedef void (*CommandLineReader) (const CommandLine *line, gpointer data);

/* From here on command_line_parse() only passes what it is given to @reader,
 * and the command has nothing to do.  NULL ends it. */
void command_line_describe_to (CommandLineReader reader, gpointer data);

/* Reads @argv, sets up threads and terminal.  @argv[0] is the name of the
 * command.  Returns FALSE with @error set: USAGE, or what output_check()
 * says. */
gboolean command_line_parse (CommandLine *line, char **argv, GError **error);
