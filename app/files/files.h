/* files.h - files that are read, and standard output
 *
 * The name "-" is standard input or output.
 */
#pragma once

#include <glib.h>
#include <sys/stat.h>

/* Keeps descriptors 0, 1 and 2 taken where the program was started without
 * them, so that no file we open is mistaken for standard output; and makes a
 * file beyond the limit of its size (ulimit -f) an error of write().  To be
 * called first. */
void files_init (void);

gboolean is_dash (const char *path);

/* @path as shown in messages. */
const char *input_name (const char *path);
const char *output_name (const char *path);

/* The whole content of @path.  Returns NULL with @error set: INPUT when it
 * cannot be read, LIMIT when it is larger than anything we could use. */
GBytes *file_read (const char *path, GError **error);

/* The same for what is left of an open file; the message names none. */
GBytes *descriptor_read (int fd, GError **error);

/* Opens @name in the folder that the descriptor @folder stands for, if it is
 * an ordinary file: no link, and nothing that lets a reader wait.  Returns a
 * descriptor that the caller closes, and fills in @info; otherwise -1. */
int file_open_plain (int folder, const char *name, struct stat *info);

/* Writes all of @data to @fd; FALSE with errno set when that fails. */
gboolean write_all (int fd, const void *data, gsize size);

/* Standard output.  Both find out about a full disk (FAILED). */
gboolean stdout_write (const void *data, gsize size, GError **error);
gboolean stdout_close (GError **error);
