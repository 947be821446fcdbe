#include "CPageResources.h"

/* Of C23, which clang has in every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char template[] = {
#embed "../Reporting/Page/page.mustache"
};
static const unsigned char style[] = {
#embed "../Reporting/Page/base.css"
,
#embed "../Reporting/Page/page.css"
};
/* One script of several files; its functions may stand in any order, its constants not. */
static const unsigned char script[] = {
#embed "../Reporting/Page/script/markup.js"
,
#embed "../Reporting/Page/script/words.js"
,
#embed "../Reporting/Page/script/data.js"
,
#embed "../Reporting/Page/script/filters.js"
,
#embed "../Reporting/Page/script/state.js"
,
#embed "../Reporting/Page/script/search.js"
,
#embed "../Reporting/Page/script/columns.js"
,
#embed "../Reporting/Page/script/rows.js"
,
#embed "../Reporting/Page/script/controls.js"
,
#embed "../Reporting/Page/script/charts.js"
,
#embed "../Reporting/Page/script/brush.js"
,
#embed "../Reporting/Page/script/wheel.js"
,
#embed "../Reporting/Page/script/shares.js"
,
#embed "../Reporting/Page/script/glance.js"
,
#embed "../Reporting/Page/script/print.js"
,
#embed "../Reporting/Page/script/prints.js"
,
#embed "../Reporting/Page/script/neighbors.js"
,
#embed "../Reporting/Page/script/canvas.js"
,
#embed "../Reporting/Page/script/strips.js"
,
#embed "../Reporting/Page/script/verdict.js"
,
#embed "../Reporting/Page/script/facts.js"
,
#embed "../Reporting/Page/script/panel.js"
,
#embed "../Reporting/Page/script/theme.js"
,
#embed "../Reporting/Page/script/keys.js"
,
#embed "../Reporting/Page/script/start.js"
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
