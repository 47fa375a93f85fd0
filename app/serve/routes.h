/* routes.h - which handler responds to which request
 *
 *     GET     /, /page.css, ...           the files of the page
 *     POST    /api/session                the token for the key
 *     GET     /api/about                  version, limits, folders
 *
 *     GET     /api/given                  pictures that the program was given
 *     POST    /api/given/N                opens one of them
 *
 *     POST    /api/photos?name=           opens the picture in the body
 *     GET     /api/photos/ID              what is open; the page's heartbeat
 *     DELETE  /api/photos/ID              closes it
 *     GET     /api/photos/ID/view?version=&x=&y=&w=&h=&side=   to be shown
 *     GET     /api/photos/ID/picture?version=   to be saved
 *     GET     /api/photos/ID/noise?version=     what noise there is
 *     GET     /api/photos/ID/denoised?version=&x=&y=&w=&h=&strength=&sigma=
 *                                         &show=   a part, to be shown
 *     GET     /api/photos/ID/removed?version=&x=&y=&w=&h=&side=
 *     POST    /api/photos/ID/mask/picture       a mask picture to runs
 *     POST    /api/photos/ID/mask/runs?found=&loaded=   and back
 *     POST    /api/photos/ID/jobs?task=&version=&quality=&dictionary=&sigma=
 *                                         &see_through=&found=&loaded=
 *                                         &kinds=&find_strength=&noise=
 *                                         &thick=&grow=&seed=&fading=
 *     GET     /api/photos/ID/found        runs that a job has found
 *
 *     GET     /api/jobs/N                 how far a job is
 *     DELETE  /api/jobs/N                 stops it
 *
 *     GET     /api/dictionaries           and POST ?name= to load one
 *     GET     /api/dictionaries/N/mosaic  as a picture
 *     GET     /api/dictionaries/N/file    to be saved
 *     POST    /api/training               adds a picture to learn from
 *     DELETE  /api/training               removes all of them
 *     POST    /api/learning?algorithm=&seconds=&name=
 *     POST    /api/comparison?source=&folder=&seconds=
 *     GET     /report/ID/FILE             a report of a comparison
 *
 * Masks travel as runs (imaging/maskruns.h).
 */
#pragma once

#include "app/serve/server.h"

/* For a Server; @data is a ServeContext. */
gboolean routes_know (const Request *request, gpointer data);
gboolean routes_admit (const Request *request, gsize *max_body,
                       Response *response, gpointer data);
void routes_respond (const Request *request, Response *response,
                     gpointer data);
