"""Takes what Nocturne found into beets: `beet nocturne [QUERY]`.

Copy this file into a folder, and name both in the configuration of beets:

    pluginpath: ~/beets-plugins
    plugins: nocturne
    nocturne:
      analyze: analyze    # the program, if it is not on the path
      database:           # its database, if it is not where Nocturne keeps it
      overwrite: no       # replace fields that have a value already
      write: no           # write tags of files, too
      chroma: yes         # answer the plug-in chroma from the database

It runs `analyze report` once and reads its lines; no audio is touched. Tracks are matched by their paths. It sets the
fields `bpm`, `initial_key`, `rg_track_gain`, `rg_track_peak`, `rg_album_gain` and `rg_album_peak` of beets, and the flexible
fields `nocturne_tempo_bpm`, `nocturne_tempo_confidence`, `nocturne_key_camelot`, `nocturne_traits_energy`,
`nocturne_traits_danceability` and `nocturne_loudness_integrated_lufs`. What was not found is not set. A tempo that a person has corrected (`analyze set`) counts before what was found.
It also sets `acoustid_fingerprint`, and `acoustid_id` where the tags have it.

The plug-in chroma fingerprints files with pyacoustid, which decodes them with libchromaprint and starts `fpcalc` only where
that is missing. So if chroma is enabled, this plug-in answers `acoustid.fingerprint_file` itself, with `analyze fpcalc`: a
file that was analyzed and has not changed since is not decoded, and others are decoded by `analyze`. What `analyze` has no
fingerprint for goes to pyacoustid as before.
"""
import functools
import json
import os
import subprocess
from urllib.parse import unquote_to_bytes

from beets import config, ui
from beets.dbcore import types
from beets.plugins import BeetsPlugin

# rg_* are in dB, and as a share of full scale, as in the reports.
FIELDS = {
    "rg_track_gain": ("loudness", "track_gain_db"),
    "rg_track_peak": ("loudness", "track_peak"),
    "rg_album_gain": ("loudness", "album_gain_db"),
    "rg_album_peak": ("loudness", "album_peak"),
}
# Called as everywhere in Nocturne: by the finding and its field.
FLEXIBLE_FIELDS = {
    f"nocturne_{finding}_{field}": (finding, field)
    for finding, field in [
        ("tempo", "bpm"), ("tempo", "confidence"), ("key", "camelot"), ("traits", "energy"), ("traits", "danceability"),
        ("loudness", "integrated_lufs"),
    ]
}


FINGERPRINT = "acoustid_fingerprint"
# The fingerprint is not among them: it has thousands of characters.
SHOWN_FIELDS = {"bpm", "initial_key", "acoustid_id", *FIELDS, *FLEXIBLE_FIELDS}


