PRAGMA application_id = 1313817428; PRAGMA user_version = 8;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('v1');
INSERT INTO grdb_migrations VALUES('v2');
INSERT INTO grdb_migrations VALUES('v3');
INSERT INTO grdb_migrations VALUES('v4');
INSERT INTO grdb_migrations VALUES('v5');
INSERT INTO grdb_migrations VALUES('v6');
INSERT INTO grdb_migrations VALUES('v7');
INSERT INTO grdb_migrations VALUES('v8');
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted', 'failed', 'died')),
  started_ns INTEGER NOT NULL,
  finished_ns INTEGER,
  exit_status INTEGER,
  program_version TEXT NOT NULL,
  pipeline TEXT NOT NULL,
  configuration TEXT NOT NULL,         -- JSON
  configuration_digest TEXT NOT NULL,
  analyzers TEXT NOT NULL,             -- JSON: {id: {version, digest}}
  analyzed INTEGER NOT NULL DEFAULT 0,
  cached INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  vanished INTEGER NOT NULL DEFAULT 0,
  newly_failed INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0
, partial INTEGER NOT NULL DEFAULT 0, newly_damaged INTEGER NOT NULL DEFAULT 0);
INSERT INTO run VALUES(1,'finished',1795647708504981773,1795647708516369489,0,'1.0','default','{"jobs":2}','d','{"chromaprint":{"digest":"c1","version":1},"key":{"digest":"k1","version":3},"signature":{"digest":"","version":1},"tags":{"digest":"t1","version":1},"tempo":{"digest":"o1","version":1}}',2,0,1,1,0,1,0,1,1);
INSERT INTO run VALUES(2,'finished',1795647708516649947,1795647708518323381,0,'1.0','default','{"jobs":2}','d','{"chromaprint":{"digest":"c1","version":1},"key":{"digest":"k1","version":3},"signature":{"digest":"","version":1},"tags":{"digest":"t1","version":1},"tempo":{"digest":"o1","version":1}}',0,2,1,1,1,0,0,0,0);
CREATE TABLE run_root (
  run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  path BLOB NOT NULL,
  display_path TEXT NOT NULL,
  condition TEXT NOT NULL,
  PRIMARY KEY (run, position)
) WITHOUT ROWID;
INSERT INTO run_root VALUES(1,0,X'2f6d75736963','/music','scanned');
INSERT INTO run_root VALUES(2,0,X'2f6d75736963','/music','scanned');
CREATE TABLE analyzer (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  version INTEGER NOT NULL,
  digest TEXT NOT NULL,
  reads_audio INTEGER NOT NULL,        -- 1: the finding follows from the encoded audio alone
  UNIQUE (name, version, digest)
);
INSERT INTO analyzer VALUES(1,'tags',1,'t1',0);
INSERT INTO analyzer VALUES(2,'tempo',1,'o1',1);
INSERT INTO analyzer VALUES(3,'chromaprint',1,'c1',1);
INSERT INTO analyzer VALUES(4,'key',3,'k1',1);
INSERT INTO analyzer VALUES(5,'signature',1,'',1);
CREATE TABLE analysis_set (
  id INTEGER PRIMARY KEY,
  members TEXT NOT NULL UNIQUE
);
INSERT INTO analysis_set VALUES(1,'1');
INSERT INTO analysis_set VALUES(2,'1,2,3,4,5');
INSERT INTO analysis_set VALUES(3,'1,2,3!,4,5');
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  path BLOB NOT NULL UNIQUE,           -- the bytes
  display_path TEXT NOT NULL,          -- other bytes than UTF-8 as \xHH
  size_bytes INTEGER,
  mtime_ns INTEGER,
  device INTEGER,
  inode INTEGER,
  status TEXT CHECK (status IN ('ok', 'partial', 'failed')),  -- of the last analysis; NULL: never analyzed
  content_id TEXT,                     -- of the encoded audio without tags, base62
  analysis_set INTEGER REFERENCES analysis_set (id),
  decoder_version INTEGER,
  remarks TEXT,                        -- JSON
  pending INTEGER NOT NULL DEFAULT 0,  -- 1 new, 2 changed, 3 outdated, 4 retry; + 8 for each run that died over it
  skip_code TEXT,                      -- not NULL: passed over
  skip_message TEXT,
  first_seen_run INTEGER NOT NULL REFERENCES run (id),
  analyzed_run INTEGER REFERENCES run (id),
  analyzed_ns INTEGER,
  vanished_run INTEGER REFERENCES run (id)  -- not NULL: gone
, ctime_ns INTEGER, looked_ns INTEGER, decoding_id TEXT, full_path TEXT AS (display_path) VIRTUAL, file_name TEXT AS (
  replace(display_path, rtrim(display_path, replace(display_path, '/', '')), '')) VIRTUAL);
