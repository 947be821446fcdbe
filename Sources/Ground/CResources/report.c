// Written by Scripts/write-resources.
#include "CResources.h"

// Of C23, which clang has in every C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_mustache[] = {
#embed "../Pages/report/page.mustache"
};
static const unsigned char script_js[] = {
#embed "../Pages/shared/markup.js"
,
#embed "../Pages/shared/words.js"
,
#embed "../Pages/shared/numbers.js"
,
#embed "../Pages/report/data.js"
,
#embed "../Pages/report/filters.js"
,
#embed "../Pages/report/state.js"
,
#embed "../Pages/report/search.js"
,
#embed "../Pages/report/columns.js"
,
#embed "../Pages/report/rows.js"
,
#embed "../Pages/report/controls.js"
,
#embed "../Pages/report/charts.js"
,
#embed "../Pages/report/brush.js"
,
#embed "../Pages/report/wheel.js"
,
#embed "../Pages/report/shares.js"
,
#embed "../Pages/report/glance.js"
,
#embed "../Pages/shared/print.js"
,
#embed "../Pages/report/prints.js"
,
#embed "../Pages/report/neighbors.js"
,
#embed "../Pages/shared/canvas.js"
,
#embed "../Pages/shared/waveform.js"
,
#embed "../Pages/report/strips.js"
,
#embed "../Pages/report/verdict.js"
,
#embed "../Pages/report/facts.js"
,
#embed "../Pages/report/panel.js"
,
#embed "../Pages/report/theme.js"
,
#embed "../Pages/report/keys.js"
,
#embed "../Pages/report/start.js"
};
static const unsigned char style_css[] = {
#embed "../Pages/shared/base.css"
,
#embed "../Pages/report/page.css"
};

cresources_file cresources_report_page(void) {
  return (cresources_file){"page.mustache", page_mustache, sizeof page_mustache};
}

cresources_file cresources_report_script(void) {
  return (cresources_file){"script.js", script_js, sizeof script_js};
}

cresources_file cresources_report_script_hash(void) {
  static const char hash[] = "sha256-yM2J4Ee82ADY2LWH4QT0VxaSMBAh6of/ciU4lZw1NMI=";
  return (cresources_file){"script.js.hash", hash, sizeof hash - 1};
}

cresources_file cresources_report_style(void) {
  return (cresources_file){"style.css", style_css, sizeof style_css};
}

cresources_file cresources_report_style_hash(void) {
  static const char hash[] = "sha256-pp5rdbDYI0LbNt9Mn+Lm+j8SosN6rYteDy3ktLgeWvU=";
  return (cresources_file){"style.css.hash", hash, sizeof hash - 1};
}