class NocturnePlugin(BeetsPlugin):
    item_types = {name: types.STRING if name == "nocturne_key_camelot" else types.Float(3) for name in FLEXIBLE_FIELDS}

    def __init__(self):
        super().__init__()
        self.config.add({"analyze": "analyze", "database": "", "overwrite": False, "write": False, "chroma": True})
        if self.config["chroma"].get(bool) and "chroma" in config["plugins"].as_str_seq():
            self.answer_chroma()

    def commands(self):
        command = ui.Subcommand("nocturne", help="set tempo, key, gain and more from Nocturne's analysis")
        command.parser.add_option("-p", "--pretend", action="store_true", help="show changes, and make none")
        command.parser.add_option("-o", "--overwrite", action="store_true", help="replace fields that have a value")
        command.parser.add_option("-w", "--write", action="store_true", help="write tags of files, too")
        command.func = self.run
        return [command]

    def run(self, lib, options, arguments):
        overwrite = options.overwrite or self.config["overwrite"].get(bool)
        write = options.write or self.config["write"].get(bool)
        items = {os.fsencode(item.path): item for item in lib.items(arguments)}
        changed = 0
        for record in self.records():
            item = items.get(path_of(record))
            if item is None:
                continue
            before = item.get(FINGERPRINT)
            for name, value in values_of(record):
                if overwrite or name.startswith("nocturne_") or not has_value(item, name):
                    item[name] = value
            is_new = item.get(FINGERPRINT) != before
            if not ui.show_model_changes(item, fields=SHOWN_FIELDS, always=is_new) and not is_new:
                continue
            if is_new:
                ui.print_(f"  {FINGERPRINT}: set")
            changed += 1
            if not options.pretend:
                item.store()
                if write:
                    item.try_write()
        self._log.info("{} of {} tracks changed", changed, len(items))

    @property
    def database(self):
        """None for the usual one."""
        return self.config["database"].as_filename() if self.config["database"].get() else None

    def answer_chroma(self):
        """Lets chroma, which calls `acoustid.fingerprint_file`, have what the database has."""
        try:
            import acoustid
        except ImportError:
            return  # chroma says so itself.
        decode = acoustid.fingerprint_file

        @functools.wraps(decode)
        def fingerprint_file(path, maxlength=acoustid.MAX_AUDIO_LENGTH, force_fpcalc=False):
            return self.fingerprint(path, maxlength) or decode(path, maxlength, force_fpcalc)

        acoustid.fingerprint_file = fingerprint_file

    def fingerprint(self, path, maxlength):
        """Duration in seconds and fingerprint, or None if `analyze` has none."""
        path = os.path.abspath(os.path.expanduser(path))
        command = [self.config["analyze"].as_str(), "fpcalc", "-json", "-length", str(maxlength), path]
        environment = {**os.environ, "NOCTURNE_DATABASE": self.database} if self.database else None
        try:
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            answer = json.loads(done.stdout) if done.returncode == 0 else {}
        except (OSError, ValueError) as error:
            self._log.debug("{} gives no fingerprint: {}", command[0], error)
            return None
        if not answer.get("fingerprint"):
            return None
        return float(answer["duration"]), answer["fingerprint"].encode()

    def records(self):
        """One after the other, so that libraries of any size fit."""
        command = [self.config["analyze"].as_str(), "report", "--report", "ndjson", "--output", "-"]
        if self.database:
            command += ["--database", self.database]
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE)
        except OSError as error:
            raise ui.UserError(f"{command[0]} cannot be run: {error}. Set nocturne.analyze in the configuration.")
        with process:
            for line in process.stdout:
                record = json.loads(line)
                if "file_id" in record:
                    yield record
        if process.returncode:
            raise ui.UserError(f"{' '.join(command)} ended with status {process.returncode}.")


def path_of(record):
    """The exact bytes, which `path` does not always have."""
    return unquote_to_bytes(record["uri"].removeprefix("file://"))


def values_of(record):
    tempo, key = record.get("tempo") or {}, record.get("key") or {}
    if tempo.get("bpm") is not None:
        yield "bpm", round(tempo["bpm"])
    if key.get("tonic") is not None:
        yield "initial_key", key["tonic"] + ("m" if key["mode"] == "minor" else "")
    for name, (finding, field) in {**FIELDS, **FLEXIBLE_FIELDS}.items():
        value = (record.get(finding) or {}).get(field)
        if value is not None:
            yield name, value


    # Of damaged files it may be another one than AcoustID knows.
    fingerprint = record.get("fingerprint") or {}
    if record["status"] == "ok" and fingerprint.get("algorithm") == "chromaprint-2" and fingerprint.get("value"):
        yield FINGERPRINT, fingerprint["value"]
    if acoustid_id := (record.get("tags") or {}).get("acoustid_id"):
        yield "acoustid_id", acoustid_id[0] if isinstance(acoustid_id, list) else acoustid_id


def has_value(item, name):
    """beets has 0 where a number is unknown."""
    return item.get(name) not in (None, "", 0)
