// Written by Scripts/write-resources.
#include "CResources.h"

// `#embed` is C23; clang supports it in every C version.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char albums_js[] = {
#embed "../../Outputs/Pages/app/albums.js"
};
static const unsigned char app_css[] = {
#embed "../../Outputs/Pages/app/app.css"
};
static const unsigned char art_js[] = {
#embed "../../Outputs/Pages/app/art.js"
};
static const unsigned char audio_js[] = {
#embed "../../Outputs/Pages/app/audio.js"
};
static const unsigned char base_css[] = {
#embed "../../Outputs/Pages/shared/base.css"
};
static const unsigned char click_track_js[] = {
#embed "../../Outputs/Pages/app/click-track.js"
};
static const unsigned char clicks_js[] = {
#embed "../../Outputs/Pages/app/clicks.js"
};
static const unsigned char correction_js[] = {
#embed "../../Outputs/Pages/app/correction.js"
};
static const unsigned char duplicates_js[] = {
#embed "../../Outputs/Pages/app/duplicates.js"
};
static const unsigned char events_worker_js[] = {
#embed "../../Outputs/Pages/app/events-worker.js"
};
static const unsigned char index_html[] = {
#embed "../../Outputs/Pages/app/index.html"
};
static const unsigned char library_js[] = {
#embed "../../Outputs/Pages/app/library.js"
};
static const unsigned char listen_js[] = {
#embed "../../Outputs/Pages/app/listen.js"
};
static const unsigned char login_js[] = {
#embed "../../Outputs/Pages/app/login.js"
};
static const unsigned char lyrics_js[] = {
#embed "../../Outputs/Pages/app/lyrics.js"
};
static const unsigned char mark_svg[] = {
#embed "../../Outputs/Pages/app/mark.svg"
};
static const unsigned char metronome_screen_js[] = {
#embed "../../Outputs/Pages/app/metronome-screen.js"
};
static const unsigned char metronome_js[] = {
#embed "../../Outputs/Pages/app/metronome.js"
};
static const unsigned char microphone_worklet_js[] = {
#embed "../../Outputs/Pages/app/microphone-worklet.js"
};
static const unsigned char microphone_js[] = {
#embed "../../Outputs/Pages/app/microphone.js"
};
static const unsigned char parts_js[] = {
#embed "../../Outputs/Pages/app/parts.js"
};
static const unsigned char player_bar_js[] = {
#embed "../../Outputs/Pages/app/player-bar.js"
};
static const unsigned char player_js[] = {
#embed "../../Outputs/Pages/app/player.js"
};
static const unsigned char playlists_js[] = {
#embed "../../Outputs/Pages/app/playlists.js"
};
static const unsigned char queue_js[] = {
#embed "../../Outputs/Pages/app/queue.js"
};
static const unsigned char reorder_js[] = {
#embed "../../Outputs/Pages/app/reorder.js"
};
static const unsigned char report_js[] = {
#embed "../../Outputs/Pages/app/report.js"
};
static const unsigned char router_js[] = {
#embed "../../Outputs/Pages/app/router.js"
};
static const unsigned char search_js[] = {
#embed "../../Outputs/Pages/app/search.js"
};
static const unsigned char server_js[] = {
#embed "../../Outputs/Pages/app/server.js"
};
static const unsigned char shared_js[] = {
#embed "../../Outputs/Pages/shared/markup.js"
,
#embed "../../Outputs/Pages/shared/words.js"
,
#embed "../../Outputs/Pages/shared/print.js"
,
#embed "../../Outputs/Pages/shared/canvas.js"
,
#embed "../../Outputs/Pages/shared/numbers.js"
,
#embed "../../Outputs/Pages/shared/waveform.js"
,
#embed "../../Outputs/Pages/app/shared-exports.js"
};
static const unsigned char start_js[] = {
#embed "../../Outputs/Pages/app/start.js"
};
static const unsigned char strips_js[] = {
#embed "../../Outputs/Pages/app/strips.js"
};
static const unsigned char track_js[] = {
#embed "../../Outputs/Pages/app/track.js"
};
static const unsigned char virtual_rows_js[] = {
#embed "../../Outputs/Pages/app/virtual-rows.js"
};

static const cresources_file files[] = {
  {"albums.js", albums_js, sizeof albums_js},
  {"app.css", app_css, sizeof app_css},
  {"art.js", art_js, sizeof art_js},
  {"audio.js", audio_js, sizeof audio_js},
  {"base.css", base_css, sizeof base_css},
  {"click-track.js", click_track_js, sizeof click_track_js},
  {"clicks.js", clicks_js, sizeof clicks_js},
  {"correction.js", correction_js, sizeof correction_js},
  {"duplicates.js", duplicates_js, sizeof duplicates_js},
  {"events-worker.js", events_worker_js, sizeof events_worker_js},
  {"index.html", index_html, sizeof index_html},
  {"library.js", library_js, sizeof library_js},
  {"listen.js", listen_js, sizeof listen_js},
  {"login.js", login_js, sizeof login_js},
  {"lyrics.js", lyrics_js, sizeof lyrics_js},
  {"mark.svg", mark_svg, sizeof mark_svg},
  {"metronome-screen.js", metronome_screen_js, sizeof metronome_screen_js},
  {"metronome.js", metronome_js, sizeof metronome_js},
  {"microphone-worklet.js", microphone_worklet_js, sizeof microphone_worklet_js},
  {"microphone.js", microphone_js, sizeof microphone_js},
  {"parts.js", parts_js, sizeof parts_js},
  {"player-bar.js", player_bar_js, sizeof player_bar_js},
  {"player.js", player_js, sizeof player_js},
  {"playlists.js", playlists_js, sizeof playlists_js},
  {"queue.js", queue_js, sizeof queue_js},
  {"reorder.js", reorder_js, sizeof reorder_js},
  {"report.js", report_js, sizeof report_js},
  {"router.js", router_js, sizeof router_js},
  {"search.js", search_js, sizeof search_js},
  {"server.js", server_js, sizeof server_js},
  {"shared.js", shared_js, sizeof shared_js},
  {"start.js", start_js, sizeof start_js},
  {"strips.js", strips_js, sizeof strips_js},
  {"track.js", track_js, sizeof track_js},
  {"virtual-rows.js", virtual_rows_js, sizeof virtual_rows_js},
};

size_t cresources_app_count(void) {
  return sizeof files / sizeof *files;
}

cresources_file cresources_app_at(size_t index) {
  return files[index];
}
