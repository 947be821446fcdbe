// Written by Scripts/write-resources.
//
// Files compiled into the executable, because a bundle is not found once the executable is moved. They use #embed:
// Swift's `.embedInCode` would turn the weights into an array that takes the compiler half a minute.
#ifndef NOCTURNE_CRESOURCES_H
#define NOCTURNE_CRESOURCES_H

#include <stddef.h>

/// Bytes valid for the lifetime of the process.
typedef struct {
  const char *name;
  const void *bytes;
  size_t count;
} cresources_file;

/// Sound/BuiltInAnalyzers/Key/Resources/key-network.f16
cresources_file cresources_key_key_network(void);

/// Sound/Likeness/Resources/projection.f16
cresources_file cresources_likeness_projection(void);

/// Sound/Tempo/Resources/bar-weights.tsv
cresources_file cresources_tempo_bar_weights(void);
/// Sound/Tempo/Resources/beat-network.f16
cresources_file cresources_tempo_beat_network(void);
/// Sound/Tempo/Resources/confidence.tsv
cresources_file cresources_tempo_confidence(void);
/// Sound/Tempo/Resources/grid-weights.tsv
cresources_file cresources_tempo_grid_weights(void);

/// Recognition/Recognition/Resources/confidence.tsv
cresources_file cresources_recognition_confidence(void);
/// Recognition/Recognition/Resources/landmark-network.f16
cresources_file cresources_recognition_landmark_network(void);
/// Recognition/Recognition/Resources/rarity.tsv
cresources_file cresources_recognition_rarity(void);

/// Outputs/Pages/report/page.mustache
cresources_file cresources_report_page(void);
/// Outputs/Pages/report/script.js.parts
cresources_file cresources_report_script(void);
/// The hash of the file above, in the form of a Content-Security-Policy.
cresources_file cresources_report_script_hash(void);
/// Outputs/Pages/report/style.css.parts
cresources_file cresources_report_style(void);
/// The hash of the file above, in the form of a Content-Security-Policy.
cresources_file cresources_report_style_hash(void);

/// Number of files of the app.
size_t cresources_app_count(void);
/// The file of the app with this index.
cresources_file cresources_app_at(size_t index);

#endif
