// The files of Sources/Reporting/Page, compiled in: a bundle is not found once the executable is moved.
#ifndef NOCTURNE_CPAGERESOURCES_H
#define NOCTURNE_CPAGERESOURCES_H

#include <stddef.h>

/// Bytes that are there for as long as the process.
typedef struct {
  const void *bytes;
  size_t count;
} cpageresources_file;

/// The markup of the page: a template for Mustache.
cpageresources_file cpageresources_template(void);
/// Its one style.
cpageresources_file cpageresources_style(void);
/// Its one script.
cpageresources_file cpageresources_script(void);
/// What the policy of the page calls style and script: a line for each with its name and base64 of its SHA-256.
cpageresources_file cpageresources_hashes(void);

#endif