INSERT INTO file VALUES(1,X'2f6d757369632f6261642e6d7033','/music/bad.mp3',1000,5000000000,7,102,'failed',NULL,1,1,NULL,0,NULL,NULL,1,1,1795647708510651014,NULL,NULL,1795647708505255471,NULL);
INSERT INTO file VALUES(2,X'2f6d757369632f636166e92e666c6163','/music/caf\xE9.flac',1000,5000000000,7,101,'ok','1MFy9Z2qPJ8esP6w5YB2HK',2,1,'[{"code":"not_finite","message":"12 samples were not finite.","stage":"decode"}]',0,NULL,NULL,1,1,1795647708511534040,NULL,NULL,1795647708505255471,'5BCjT9xsiJ7mVAQyrjlVBB');
INSERT INTO file VALUES(3,X'2f6d757369632f676f6e652e666c6163','/music/gone.flac',1000,5000000000,7,103,'ok','48c9qLmzNba9OM4GvMd6RR',2,1,'[{"code":"not_finite","message":"12 samples were not finite.","stage":"decode"}]',0,NULL,NULL,1,1,1795647708512363817,2,NULL,1795647708505255471,'1u1rQc3n4eZpzrMHARLrcx');
INSERT INTO file VALUES(4,X'2f6d757369632f706172742e6f6767','/music/part.ogg',1000,5000000000,7,104,'partial','6dlhUlAJA9p2QGJSw33qeZ',3,1,'[{"code":"not_finite","message":"12 samples were not finite.","stage":"decode"}]',0,NULL,NULL,1,1,1795647708515035600,NULL,NULL,1795647708505255471,'27IB3Nn1XpyYlyAonVlnAs');
INSERT INTO file VALUES(5,X'2f6d757369632f636f7665722e6a7067','/music/cover.jpg',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,'not_audio','A picture.',1,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO file VALUES(6,X'2f6d757369632f77616974696e672e666c6163','/music/waiting.flac',1000,5000000000,7,105,NULL,NULL,NULL,NULL,NULL,1,NULL,NULL,2,NULL,NULL,NULL,NULL,1795647708516771839,NULL);
CREATE TABLE format (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  container TEXT NOT NULL,
  codec TEXT NOT NULL,
  sample_rate_hz INTEGER NOT NULL,
  channels INTEGER NOT NULL,
  bit_depth INTEGER,
  bit_rate_bps INTEGER,
  lossless INTEGER NOT NULL,
  claimed_frames INTEGER,
  frames INTEGER,
  duration_s REAL AS (coalesce(frames, claimed_frames) * 1.0 / nullif(sample_rate_hz, 0)) VIRTUAL
, claim_is_estimated INTEGER NOT NULL DEFAULT 0);
INSERT INTO format VALUES(2,'flac','flac',44100,2,16,882000,1,441000,441000,0);
INSERT INTO format VALUES(3,'flac','flac',44100,2,16,882000,1,441000,441000,0);
INSERT INTO format VALUES(4,'flac','flac',44100,2,16,882000,1,441000,441000,0);
CREATE TABLE analysis (
  file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  analyzer INTEGER NOT NULL REFERENCES analyzer (id),
  outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'not_applicable', 'failed')),
  message TEXT,
  PRIMARY KEY (file, analyzer)
) WITHOUT ROWID;
INSERT INTO analysis VALUES(1,1,'ok',NULL);
INSERT INTO analysis VALUES(2,1,'ok',NULL);
INSERT INTO analysis VALUES(2,2,'ok',NULL);
INSERT INTO analysis VALUES(2,3,'ok',NULL);
INSERT INTO analysis VALUES(2,4,'ok',NULL);
INSERT INTO analysis VALUES(2,5,'ok',NULL);
INSERT INTO analysis VALUES(3,1,'ok',NULL);
INSERT INTO analysis VALUES(3,2,'ok',NULL);
INSERT INTO analysis VALUES(3,3,'ok',NULL);
INSERT INTO analysis VALUES(3,4,'ok',NULL);
INSERT INTO analysis VALUES(3,5,'ok',NULL);
INSERT INTO analysis VALUES(4,1,'ok',NULL);
INSERT INTO analysis VALUES(4,2,'ok',NULL);
INSERT INTO analysis VALUES(4,3,'failed','No.');
INSERT INTO analysis VALUES(4,4,'ok',NULL);
INSERT INTO analysis VALUES(4,5,'ok',NULL);
CREATE TABLE failure (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  stage TEXT NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  first_failed_run INTEGER NOT NULL REFERENCES run (id),
  last_failed_run INTEGER NOT NULL REFERENCES run (id),
  attempts INTEGER NOT NULL
, failed_ns INTEGER, signal INTEGER, losses INTEGER NOT NULL DEFAULT 0, retry_ns INTEGER);
INSERT INTO failure VALUES(1,'decode','corrupt','The stream is damaged.',1,1,1,1795647708510651014,NULL,0,NULL);
INSERT INTO failure VALUES(4,'decode','truncated','The stream ends early.',1,1,1,1795647708515035600,NULL,0,NULL);
CREATE TABLE in_progress (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  run INTEGER NOT NULL REFERENCES run (id),
  attempts INTEGER NOT NULL
);
CREATE TABLE tag (
  file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  name TEXT NOT NULL,                  -- canonical; “other:” before what has no canonical name
  position INTEGER NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (file, name, position)
) WITHOUT ROWID;
INSERT INTO tag VALUES(2,'artist',0,'Someone');
INSERT INTO tag VALUES(2,'artist',1,'Someone Else');
INSERT INTO tag VALUES(2,'other:MOOD',0,'calm');
INSERT INTO tag VALUES(2,'other:MOOD',1,'late');
INSERT INTO tag VALUES(2,'title',0,'Café');
INSERT INTO tag VALUES(2,'track',0,'3');
INSERT INTO tag VALUES(3,'artist',0,'Someone');
INSERT INTO tag VALUES(3,'artist',1,'Someone Else');
INSERT INTO tag VALUES(3,'other:MOOD',0,'calm');
INSERT INTO tag VALUES(3,'other:MOOD',1,'late');
INSERT INTO tag VALUES(3,'title',0,'Café');
INSERT INTO tag VALUES(3,'track',0,'3');
INSERT INTO tag VALUES(4,'artist',0,'Someone');
INSERT INTO tag VALUES(4,'artist',1,'Someone Else');
INSERT INTO tag VALUES(4,'other:MOOD',0,'calm');
INSERT INTO tag VALUES(4,'other:MOOD',1,'late');
INSERT INTO tag VALUES(4,'title',0,'Café');
INSERT INTO tag VALUES(4,'track',0,'3');
CREATE TABLE tag_summary (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  formats TEXT,                        -- JSON: list of tag formats
  has_lyrics INTEGER NOT NULL,
  pictures TEXT                        -- JSON: list of {type, mime, size_bytes}
);
INSERT INTO tag_summary VALUES(1,NULL,0,NULL);
INSERT INTO tag_summary VALUES(2,'["id3v2.4","id3v1"]',1,'[{"mime":"image/jpeg","size_bytes":51234,"type":"front cover"}]');
INSERT INTO tag_summary VALUES(3,'["id3v2.4","id3v1"]',1,'[{"mime":"image/jpeg","size_bytes":51234,"type":"front cover"}]');
INSERT INTO tag_summary VALUES(4,'["id3v2.4","id3v1"]',1,'[{"mime":"image/jpeg","size_bytes":51234,"type":"front cover"}]');
CREATE TABLE tempo (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  bpm REAL,
  confidence REAL NOT NULL,
  octave_confidence REAL NOT NULL,
  stable INTEGER NOT NULL,
  metre TEXT,
  reason TEXT,
  candidates TEXT NOT NULL,            -- JSON: [[bpm, weight], …]
  map TEXT NOT NULL                    -- JSON: [[start_s, bpm], …]
);
INSERT INTO tempo VALUES(2,126.0,0.93000000000000004884,0.875,1,'4/4',NULL,'[[126.0,0.81],[63.0,0.125]]','[[0.25,126.0]]');
INSERT INTO tempo VALUES(3,126.0,0.93000000000000004884,0.875,1,'4/4',NULL,'[[126.0,0.81],[63.0,0.125]]','[[0.25,126.0]]');
INSERT INTO tempo VALUES(4,126.0,0.93000000000000004884,0.875,1,'4/4',NULL,'[[126.0,0.81],[63.0,0.125]]','[[0.25,126.0]]');
CREATE TABLE beat_grid (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  beat_count INTEGER NOT NULL,
  beats_s TEXT NOT NULL,               -- JSON: [seconds, …]
  downbeats_s TEXT                     -- the same; NULL: not sure
);
INSERT INTO beat_grid VALUES(2,3,'[0.41,0.8862,1.3624]','[0.41]');
INSERT INTO beat_grid VALUES(3,3,'[0.41,0.8862,1.3624]','[0.41]');
INSERT INTO beat_grid VALUES(4,3,'[0.41,0.8862,1.3624]','[0.41]');
CREATE TABLE onset_summary (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  step_s REAL NOT NULL,
  strengths TEXT NOT NULL              -- JSON: [0 to 1, …], one each step
);
INSERT INTO onset_summary VALUES(2,0.5,'[0.0,0.25,1.0]');
INSERT INTO onset_summary VALUES(3,0.5,'[0.0,0.25,1.0]');
INSERT INTO onset_summary VALUES(4,0.5,'[0.0,0.25,1.0]');
CREATE TABLE fingerprint (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  algorithm TEXT NOT NULL,
  duration_s REAL NOT NULL,
  value TEXT NOT NULL
);
INSERT INTO fingerprint VALUES(2,'chromaprint-2',10.0,'AQAA');
INSERT INTO fingerprint VALUES(3,'chromaprint-2',10.0,'AQAA');
CREATE TABLE signature (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  landmarks INTEGER NOT NULL,
  data BLOB NOT NULL
);
INSERT INTO signature VALUES(2,1,2,X'010203');
INSERT INTO signature VALUES(3,1,2,X'010203');
INSERT INTO signature VALUES(4,1,2,X'010203');
CREATE TABLE finding (
  file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  analyzer TEXT NOT NULL,
  version INTEGER NOT NULL,
  configuration_digest TEXT NOT NULL,
  value TEXT NOT NULL,                 -- JSON
  PRIMARY KEY (file, analyzer)
) WITHOUT ROWID;
INSERT INTO finding VALUES(2,'key',3,'k1','{"key":"C#m"}');
INSERT INTO finding VALUES(3,'key',3,'k1','{"key":"C#m"}');
INSERT INTO finding VALUES(4,'key',3,'k1','{"key":"C#m"}');
CREATE TABLE lyrics (
  file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  language TEXT,
  description TEXT,
  text TEXT NOT NULL,
  lines TEXT,                          -- JSON: [[seconds, text], …]; NULL: without times
  PRIMARY KEY (file, position)
);
CREATE TABLE chapter (
  file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  start_s REAL NOT NULL,
  end_s REAL,
  title TEXT,
  PRIMARY KEY (file, position)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS "tempo_correction" (
  content_id TEXT PRIMARY KEY,
  bpm REAL,                            -- NULL: there is no steady beat
  corrected_ns INTEGER NOT NULL,
  stable INTEGER,
  map TEXT,                            -- JSON: [[start_s, bpm], …]; NULL: map and beats follow from those found
  metre TEXT,
  beats_s TEXT,                        -- JSON: [seconds, …]
  downbeats_s TEXT                     -- the same; NULL: not sure
) WITHOUT ROWID;
INSERT INTO tempo_correction VALUES('6dlhUlAJA9p2QGJSw33qeZ',63.0,1795647708518508868,1,'[[0.25,63.0]]',NULL,'[0.41,1.3624]',NULL);
CREATE TABLE tempo_skip (
  content_id TEXT PRIMARY KEY,
  skipped_ns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE tempo_history (
  id INTEGER PRIMARY KEY,
  content_id TEXT NOT NULL,
  replaced_ns INTEGER NOT NULL,
  corrected_ns INTEGER,                -- NULL: what was found counted, and all that follows is NULL
  bpm REAL,
  stable INTEGER,
  map TEXT,
  metre TEXT,
  beats_s TEXT,
  downbeats_s TEXT
);
INSERT INTO tempo_history VALUES(1,'6dlhUlAJA9p2QGJSw33qeZ',1795647708518739502,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE playlist (
  id INTEGER PRIMARY KEY,
  playlist_id TEXT NOT NULL UNIQUE,    -- 22 characters
  name TEXT NOT NULL,
  description TEXT,
  public INTEGER NOT NULL,
  created_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  snapshot INTEGER NOT NULL            -- counts the states of its tracks
);
CREATE TABLE playlist_entry (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  playlist INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,           -- from 0
  path BLOB NOT NULL,                  -- where the file was when it was added
  content_id TEXT,                     -- its audio
  added_ns INTEGER NOT NULL
);
CREATE TABLE playlist_snapshot (
  playlist INTEGER NOT NULL REFERENCES playlist (id) ON DELETE CASCADE,
  snapshot INTEGER NOT NULL,
  entries TEXT NOT NULL,               -- JSON: ids of entries
  PRIMARY KEY (playlist, snapshot)
) WITHOUT ROWID;
CREATE TABLE saved_track (
  id INTEGER PRIMARY KEY,
  path BLOB NOT NULL,
  content_id TEXT,
  added_ns INTEGER NOT NULL
);
CREATE TABLE saved_item (
  kind TEXT NOT NULL CHECK (kind IN ('album', 'artist')),
  item_id TEXT NOT NULL,               -- 22 characters
  added_ns INTEGER NOT NULL,
  PRIMARY KEY (kind, item_id)
) WITHOUT ROWID;
CREATE TABLE song (
  id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  artist TEXT,                         -- several values with “ / ” between, here and below
  title TEXT,
  album TEXT,
  album_artist TEXT,
  genre TEXT,
  variants TEXT,                       -- other spellings of these and the path; the name of the file without a title
  year INTEGER,
  bpm REAL,                            -- as corrected, or else as found
  confidence REAL,
  locked INTEGER NOT NULL,             -- 1: the tempo is corrected
  key TEXT,                            -- Camelot, such as 8A
  lufs REAL,
  duration_s REAL,
  codec TEXT,
  lossless INTEGER,
  status TEXT NOT NULL,
  added_ns INTEGER NOT NULL,
  track_id TEXT,                       -- 22 characters, of the path
  album_id TEXT,                       -- 22 characters, as in album; NULL without an album
  artists TEXT,                        -- JSON: list of performers one by one
  album_artists TEXT,                  -- the same, if the tag is there
  genres TEXT,                         -- JSON: list
  compilation INTEGER,
  disc INTEGER,
  track INTEGER,
  date TEXT,                           -- YYYY, YYYY-MM or YYYY-MM-DD
  isrc TEXT,
  recording_id TEXT,                   -- MusicBrainz
  key_order INTEGER AS (cast(key AS INTEGER) * 2 + (key LIKE '%B')) VIRTUAL  -- around the wheel
);
INSERT INTO song VALUES(1,NULL,NULL,NULL,NULL,NULL,'bad',NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL,'failed',1795647708504981773,'3YzlTlQOPgQifREBnGaeOy',NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,NULL);
INSERT INTO song VALUES(2,'Someone / Someone Else','Café',NULL,NULL,NULL,NULL,NULL,126.0,0.93000000000000004884,0,NULL,NULL,10.0,'flac',1,'ok',1795647708504981773,'6CKkA5rANpWOslPDJDIkQb',NULL,'["Someone","Someone Else"]',NULL,NULL,0,NULL,3,NULL,NULL,NULL);
INSERT INTO song VALUES(4,'Someone / Someone Else','Café',NULL,NULL,NULL,NULL,NULL,63.0,1.0,1,NULL,NULL,10.0,'flac',1,'partial',1795647708504981773,'6dlhUlAJA9p2QGJSw33qeZ',NULL,'["Someone","Someone Else"]',NULL,NULL,0,NULL,3,NULL,NULL,NULL);
CREATE TABLE song_change (file INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS 'songs_fts_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO songs_fts_data VALUES(1,X'03060200000001');
INSERT INTO songs_fts_data VALUES(10,X'000000000103030003010101020101030101');
INSERT INTO songs_fts_data VALUES(137438953473,X'000000c504306261640106010502010463616665020601010201060101020104656c73650202040102040107736f6d656f6e6502040203010402030002316201060105020101630206010102010601010201016502020401020401017302040203010402030003326261010601050201026361020601010201060101020102656c0202040102040102736f020402030104020300043362616401060105020103636166020601010201060101020103656c730202040102040103736f6d0204020301040203040a100c11090d090b0a0e0a0c0b0f0b');
INSERT INTO songs_fts_data VALUES(274877906945,X'0000007005306361666504060101020104656c73650402040107736f6d656f6e650404020300023163040601010201016504020401017304040203000332636104060101020102656c0402040102736f0404020300043363616604060101020103656c730402040103736f6d04040203040b090d0906070a07080b08');
INSERT INTO songs_fts_data VALUES(412316860417,X'0000005805306361666503010104656c736503010107736f6d656f6e65030100023163030101016503010101730301000332636103010102656c03010102736f030100043363616603010103656c7303010103736f6d03010408080b0605050706060807');
CREATE TABLE IF NOT EXISTS 'songs_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO songs_fts_idx VALUES(1,X'',2);
INSERT INTO songs_fts_idx VALUES(2,X'',2);
INSERT INTO songs_fts_idx VALUES(3,X'',2);
CREATE TABLE IF NOT EXISTS 'songs_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO songs_fts_docsize VALUES(1,X'000000000001');
INSERT INTO songs_fts_docsize VALUES(2,X'030100000000');
INSERT INTO songs_fts_docsize VALUES(4,X'030100000000');
CREATE TABLE IF NOT EXISTS 'songs_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO songs_fts_config VALUES('version',4);
CREATE TABLE IF NOT EXISTS 'source_paths_fts_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO source_paths_fts_data VALUES(1,X'06130d');
INSERT INTO source_paths_fts_data VALUES(10,X'000000000106060006010101020101030101040101050101060101');
INSERT INTO source_paths_fts_data VALUES(137438953473,X'00000070043062616401080301010201036d70330108040101030204757369630102020002316201080301010201016d010a0204010103000332626101080301010201026d7001080401010302017501020200043362616401080301010201036d703301080401010302027573010202040b0b090a0a0b0a060c0b');
INSERT INTO source_paths_fts_data VALUES(274877906945,X'000000a204306361660208030101020104666c616302080501010401056d7573696302020201037865390208040101030002316302080301010201016602080501010401016d02020201017802080401010300033263610208030101020102666c02080501010401026d75020202010278650208040101030004336361660208030101020103666c6102080501010401036d75730202020103786539020804010103040b0c0a0b0a0906090b0a070a0c0b08');
INSERT INTO source_paths_fts_data VALUES(412316860417,X'0000007a0530666c61630308040101030104676f6e6503080301010201056d757369630302020002316603080401010301016703080301010201016d030202000332666c0308040101030102676f03080301010201026d75030202000433666c610308040101030103676f6e03080301010201036d7573030202040c0c0a0a09060b0a070c0b');
INSERT INTO source_paths_fts_data VALUES(549755813889,X'0000007906306d7573696304020201036f67670408040101030104706172740408030101020002316d04020201016f0408040101030101700408030101020003326d7504020201026f67040804010103010270610408030101020004336d757304020201036f67670408040101030103706172040803010102040a0b0c070909080a0a090b');
INSERT INTO source_paths_fts_data VALUES(687194767361,X'0000007a0630636f76657205080301010201036a706705080401010301056d757369630502020002316305080301010201016a05080401010301016d050202000332636f05080301010201026a7005080401010301026d75050202000433636f7605080301010201036a706705080401010301036d7573050202040d0b0a0a09060b0a070c0b');
INSERT INTO source_paths_fts_data VALUES(824633720833,X'0000007d0530666c616306080401010301056d75736963060202010777616974696e670608030101020002316606080401010301016d060202010177060803010102000332666c06080401010301026d7506020201027761060803010102000433666c6106080401010301036d75730602020103776169060803010102040c0a0f0a06090b070a0c08');
CREATE TABLE IF NOT EXISTS 'source_paths_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO source_paths_fts_idx VALUES(1,X'',2);
INSERT INTO source_paths_fts_idx VALUES(2,X'',2);
INSERT INTO source_paths_fts_idx VALUES(3,X'',2);
INSERT INTO source_paths_fts_idx VALUES(4,X'',2);
INSERT INTO source_paths_fts_idx VALUES(5,X'',2);
INSERT INTO source_paths_fts_idx VALUES(6,X'',2);
CREATE TABLE IF NOT EXISTS 'source_paths_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO source_paths_fts_docsize VALUES(1,X'0302');
INSERT INTO source_paths_fts_docsize VALUES(2,X'0403');
INSERT INTO source_paths_fts_docsize VALUES(3,X'0302');
INSERT INTO source_paths_fts_docsize VALUES(4,X'0302');
INSERT INTO source_paths_fts_docsize VALUES(5,X'0302');
INSERT INTO source_paths_fts_docsize VALUES(6,X'0302');
CREATE TABLE IF NOT EXISTS 'source_paths_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO source_paths_fts_config VALUES('version',4);
CREATE TABLE artist (
  id INTEGER PRIMARY KEY,
  artist_id TEXT NOT NULL UNIQUE,      -- 22 characters; follows from the name
  name TEXT NOT NULL,                  -- as it is spelled first
  variants TEXT,                       -- other spellings
  track_count INTEGER NOT NULL DEFAULT 0,
  album_count INTEGER NOT NULL DEFAULT 0
);
INSERT INTO artist VALUES(1,'1Z8LR6NlwWGbFchbUB2Td9','Someone',NULL,2,0);
INSERT INTO artist VALUES(2,'62etvPgP1OSj6HNHBBZVOL','Someone Else',NULL,2,0);
CREATE TABLE album (
  id INTEGER PRIMARY KEY,
  album_id TEXT NOT NULL UNIQUE,       -- 22 characters
  name TEXT NOT NULL,
  artists TEXT,                        -- JSON: list of names
  artist TEXT,                         -- the same as one text
  variants TEXT,                       -- other spellings of both
  year INTEGER,                        -- the earliest
  date TEXT,
  track_count INTEGER NOT NULL,
  disc_count INTEGER NOT NULL,
  duration_s REAL,
  added_ns INTEGER NOT NULL,           -- when the newest of its files was met
  compilation INTEGER NOT NULL
);
CREATE TABLE genre (
  id INTEGER PRIMARY KEY,
  genre_id TEXT NOT NULL UNIQUE,       -- such as drum-bass
  name TEXT NOT NULL,
  track_count INTEGER NOT NULL DEFAULT 0,
  album_count INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE artist_song (
  song INTEGER NOT NULL,
  position INTEGER NOT NULL,
  artist INTEGER NOT NULL,
  PRIMARY KEY (song, position)
) WITHOUT ROWID;
INSERT INTO artist_song VALUES(2,0,1);
INSERT INTO artist_song VALUES(4,0,1);
INSERT INTO artist_song VALUES(2,1,2);
INSERT INTO artist_song VALUES(4,1,2);
CREATE TABLE genre_song (
  song INTEGER NOT NULL,
  genre INTEGER NOT NULL,
  PRIMARY KEY (song, genre)
) WITHOUT ROWID;
CREATE TABLE artist_album (
  album INTEGER NOT NULL,
  position INTEGER NOT NULL,
  artist INTEGER NOT NULL,
  PRIMARY KEY (album, position)
) WITHOUT ROWID;
CREATE TABLE genre_album (
  album INTEGER NOT NULL,
  genre INTEGER NOT NULL,
  track_count INTEGER NOT NULL,
  PRIMARY KEY (album, genre)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS 'artists_fts_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO artists_fts_data VALUES(1,X'020300');
INSERT INTO artists_fts_data VALUES(10,X'000000000101010001010101');
INSERT INTO artists_fts_data VALUES(137438953473,X'000000520530656c73650202030107736f6d656f6e6501020201020200023165020203010173010202010202000332656c0202030102736f010202010202000433656c730202030103736f6d01020201020204090f0709080a09');
CREATE TABLE IF NOT EXISTS 'artists_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
INSERT INTO artists_fts_idx VALUES(1,X'',2);
CREATE TABLE IF NOT EXISTS 'artists_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
INSERT INTO artists_fts_docsize VALUES(1,X'0100');
INSERT INTO artists_fts_docsize VALUES(2,X'0200');
CREATE TABLE IF NOT EXISTS 'artists_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO artists_fts_config VALUES('version',4);
CREATE TABLE IF NOT EXISTS 'albums_fts_data'(id INTEGER PRIMARY KEY, block BLOB);
INSERT INTO albums_fts_data VALUES(1,X'');
INSERT INTO albums_fts_data VALUES(10,X'00000000000000');
CREATE TABLE IF NOT EXISTS 'albums_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS 'albums_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
CREATE TABLE IF NOT EXISTS 'albums_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;
INSERT INTO albums_fts_config VALUES('version',4);
CREATE TABLE checksum (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  xxh3 BLOB,                           -- XXH3-128 of all bytes, 16 bytes, big-endian; NULL: never read whole
  sha256 BLOB,                         -- on request
  md5 BLOB,                            -- on request
  audio_start INTEGER,                 -- the first byte of the encoded audio
  audio_end INTEGER,                   -- behind its last byte
  audio_xxh3 BLOB,                     -- XXH3-128 of the bytes between
  taken_ns INTEGER,                    -- when these were computed
  well_ns INTEGER,                     -- when the file was last known to have these bytes
  verified_ns INTEGER,                 -- when they were last compared and the same; NULL: never since
  verification INTEGER REFERENCES verification (id),  -- which did that; NULL: a run that analyzed the file again
  read_ns INTEGER NOT NULL,            -- when the file was last read whole, or that was tried
  state TEXT CHECK (state IN ('changed_silently', 'unreadable')),  -- NULL: well
  hit TEXT CHECK (hit IN ('audio', 'tags')),  -- where the bytes differ: in the audio, or before or behind it
  found_xxh3 BLOB,                     -- XXH3-128 of the other bytes
  found_ns INTEGER                     -- when this was found
);
CREATE TABLE verification (
  id INTEGER PRIMARY KEY,
  run INTEGER REFERENCES run (id),     -- NULL: `analyze verify`
  started_ns INTEGER NOT NULL,
  finished_ns INTEGER,                 -- NULL: still going on, or died
  bytes INTEGER NOT NULL DEFAULT 0,
  verified INTEGER NOT NULL DEFAULT 0,
  taken INTEGER NOT NULL DEFAULT 0,
  restored INTEGER NOT NULL DEFAULT 0,
  changed_silently INTEGER NOT NULL DEFAULT 0,
  known_changed INTEGER NOT NULL DEFAULT 0,
  unreadable INTEGER NOT NULL DEFAULT 0,
  missing INTEGER NOT NULL DEFAULT 0,
  left_to_scan INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE file_event (
  id INTEGER PRIMARY KEY,
  file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  at_ns INTEGER,                       -- NULL: not known
  run INTEGER REFERENCES run (id),     -- NULL: outside of runs
  detail TEXT
);
INSERT INTO file_event VALUES(1,1,'failed',1795647708510651014,1,'corrupt');
INSERT INTO file_event VALUES(2,4,'damaged',1795647708515035600,1,'truncated');
CREATE TABLE duplicate_pair (
  first TEXT NOT NULL,                 -- content ids, ascending
  second TEXT NOT NULL,
  relation TEXT NOT NULL,              -- encoding, cut, edit, speed, part
  basis TEXT NOT NULL,                 -- signature, fingerprint
  coverage REAL NOT NULL,              -- 0 to 1: of the shorter one
  agreement REAL NOT NULL,             -- 0 to 1
  speed REAL NOT NULL,                 -- 1.01: the second plays 1% faster
  stretches TEXT NOT NULL,             -- JSON: [[start, end in the first, start, end in the second], …] in seconds
  PRIMARY KEY (first, second)
) WITHOUT ROWID;
CREATE TABLE compared_sound (
  content_id TEXT PRIMARY KEY,
  method INTEGER NOT NULL              -- the version of the comparison, and what there was to compare
) WITHOUT ROWID;
CREATE TABLE sound_sketch (
  id INTEGER PRIMARY KEY,
  content_id TEXT NOT NULL UNIQUE,
  method INTEGER NOT NULL,             -- the version of the keys, and what they were made of
  fingerprint BLOB NOT NULL,
  signature BLOB NOT NULL
);
CREATE TABLE duplicate_decision (
  first TEXT NOT NULL,
  second TEXT NOT NULL DEFAULT '',
  decision TEXT NOT NULL CHECK (decision IN ('distinct', 'keep')),
  decided_ns INTEGER NOT NULL,
  PRIMARY KEY (first, second)
) WITHOUT ROWID;
CREATE TABLE loudness (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  integrated_lufs REAL,  -- Loudness of the whole track, with gates; null if there is none.
  range_lu REAL,  -- Loudness range; null for less than 3 s above the gates.
  max_momentary_lufs REAL,  -- Loudness of the loudest 400 ms.
  max_short_term_lufs REAL,  -- Loudness of the loudest 3 s.
  sample_peak_dbfs REAL,  -- Largest sample; null for digital silence.
  true_peak_dbtp REAL,  -- Largest value between samples too, at 8 times the rate; null for silence.
  track_gain_db REAL,  -- ReplayGain 2: what brings the track to -18 LUFS.
  track_peak REAL,  -- The true peak as ReplayGain has it: full scale is 1.
  album_gain_db REAL,  -- ReplayGain 2 of all tracks of the album together; null without an album, or until all of them are known.
  album_peak REAL,  -- The largest track_peak of the album.
  reason TEXT,  -- Why there is no loudness: silence, too_short, below_gate, low_sample_rate.
  gating_blocks BLOB NOT NULL  -- How many blocks of 400 ms are how loud, in steps of 0.02 LU.
);
CREATE TABLE change (
  revision INTEGER PRIMARY KEY AUTOINCREMENT,  -- rises with each change, and no number comes twice
  file INTEGER UNIQUE,
  path BLOB UNIQUE,                    -- the bytes, if no file has it any more; then file is NULL
  changed_ns INTEGER NOT NULL
);
INSERT INTO change VALUES(1,5,NULL,1795647708507000000);
INSERT INTO change VALUES(2,1,NULL,1795647708511000000);
INSERT INTO change VALUES(3,2,NULL,1795647708511000000);
INSERT INTO change VALUES(6,3,NULL,1795647708516000000);
INSERT INTO change VALUES(7,4,NULL,1795647708517000000);
CREATE TABLE library (id TEXT NOT NULL);
INSERT INTO library VALUES('6d6b71ea1a75942bb5e3fae8d7231163');
CREATE TABLE album_change (path BLOB NOT NULL);
PRAGMA writable_schema=ON;
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','songs_fts','songs_fts',0,'CREATE VIRTUAL TABLE songs_fts USING fts5 (
  artist, title, album, album_artist, genre, variants, content="song", content_rowid="id", prefix=''1 2 3'',
  tokenize=''unicode61 remove_diacritics 2''
)');
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','source_paths_fts','source_paths_fts',0,'CREATE VIRTUAL TABLE source_paths_fts USING fts5 (
  full_path, file_name, content="file", content_rowid="id", prefix=''1 2 3'',
  tokenize=''unicode61 remove_diacritics 2''
)');
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','artists_fts','artists_fts',0,'CREATE VIRTUAL TABLE artists_fts USING fts5 (
  name, variants, content="artist", content_rowid="id", prefix=''1 2 3'', tokenize=''unicode61 remove_diacritics 2''
)');
INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','albums_fts','albums_fts',0,'CREATE VIRTUAL TABLE albums_fts USING fts5 (
  name, artist, variants, content="album", content_rowid="id", prefix=''1 2 3'',
  tokenize=''unicode61 remove_diacritics 2''
)');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('change',7);
CREATE INDEX file_inode ON file (inode, device) WHERE inode IS NOT NULL;
CREATE INDEX file_size ON file (size_bytes) WHERE content_id IS NOT NULL;
CREATE INDEX file_content ON file (content_id) WHERE content_id IS NOT NULL;
CREATE INDEX file_pending ON file (pending, path) WHERE pending > 0;
CREATE INDEX in_progress_run ON in_progress (run);
CREATE INDEX file_decoding ON file (decoding_id) WHERE decoding_id IS NOT NULL;
CREATE INDEX tempo_history_content ON tempo_history (content_id);
CREATE INDEX playlist_entry_position ON playlist_entry (playlist, position);
CREATE INDEX saved_track_path ON saved_track (path);
CREATE INDEX saved_track_content ON saved_track (content_id) WHERE content_id IS NOT NULL;
CREATE INDEX song_year ON song (year);
CREATE INDEX song_bpm ON song (bpm);
CREATE INDEX song_confidence ON song (confidence);
CREATE INDEX song_key ON song (key);
CREATE INDEX song_key_order ON song (key_order);
CREATE INDEX song_lufs ON song (lufs);
CREATE INDEX song_duration_s ON song (duration_s);
CREATE INDEX song_codec ON song (codec);
CREATE INDEX song_lossless ON song (lossless);
CREATE INDEX song_added_ns ON song (added_ns);
CREATE INDEX song_artist ON song (artist COLLATE NOCASE);
CREATE INDEX song_title ON song (title COLLATE NOCASE);
CREATE INDEX song_genre ON song (genre COLLATE NOCASE);
CREATE INDEX song_album ON song (album COLLATE NOCASE, album_artist, artist, year);
CREATE INDEX song_track_id ON song (track_id);
CREATE INDEX song_album_id ON song (album_id) WHERE album_id IS NOT NULL;
CREATE INDEX song_isrc ON song (isrc) WHERE isrc IS NOT NULL;
CREATE INDEX song_recording_id ON song (recording_id) WHERE recording_id IS NOT NULL;
CREATE INDEX song_status ON song (status) WHERE status <> 'ok';
CREATE INDEX song_locked ON song (locked) WHERE locked = 1;
CREATE INDEX file_no_track ON file (id) WHERE (vanished_run IS NOT NULL OR skip_code IS NOT NULL OR status IS NULL);
CREATE INDEX artist_name ON artist (name COLLATE NOCASE);
CREATE INDEX artist_unused ON artist (id) WHERE track_count = 0 AND album_count = 0;
CREATE INDEX album_name ON album (name COLLATE NOCASE);
CREATE INDEX album_of_artist ON album (artist COLLATE NOCASE, year, name COLLATE NOCASE);
CREATE INDEX album_year ON album (year);
CREATE INDEX album_added ON album (added_ns);
CREATE INDEX genre_unused ON genre (id) WHERE track_count = 0 AND album_count = 0;
CREATE INDEX artist_song_artist ON artist_song (artist);
CREATE INDEX genre_song_genre ON genre_song (genre);
CREATE INDEX artist_album_artist ON artist_album (artist);
CREATE INDEX genre_album_genre ON genre_album (genre);
CREATE INDEX checksum_read ON checksum (read_ns);
CREATE INDEX file_event_file ON file_event (file);
CREATE INDEX duplicate_pair_second ON duplicate_pair (second);
CREATE INDEX loudness_integrated_lufs ON loudness (integrated_lufs);
CREATE INDEX loudness_true_peak_dbtp ON loudness (true_peak_dbtp);
CREATE VIEW file_analysis AS
SELECT f.id AS file, f.display_path AS path, n.name AS analyzer, n.version, n.digest, a.outcome, a.message
FROM analysis a
JOIN analyzer n ON n.id = a.analyzer
JOIN file f ON f.id = a.file;
CREATE VIEW failing AS
SELECT f.id AS file, f.display_path AS path, f.status, e.stage, e.code, e.message, e.attempts,
  e.first_failed_run, e.last_failed_run, datetime(e.failed_ns / 1000000000, 'unixepoch') AS failed_at, e.signal,
  datetime(e.retry_ns / 1000000000, 'unixepoch') AS quarantined_until
FROM failure e
JOIN file f ON f.id = e.file
WHERE f.vanished_run IS NULL;
CREATE VIEW run_summary AS
SELECT id, state, datetime(started_ns / 1000000000, 'unixepoch') AS started_at,
  (finished_ns - started_ns) / 1e9 AS seconds, exit_status,
  analyzed + partial + cached + failed + skipped + vanished AS seen, analyzed, partial, cached, failed, skipped,
  vanished, newly_failed, newly_damaged, pending, pipeline, program_version
FROM run;
CREATE TRIGGER song_of_results AFTER UPDATE OF analyzed_ns ON file
BEGIN INSERT OR IGNORE INTO song_change (file) VALUES (NEW.id); END;
CREATE TRIGGER song_of_file AFTER UPDATE OF display_path, skip_code, vanished_run ON file
WHEN OLD.display_path IS NOT NEW.display_path OR OLD.skip_code IS NOT NEW.skip_code
  OR OLD.vanished_run IS NOT NEW.vanished_run
BEGIN INSERT OR IGNORE INTO song_change (file) VALUES (NEW.id); END;
CREATE TRIGGER song_of_skipped_file AFTER INSERT ON file WHEN NEW.skip_code IS NOT NULL
BEGIN INSERT OR IGNORE INTO song_change (file) VALUES (NEW.id); END;
CREATE TRIGGER song_of_new_correction AFTER INSERT ON tempo_correction
BEGIN INSERT OR IGNORE INTO song_change (file) SELECT id FROM file WHERE content_id = NEW.content_id; END;
CREATE TRIGGER song_of_correction AFTER UPDATE ON tempo_correction
BEGIN INSERT OR IGNORE INTO song_change (file) SELECT id FROM file WHERE content_id = NEW.content_id; END;
CREATE TRIGGER song_of_old_correction AFTER DELETE ON tempo_correction
BEGIN INSERT OR IGNORE INTO song_change (file) SELECT id FROM file WHERE content_id = OLD.content_id; END;
CREATE TRIGGER songs_fts_new AFTER INSERT ON song BEGIN INSERT INTO songs_fts (rowid, artist, title, album, album_artist, genre, variants) VALUES (NEW.id, NEW.artist, NEW.title, NEW.album, NEW.album_artist, NEW.genre, NEW.variants); END;
CREATE TRIGGER songs_fts_old AFTER DELETE ON song BEGIN INSERT INTO songs_fts (songs_fts, rowid, artist, title, album, album_artist, genre, variants) VALUES ('delete', OLD.id, OLD.artist, OLD.title, OLD.album, OLD.album_artist, OLD.genre, OLD.variants); END;
CREATE TRIGGER songs_fts_change AFTER UPDATE OF artist, title, album, album_artist, genre, variants ON song WHEN OLD.artist IS NOT NEW.artist OR OLD.title IS NOT NEW.title OR OLD.album IS NOT NEW.album OR OLD.album_artist IS NOT NEW.album_artist OR OLD.genre IS NOT NEW.genre OR OLD.variants IS NOT NEW.variants
BEGIN INSERT INTO songs_fts (songs_fts, rowid, artist, title, album, album_artist, genre, variants) VALUES ('delete', OLD.id, OLD.artist, OLD.title, OLD.album, OLD.album_artist, OLD.genre, OLD.variants); INSERT INTO songs_fts (rowid, artist, title, album, album_artist, genre, variants) VALUES (NEW.id, NEW.artist, NEW.title, NEW.album, NEW.album_artist, NEW.genre, NEW.variants); END;
CREATE TRIGGER source_paths_fts_new AFTER INSERT ON file BEGIN INSERT INTO source_paths_fts (rowid, full_path, file_name) VALUES (NEW.id, NEW.full_path, NEW.file_name); END;
CREATE TRIGGER source_paths_fts_old AFTER DELETE ON file BEGIN INSERT INTO source_paths_fts (source_paths_fts, rowid, full_path, file_name) VALUES ('delete', OLD.id, OLD.full_path, OLD.file_name); END;
CREATE TRIGGER source_paths_fts_change AFTER UPDATE OF display_path ON file WHEN OLD.display_path IS NOT NEW.display_path
BEGIN INSERT INTO source_paths_fts (source_paths_fts, rowid, full_path, file_name) VALUES ('delete', OLD.id, OLD.full_path, OLD.file_name); INSERT INTO source_paths_fts (rowid, full_path, file_name) VALUES (NEW.id, NEW.full_path, NEW.file_name); END;
CREATE TRIGGER song_old AFTER DELETE ON song BEGIN
  DELETE FROM artist_song WHERE song = OLD.id;
  DELETE FROM genre_song WHERE song = OLD.id;
END;
CREATE TRIGGER album_old AFTER DELETE ON album BEGIN
  DELETE FROM artist_album WHERE album = OLD.id;
  DELETE FROM genre_album WHERE album = OLD.id;
END;
CREATE TRIGGER artist_song_new AFTER INSERT ON artist_song
BEGIN UPDATE artist SET track_count = track_count + 1 WHERE id = NEW.artist; END;
CREATE TRIGGER artist_song_old AFTER DELETE ON artist_song
BEGIN UPDATE artist SET track_count = track_count - 1 WHERE id = OLD.artist; END;
CREATE TRIGGER artist_album_new AFTER INSERT ON artist_album
BEGIN UPDATE artist SET album_count = album_count + 1 WHERE id = NEW.artist; END;
CREATE TRIGGER artist_album_old AFTER DELETE ON artist_album
BEGIN UPDATE artist SET album_count = album_count - 1 WHERE id = OLD.artist; END;
CREATE TRIGGER genre_song_new AFTER INSERT ON genre_song
BEGIN UPDATE genre SET track_count = track_count + 1 WHERE id = NEW.genre; END;
CREATE TRIGGER genre_song_old AFTER DELETE ON genre_song
BEGIN UPDATE genre SET track_count = track_count - 1 WHERE id = OLD.genre; END;
CREATE TRIGGER genre_album_new AFTER INSERT ON genre_album
BEGIN UPDATE genre SET album_count = album_count + 1 WHERE id = NEW.genre; END;
CREATE TRIGGER genre_album_old AFTER DELETE ON genre_album
BEGIN UPDATE genre SET album_count = album_count - 1 WHERE id = OLD.genre; END;
CREATE TRIGGER artists_fts_new AFTER INSERT ON artist BEGIN INSERT INTO artists_fts (rowid, name, variants) VALUES (NEW.id, NEW.name, NEW.variants); END;
CREATE TRIGGER artists_fts_old AFTER DELETE ON artist BEGIN INSERT INTO artists_fts (artists_fts, rowid, name, variants) VALUES ('delete', OLD.id, OLD.name, OLD.variants); END;
CREATE TRIGGER artists_fts_change AFTER UPDATE OF name, variants ON artist WHEN OLD.name IS NOT NEW.name OR OLD.variants IS NOT NEW.variants
BEGIN INSERT INTO artists_fts (artists_fts, rowid, name, variants) VALUES ('delete', OLD.id, OLD.name, OLD.variants); INSERT INTO artists_fts (rowid, name, variants) VALUES (NEW.id, NEW.name, NEW.variants); END;
CREATE TRIGGER albums_fts_new AFTER INSERT ON album BEGIN INSERT INTO albums_fts (rowid, name, artist, variants) VALUES (NEW.id, NEW.name, NEW.artist, NEW.variants); END;
CREATE TRIGGER albums_fts_old AFTER DELETE ON album BEGIN INSERT INTO albums_fts (albums_fts, rowid, name, artist, variants) VALUES ('delete', OLD.id, OLD.name, OLD.artist, OLD.variants); END;
CREATE TRIGGER albums_fts_change AFTER UPDATE OF name, artist, variants ON album WHEN OLD.name IS NOT NEW.name OR OLD.artist IS NOT NEW.artist OR OLD.variants IS NOT NEW.variants
BEGIN INSERT INTO albums_fts (albums_fts, rowid, name, artist, variants) VALUES ('delete', OLD.id, OLD.name, OLD.artist, OLD.variants); INSERT INTO albums_fts (rowid, name, artist, variants) VALUES (NEW.id, NEW.name, NEW.artist, NEW.variants); END;
CREATE TRIGGER file_event_limit AFTER INSERT ON file_event BEGIN
  DELETE FROM file_event WHERE file = NEW.file AND id <= (
    SELECT id FROM file_event WHERE file = NEW.file ORDER BY id DESC LIMIT 1 OFFSET 30);
END;
CREATE VIEW file_history AS
SELECT f.id AS file, f.display_path AS path, 'first_seen' AS event, r.started_ns AS at_ns, f.first_seen_run AS run,
  NULL AS detail, datetime(r.started_ns / 1000000000, 'unixepoch') AS at
FROM file f LEFT JOIN run r ON r.id = f.first_seen_run
UNION ALL
SELECT f.id, f.display_path, 'analyzed', f.analyzed_ns, f.analyzed_run, f.status,
  datetime(f.analyzed_ns / 1000000000, 'unixepoch')
FROM file f WHERE f.analyzed_run IS NOT NULL
UNION ALL
SELECT f.id, f.display_path, 'verified', c.verified_ns, v.run, NULL,
  datetime(c.verified_ns / 1000000000, 'unixepoch')
FROM file f JOIN checksum c ON c.file = f.id LEFT JOIN verification v ON v.id = c.verification
WHERE c.verified_ns IS NOT NULL
UNION ALL
SELECT f.id, f.display_path, 'vanished', r.started_ns, f.vanished_run, NULL,
  datetime(r.started_ns / 1000000000, 'unixepoch')
FROM file f LEFT JOIN run r ON r.id = f.vanished_run WHERE f.vanished_run IS NOT NULL
UNION ALL
SELECT f.id, f.display_path, e.event, e.at_ns, e.run, e.detail,
  datetime(e.at_ns / 1000000000, 'unixepoch')
FROM file f JOIN file_event e ON e.file = f.id;
CREATE TRIGGER change_of_path AFTER UPDATE OF path ON file WHEN OLD.path <> NEW.path BEGIN
  INSERT OR REPLACE INTO change (path, changed_ns) VALUES (OLD.path, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000000);
END;
CREATE TRIGGER change_of_size AFTER UPDATE OF size_bytes, mtime_ns ON file
WHEN OLD.size_bytes IS NOT NEW.size_bytes OR OLD.mtime_ns IS NOT NEW.mtime_ns BEGIN
  INSERT OR REPLACE INTO change (file, changed_ns) VALUES (NEW.id, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000000);
END;
CREATE TRIGGER change_of_old_file AFTER DELETE ON file BEGIN
  DELETE FROM change WHERE path = OLD.path;
  UPDATE change SET file = NULL, path = OLD.path WHERE file = OLD.id AND OLD.vanished_run IS NOT NULL;
  INSERT INTO change (path, changed_ns)
    SELECT OLD.path, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) * 1000000 FROM change WHERE file = OLD.id;
  DELETE FROM change WHERE file = OLD.id;
END;
CREATE TRIGGER album_of_new_loudness AFTER INSERT ON loudness
BEGIN INSERT INTO album_change (path) SELECT path FROM file WHERE id = NEW.file; END;
CREATE TRIGGER album_of_old_loudness AFTER DELETE ON loudness
BEGIN INSERT INTO album_change (path) SELECT path FROM file WHERE id = OLD.file; END;
CREATE TRIGGER album_of_new_tag AFTER INSERT ON tag WHEN NEW.name IN ('album', 'albumartist')
BEGIN INSERT INTO album_change (path) SELECT path FROM file WHERE id = NEW.file; END;
CREATE TRIGGER album_of_old_tag AFTER DELETE ON tag WHEN OLD.name IN ('album', 'albumartist')
BEGIN INSERT INTO album_change (path) SELECT path FROM file WHERE id = OLD.file; END;
CREATE TRIGGER album_of_file AFTER UPDATE OF path, pending, skip_code, vanished_run ON file
WHEN OLD.path <> NEW.path OR OLD.pending > 0 AND NEW.pending = 0 OR OLD.skip_code IS NOT NEW.skip_code
  OR OLD.vanished_run IS NOT NEW.vanished_run
BEGIN INSERT INTO album_change (path) VALUES (OLD.path), (NEW.path); END;
CREATE TRIGGER song_of_album_gain AFTER UPDATE OF album_gain_db, album_peak ON loudness
BEGIN INSERT OR IGNORE INTO song_change (file) VALUES (NEW.file); END;
CREATE VIEW track AS
SELECT f.id, f.display_path AS path,
  CASE WHEN f.skip_code IS NOT NULL THEN 'skipped' ELSE f.status END AS status,
  (SELECT value FROM tag t WHERE t.file = f.id AND t.name = 'artist' AND t.position = 0) AS artist,
  (SELECT value FROM tag t WHERE t.file = f.id AND t.name = 'title' AND t.position = 0) AS title,
  (SELECT value FROM tag t WHERE t.file = f.id AND t.name = 'album' AND t.position = 0) AS album,
  s.genre, s.year,
  round(iif(c.content_id IS NULL, o.bpm, c.bpm), 2) AS tempo_bpm,
  iif(c.content_id IS NULL, round(o.confidence, 2), 1.0) AS tempo_confidence,
  round(m.duration_s, 2) AS duration_s, m.codec, m.sample_rate_hz, m.channels, f.size_bytes,
  datetime(f.mtime_ns / 1000000000, 'unixepoch') AS modified_at,
  f.content_id, coalesce(f.skip_code, e.code) AS problem, coalesce(f.skip_message, e.message) AS message,
  c.content_id IS NOT NULL AS tempo_locked, loudness.integrated_lufs AS loudness_integrated_lufs, loudness.range_lu AS loudness_range_lu, loudness.true_peak_dbtp AS loudness_true_peak_dbtp, loudness.track_gain_db AS loudness_track_gain_db, loudness.album_gain_db AS loudness_album_gain_db, loudness.album_peak AS loudness_album_peak
FROM file f
LEFT JOIN format m ON m.file = f.id
LEFT JOIN tempo o ON o.file = f.id
LEFT JOIN tempo_correction c ON c.content_id = f.content_id
LEFT JOIN failure e ON e.file = f.id
LEFT JOIN song s ON s.id = f.id
LEFT JOIN loudness ON loudness.file = f.id
WHERE f.vanished_run IS NULL;
PRAGMA writable_schema=OFF;
COMMIT;
