/// The tables of similar audio and of people's decisions about it. All of the tables are keyed by content id, which
/// copies share and which stays the same when files are moved or retagged.
enum DuplicateTables {
  static let own: Set<String> = ["duplicate_pair", "compared_sound", "duplicate_decision", "sound_sketch"]

  static let tables8 = """
    -- The keys by which audio is found among other audio.
    CREATE TABLE sound_sketch (
      id INTEGER PRIMARY KEY,
      content_id TEXT NOT NULL UNIQUE,
      method INTEGER NOT NULL,             -- the version of the keys, and what they were made of
      fingerprint BLOB NOT NULL,
      signature BLOB NOT NULL
    );
    """

  static let tables7 = """
    -- Two files of one recording, found by sound.
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
    CREATE INDEX duplicate_pair_second ON duplicate_pair (second);

    -- Audio that was compared with all other audio in this table.
    CREATE TABLE compared_sound (
      content_id TEXT PRIMARY KEY,
      method INTEGER NOT NULL              -- the version of the comparison, and what there was to compare
    ) WITHOUT ROWID;

    -- What people have said: two recordings are no duplicates, or (second is empty) a file is to be kept.
    CREATE TABLE duplicate_decision (
      first TEXT NOT NULL,
      second TEXT NOT NULL DEFAULT '',
      decision TEXT NOT NULL CHECK (decision IN ('distinct', 'keep')),
      decided_ns INTEGER NOT NULL,
      PRIMARY KEY (first, second)
    ) WITHOUT ROWID;
    """
}
