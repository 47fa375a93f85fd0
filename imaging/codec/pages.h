/* pages.h - files of several pages, page by page
 *
 * Only TIFF has several.  A page costs the same wherever it is in its file.
 */
#pragma once

#include "imaging/codec/codec.h"

/* ---- reading ---- */

/* A file and where its pages are.  Never changes, so threads may share it. */
typedef struct PageReader PageReader;

/* Finds the pages of @data, of which it keeps a reference.  Never fails: what
 * is no picture has one page, which cannot be decoded. */
PageReader *page_reader_new (GBytes *data);

/* @self may be NULL. */
void page_reader_free (PageReader *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PageReader, page_reader_free)

/* The file, which the reader owns. */
GBytes *page_reader_data (const PageReader *self);

/* The number of pages, at least 1. */
int page_reader_count (const PageReader *self);

/* Like image_decode() for page number @page, from 0.  INPUT if there is no
 * such page. */
Image *page_reader_decode (const PageReader *self, int page, const char *name,
                           const ImageLimits *limits, GError **error);

/* ---- writing ---- */

/* A file that grows page by page. */
typedef struct PageWriter PageWriter;

PageWriter *page_writer_new (TesseraFormat format,
                             const EncodeOptions *options);

/* @self may be NULL. */
void page_writer_free (PageWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PageWriter, page_writer_free)

/* Adds a page.  Fails as image_encode() does, and with USAGE for a second page
 * of a format without pages; then nothing more may be added. */
gboolean page_writer_add (PageWriter *self, const Image *image,
                          GError **error);

/* The file, to which nothing more may be added; NULL if it has no page. */
GBytes *page_writer_finish (PageWriter *self);
