// A library for the report's scripts: numbers packed as the program packs them.
'use strict';
(() => {
  const base64 = bytes => btoa(String.fromCharCode(...bytes));
  const WIDTH = 3, SCALE = 100, OFFSET = -1_000_000, MISSING = 256 ** WIDTH - 1;
  function packed(values) {
    const bytes = [];
    for (const value of values) {
      let raw = value == null ? MISSING : Math.round(value * SCALE) - OFFSET;
      for (let k = 0; k < WIDTH; k++) { bytes.push(raw % 256); raw = Math.floor(raw / 256); }
    }
    return { bytes: WIDTH, scale: SCALE, offset: OFFSET, data: base64(bytes) };
  }
  const TEXTS = ['folder', 'artist', 'album', 'genre', 'codec', 'tempo_reason'];
  const PLAIN = ['title', 'file', 'sound', 'details', ...TEXTS];

  /** `rows`: tracks by the names of the columns. Texts become dictionaries; a column is there if any row has it. */
  function dataset(rows, { library = {}, root = '/music/', dictionaries: given = {} } = {}) {
    const dictionaries = { ...given }, columns = { title: rows.map(row => row.title ?? null), file: rows.map(row => row.file ?? 'no name.flac') };
    for (const name of TEXTS) {
      if (!dictionaries[name] && !rows.some(row => row[name] != null)) continue;
      dictionaries[name] ??= [...new Set(rows.map(row => row[name]).filter(text => text != null))];
      columns[name] = packed(rows.map(row => row[name] == null ? null : dictionaries[name].indexOf(row[name])));
    }
    const names = new Set(rows.flatMap(Object.keys).filter(name => !PLAIN.includes(name)));
    for (const name of [...names, 'status', 'flags', 'title_rank', 'duration']) {
      if (columns[name]) continue;
      const usual = name === 'status' || name === 'flags' ? 0 : null;
      columns[name] = packed(rows.map((row, track) => row[name] ?? (name === 'title_rank' ? track : usual)));
    }
    if (rows.some(row => row.sound)) {
      const width = rows.find(row => row.sound).sound.length;
      columns.sound = { width, data: base64(rows.flatMap(row => row.sound || [-128, ...Array(width - 1).fill(0)]).map(value => value & 255)) };
    }
    const tracks = Object.fromEntries(rows.map((row, track) => [track, row.details]).filter(([, details]) => details));
    return {
      library: { format: 1, first_run: false, run_name: 'today', runs: [], problems: [], ...library },
      columns: { rows: rows.length, root, dictionaries, columns }, details: { tracks }
    };
  }

  const ramp = count => Array.from({ length: count }, (_, index) => index * 37 % 256);
  /** Forty tracks, of which some are damaged, have failed, or were passed over. */
  const ROWS = Array.from({ length: 40 }, (_, track) => ({
    title: track % 9 === 8 ? null : `Title ${String(track).padStart(2, '0')}`, file: `${String(track).padStart(2, '0')} file.flac`,
    folder: ['One', 'Two/Deep', 'Twofold'][track % 3], artist: track % 7 === 6 ? null : ['Ärger', 'Beat', 'Cello'][track % 3],
    album: track % 5 === 4 ? null : 'Album', genre: track % 4 === 3 ? null : ['House', 'Jazz', 'Trance', 'Ambient', 'Folk', 'Rock', 'Soul', 'Punk',
      'Dub'][track * track % 9],
    codec: ['FLAC', 'MP3'][track % 2], year: track % 6 === 5 ? null : 1980 + track, status: { 36: 1, 37: 2, 38: 3 }[track] ?? 0,
    problem: { 36: 0, 37: 1, 38: 2 }[track],
    flags: (track === 1 ? 1 : 0) | (track === 2 ? 2 : 0) | (track % 2 ? 32 : 16) | (track === 3 ? 128 : 0) | (track === 4 ? 4 : 0) | (track === 5 ? 8 : 0),
    duration: track === 37 ? null : 60 + track * 7, size: 900 + track * 100_000, bit_rate: 128 + track * 10, sample_rate: 44_100, bit_depth: 16,
      channels: 2,
    modified: 19_000 + track, added: 19_500 + track, bpm: track === 7 || track >= 37 ? null : 60 + track * 3.5,
      confidence: track === 7 || track >= 37 ? null : (track * 13 % 101) / 100,
    tempo_reason: track === 7 ? 'silence' : null, alternative: track === 8 ? 176 : null, alternative_share: track === 8 ? .2 : null,
      octave: track === 8 ? .5 : null,
    key: track % 8 === 7 ? null : track % 24, key_confidence: .8, loudness: track >= 37 ? null : -30 + track * .7, true_peak: -1 + track / 20,
      range: 5,
    energy: .4, danceability: .5, speechiness: .1, title_rank: 39 - track,
    sound: track % 10 === 9 ? null : [track + 1, 40 - track, 10, track % 5],
    details: track === 0 ? { onsets: [.1, base64(ramp(600))], beats: [500, 500, base64(Array(20).fill(128))], downbeats: base64([0x11, 0x11, 0x11]),
      meter: '4/4',
      wave: [base64(ramp(90)), base64(ramp(90).map(value => value / 2))], sections: [[0, 'A'], [20, 'B'], [22, 'C'], [50, 'A']],
        faults: [[10, 12], [0, 59]],
      candidates: [[60, .7], [120, .2], [30, .004]], keys: [[0, .6], [1, .3]], map: [[0, 60], [30, 64], [45, 62]], tuning: 442,
        key_map: [[0, 0], [30, 2]],
      cues: { first_beat: .5, intro_end: 10, outro_start: 50, highlight: [20, 30], silence: [.5, .6], fade: [1, 2] }, tags: [['Comment', 'Words']],
      remarks: ['A remark.'], findings: ['A finding.'], size: 999_999, claimed: 70 }
      : track === 1 ? { onsets: [.1, base64(ramp(500))] } : undefined
  }));
  const PROBLEMS = [{ code: 'cut_off', name: 'Cut off', what: 'It ends early.', do: 'Copy it again.' },
    { code: 'unknown_format', name: 'No audio', what: 'It is no audio.' }, { code: 'skipped', name: 'Too long', what: 'It is too long.',
      do: 'Raise the limit.' }];
  Object.assign(window, { base64, packed, dataset, ROWS, PROBLEMS, ramp });
})();
