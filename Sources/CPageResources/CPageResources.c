#include "CPageResources.h"

/* Of C23, which clang has in every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char template[] = {
#embed "../Reporting/Page/page.mustache"
};
static const unsigned char style[] = {
#embed "../Reporting/Page/page.css"
};
static const unsigned char script[] = {
#embed "../Reporting/Page/page.js"
};
static const unsigned char hashes[] = {
#embed "../Reporting/Page/hashes.txt"
};

cpageresources_file cpageresources_template(void) {
  return (cpageresources_file){template, sizeof template};
}

cpageresources_file cpageresources_style(void) {
  return (cpageresources_file){style, sizeof style};
}

cpageresources_file cpageresources_script(void) {
  return (cpageresources_file){script, sizeof script};
}

cpageresources_file cpageresources_hashes(void) {
  return (cpageresources_file){hashes, sizeof hashes};
}
