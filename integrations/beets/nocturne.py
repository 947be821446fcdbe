"""Takes what Nocturne found into beets: `beet nocturne [QUERY]`.

Copy this file into a folder, and name both in the configuration of beets:

    pluginpath: ~/beets-plugins
    plugins: nocturne
    nocturne:
      analyze: analyze    # the program, if it is not on the path
      database:           # its database, if it is not where Nocturne keeps it
      overwrite: no       # replace fields that have a value already
      write: no           # write tags of files, too

It runs `analyze report` once and reads its lines; no audio is touched. Tracks are matched by their paths. It sets the
fields `bpm`, `initial_key`, `rg_track_gain`, `rg_track_peak`, `rg_album_gain` and `rg_album_peak` of beets, and the flexible
fields `nocturne_bpm`, `nocturne_bpm_confidence`, `nocturne_camelot`, `nocturne_energy`, `nocturne_danceability` and
`nocturne_lufs`. What was not found is not set. A tempo that a person has corrected (`analyze set`) counts before what was found.
"""
import json
import os
import subprocess
from urllib.parse import unquote_to_bytes

from beets import ui
from beets.dbcore import types
from beets.plugins import BeetsPlugin

# rg_* are in dB, and as a share of full scale, as in the reports.
FIELDS = {
    "rg_track_gain": ("loudness", "track_gain_db"),
    "rg_track_peak": ("loudness", "track_peak"),
    "rg_album_gain": ("loudness", "album_gain_db"),
    "rg_album_peak": ("loudness", "album_peak"),
}
FLEXIBLE_FIELDS = {
    "nocturne_bpm": ("tempo", "bpm"),
    "nocturne_bpm_confidence": ("tempo", "confidence"),
    "nocturne_camelot": ("key", "camelot"),
    "nocturne_energy": ("traits", "energy"),
    "nocturne_danceability": ("traits", "danceability"),
    "nocturne_lufs": ("loudness", "integrated_lufs"),
}


class NocturnePlugin(BeetsPlugin):
    item_types = {name: types.STRING if name == "nocturne_camelot" else types.Float(3) for name in FLEXIBLE_FIELDS}

    def __init__(self):
        super().__init__()
        self.config.add({"analyze": "analyze", "database": "", "overwrite": False, "write": False})

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
            for name, value in values_of(record):
                if overwrite or name.startswith("nocturne_") or not has_value(item, name):
                    item[name] = value
            if not ui.show_model_changes(item):
                continue
            changed += 1
            if not options.pretend:
                item.store()
                if write:
                    item.try_write()
        self._log.info("{} of {} tracks changed", changed, len(items))

    def records(self):
        """One after the other, so that libraries of any size fit."""
        command = [self.config["analyze"].as_str(), "report", "--report", "ndjson", "--output", "-"]
        if self.config["database"].get():
            command += ["--database", self.config["database"].as_filename()]
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


def has_value(item, name):
    """beets has 0 where a number is unknown."""
    return item.get(name) not in (None, "", 0)
