#include "CAppResources.h"

/* Of C23, which clang has in every C. */
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char albums_js[] = {
#embed "../Server/App/Pages/albums.js"
};
static const unsigned char app_css[] = {
#embed "../Server/App/Pages/app.css"
};
static const unsigned char art_js[] = {
#embed "../Server/App/Pages/art.js"
};
static const unsigned char audio_js[] = {
#embed "../Server/App/Pages/audio.js"
};
/* Colors and type are those of the report. */
static const unsigned char base_css[] = {
#embed "../Reporting/Page/base.css"
};
static const unsigned char click_track_js[] = {
#embed "../Server/App/Pages/click-track.js"
};
static const unsigned char clicks_js[] = {
#embed "../Server/App/Pages/clicks.js"
};
static const unsigned char correction_js[] = {
#embed "../Server/App/Pages/correction.js"
};
static const unsigned char events_worker_js[] = {
#embed "../Server/App/Pages/events-worker.js"
};
static const unsigned char index_html[] = {
#embed "../Server/App/Pages/index.html"
};
static const unsigned char library_js[] = {
#embed "../Server/App/Pages/library.js"
};
static const unsigned char listen_js[] = {
#embed "../Server/App/Pages/listen.js"
};
static const unsigned char login_js[] = {
#embed "../Server/App/Pages/login.js"
};
static const unsigned char lyrics_js[] = {
#embed "../Server/App/Pages/lyrics.js"
};
static const unsigned char mark_svg[] = {
#embed "../Server/App/Pages/mark.svg"
};
static const unsigned char metronome_screen_js[] = {
#embed "../Server/App/Pages/metronome-screen.js"
};
static const unsigned char metronome_js[] = {
#embed "../Server/App/Pages/metronome.js"
};
static const unsigned char microphone_worklet_js[] = {
#embed "../Server/App/Pages/microphone-worklet.js"
};
static const unsigned char microphone_js[] = {
#embed "../Server/App/Pages/microphone.js"
};
static const unsigned char parts_js[] = {
#embed "../Server/App/Pages/parts.js"
};
static const unsigned char player_bar_js[] = {
#embed "../Server/App/Pages/player-bar.js"
};
static const unsigned char player_js[] = {
#embed "../Server/App/Pages/player.js"
};
static const unsigned char playlists_js[] = {
#embed "../Server/App/Pages/playlists.js"
};
static const unsigned char queue_js[] = {
#embed "../Server/App/Pages/queue.js"
};
static const unsigned char reorder_js[] = {
#embed "../Server/App/Pages/reorder.js"
};
static const unsigned char report_js[] = {
#embed "../Server/App/Pages/report.js"
};
static const unsigned char router_js[] = {
#embed "../Server/App/Pages/router.js"
};
static const unsigned char search_js[] = {
#embed "../Server/App/Pages/search.js"
};
static const unsigned char server_js[] = {
#embed "../Server/App/Pages/server.js"
};
/* A module of scripts of the report. */
static const unsigned char shared_js[] = {
#embed "../Reporting/Page/script/markup.js"
,
#embed "../Reporting/Page/script/words.js"
,
#embed "../Reporting/Page/script/print.js"
,
#embed "../Reporting/Page/script/canvas.js"
,
#embed "../Server/App/Pages/shared-exports.js"
};
static const unsigned char start_js[] = {
#embed "../Server/App/Pages/start.js"
};
static const unsigned char strips_js[] = {
#embed "../Server/App/Pages/strips.js"
};
static const unsigned char track_js[] = {
#embed "../Server/App/Pages/track.js"
};
static const unsigned char virtual_rows_js[] = {
#embed "../Server/App/Pages/virtual-rows.js"
};

#define FILE_OF(name, bytes) {name, bytes, sizeof bytes}
static const cappresources_file files[] = {
  FILE_OF("albums.js", albums_js),
  FILE_OF("app.css", app_css),
  FILE_OF("art.js", art_js),
  FILE_OF("audio.js", audio_js),
  FILE_OF("base.css", base_css),
  FILE_OF("click-track.js", click_track_js),
  FILE_OF("clicks.js", clicks_js),
  FILE_OF("correction.js", correction_js),
  FILE_OF("events-worker.js", events_worker_js),
  FILE_OF("index.html", index_html),
  FILE_OF("library.js", library_js),
  FILE_OF("listen.js", listen_js),
  FILE_OF("login.js", login_js),
  FILE_OF("lyrics.js", lyrics_js),
  FILE_OF("mark.svg", mark_svg),
  FILE_OF("metronome-screen.js", metronome_screen_js),
  FILE_OF("metronome.js", metronome_js),
  FILE_OF("microphone-worklet.js", microphone_worklet_js),
  FILE_OF("microphone.js", microphone_js),
  FILE_OF("parts.js", parts_js),
  FILE_OF("player-bar.js", player_bar_js),
  FILE_OF("player.js", player_js),
  FILE_OF("playlists.js", playlists_js),
  FILE_OF("queue.js", queue_js),
  FILE_OF("reorder.js", reorder_js),
  FILE_OF("report.js", report_js),
  FILE_OF("router.js", router_js),
  FILE_OF("search.js", search_js),
  FILE_OF("server.js", server_js),
  FILE_OF("shared.js", shared_js),
  FILE_OF("start.js", start_js),
  FILE_OF("strips.js", strips_js),
  FILE_OF("track.js", track_js),
  FILE_OF("virtual-rows.js", virtual_rows_js),
};
#undef FILE_OF

size_t cappresources_count(void) {
  return sizeof files / sizeof *files;
}

cappresources_file cappresources_at(size_t index) {
  return files[index];
}
