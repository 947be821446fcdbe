// Written by Scripts/write-resources.
#include "CResources.h"

// `#embed` is C23; clang supports it in every C version.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_mustache[] = {
#embed "../../Outputs/Pages/report/page.mustache"
};
static const unsigned char script_js[] = {
#embed "../../Outputs/Pages/shared/markup.js"
,
#embed "../../Outputs/Pages/shared/words.js"
,
#embed "../../Outputs/Pages/shared/numbers.js"
,
#embed "../../Outputs/Pages/report/data.js"
,
#embed "../../Outputs/Pages/report/filters.js"
,
#embed "../../Outputs/Pages/report/state.js"
,
#embed "../../Outputs/Pages/report/search.js"
,
#embed "../../Outputs/Pages/report/columns.js"
,
#embed "../../Outputs/Pages/report/rows.js"
,
#embed "../../Outputs/Pages/report/controls.js"
,
#embed "../../Outputs/Pages/report/charts.js"
,
#embed "../../Outputs/Pages/report/brush.js"
,
#embed "../../Outputs/Pages/report/wheel.js"
,
#embed "../../Outputs/Pages/report/shares.js"
,
#embed "../../Outputs/Pages/report/glance.js"
,
#embed "../../Outputs/Pages/shared/print.js"
,
#embed "../../Outputs/Pages/report/prints.js"
,
#embed "../../Outputs/Pages/report/neighbors.js"
,
#embed "../../Outputs/Pages/shared/canvas.js"
,
#embed "../../Outputs/Pages/shared/waveform.js"
,
#embed "../../Outputs/Pages/report/strips.js"
,
#embed "../../Outputs/Pages/report/verdict.js"
,
#embed "../../Outputs/Pages/report/facts.js"
,
#embed "../../Outputs/Pages/report/panel.js"
,
#embed "../../Outputs/Pages/report/theme.js"
,
#embed "../../Outputs/Pages/report/keys.js"
,
#embed "../../Outputs/Pages/report/start.js"
};
static const unsigned char style_css[] = {
#embed "../../Outputs/Pages/shared/base.css"
,
#embed "../../Outputs/Pages/report/page.css"
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
