#!/usr/bin/env python3
"""Makes a database of many tracks whose fingerprints and signatures are made from real ones: for time and memory.

  compare-sounds DATABASE 100000 | enlarge.py DATABASE LARGE

LARGE gets all of DATABASE, and a row for each line of standard input.
"""
import base64, hashlib, sqlite3, sys

ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'


def content_id(number):
    value, text = int.from_bytes(hashlib.sha256(str(number).encode()).digest()[:16], 'big'), ''
    for _ in range(22): value, digit = divmod(value, 62); text = ALPHABET[digit] + text
    return text


def main():
    source, target = sys.argv[1:]
    with sqlite3.connect(source) as db: db.execute('VACUUM INTO ?', (target,))
    db = sqlite3.connect(target)
    db.executescript('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF')
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall(): db.execute(f'DROP TRIGGER "{name}"')
    run = db.execute('SELECT max(id) FROM run').fetchone()[0]
    first = db.execute('SELECT max(id) + 1 FROM file').fetchone()[0]
    for number, line in enumerate(sys.stdin):
        fingerprint, signature = line.rstrip('\n').split('\t')
        path, data = f'/made/{number // 12}/{number}.flac', base64.b64decode(signature)
        db.execute("INSERT INTO file (id, path, display_path, size_bytes, mtime_ns, status, content_id, first_seen_run, analyzed_run)"
                   " VALUES (?, ?, ?, 30000000, 0, 'ok', ?, ?, ?)", (first + number, path.encode(), path, content_id(number), run, run))
        db.execute("INSERT INTO format (file, container, codec, sample_rate_hz, channels, lossless, frames)"
                   " VALUES (?, 'flac', 'flac', 44100, 2, 1, 10584000)", (first + number,))
        db.execute("INSERT INTO fingerprint (file, algorithm, duration_s, value) VALUES (?, 'chromaprint-2', 120, ?)",
                   (first + number, fingerprint))
        db.execute('INSERT INTO signature (file, version, landmarks, data) VALUES (?, 1, ?, ?)',
                   (first + number, int.from_bytes(data[12:16], 'little'), data))
    db.commit()


if __name__ == '__main__': main()
