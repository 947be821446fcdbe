"""Makes a client of an OpenAPI document with openapi-python-client, and has it read the answers of all operations that only read.

    Scripts/openapi-client.py openapi.json http://127.0.0.1:8642/ '{"tracks": "ID", …}'

The object has an id for each kind of thing, by the word that the paths have for it.
"""
import importlib
import inspect
import json
import pathlib
import pkgutil
import subprocess
import sys
import tempfile

document, base, ids = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
# What parameters need that cannot be left out.
VALUES = {"q": "tone", "type_": "track,album,artist,playlist", "seed_genres": "noise", "client": "a", "fingerprint": "AQAA", "duration": 5,
          "recording_ids": "00000000-0000-0000-0000-000000000000", "mbid": "00000000-0000-0000-0000-000000000000", "method": "ping",
          "f": "json", "file": "app.js", "uris": "spotify:track:" + ids["tracks"]}
# Answered by what does not exist here, or without end.
LEFT = {"get_api_v_1_by_mbid_low_level", "get_api_v_1_by_mbid_high_level", "get_api_v_1_by_mbid_count"}


def kind(path):
    return next((kind for kind in reversed(path.split("/")) if kind in ids), "tracks")


with tempfile.TemporaryDirectory() as folder:
    # It is read and not shown to anybody, so nothing need format it.
    pathlib.Path(folder, "config.yaml").write_text("post_hooks: []\n")
    made = subprocess.run(
        [pathlib.Path(sys.executable).parent / "openapi-python-client", "generate", "--path", document, "--meta", "none",
         "--output-path", f"{folder}/nocturne_client", "--config", f"{folder}/config.yaml", "--fail-on-warning"], capture_output=True, text=True, cwd=folder)
    if made.returncode:
        sys.exit(f"no client can be made:\n{made.stdout[-3000:]}{made.stderr[-3000:]}")
    sys.path.insert(0, folder)
    import nocturne_client
    import nocturne_client.api

    client = nocturne_client.Client(base_url=base.rstrip("/"), timeout=20)
    described = {(method, path): operation for path, operations in json.load(open(document))["paths"].items()
                 for method, operation in operations.items()}
    modules = [importlib.import_module(module.name)
               for module in pkgutil.walk_packages(nocturne_client.api.__path__, "nocturne_client.api.") if not module.ispkg]
    if len(modules) != len(described):
        sys.exit(f"the client has {len(modules)} of {len(described)} operations")
    read, problems = 0, []
    for (method, path), operation in described.items():
        answers = operation["responses"]
        content = next((answer.get("content", {}) for status, answer in answers.items() if status[0] == "2"), {})
        if method != "get" or "application/json" not in content or "/sessions" in path or "{mbid}" in path:
            continue
        name = operation["operationId"]
        module = next(one for one in modules if one.__name__.split(".")[-1].replace("_", "") == name.lower().replace("_", ""))
        arguments = {}
        for parameter in inspect.signature(module.sync_detailed).parameters.values():
            if parameter.name == "client":
                continue
            if parameter.name in ("id", "ids"):
                arguments[parameter.name] = ids[kind(path)]
            elif parameter.name == "type_" and "following" in path:
                hint = inspect.signature(module.sync_detailed).parameters["type_"].annotation
                arguments["type_"] = list(hint)[0] if inspect.isclass(hint) and hasattr(hint, "__members__") else "artist"
            elif parameter.default is inspect.Parameter.empty or parameter.name in ("seed_genres", "f", "client_", "fingerprint", "duration"):
                arguments[parameter.name] = VALUES[parameter.name.rstrip("_") if parameter.name == "client_" else parameter.name]
        try:
            answer = module.sync_detailed(client=client, **arguments)
            whole = json.loads(answer.content)
            parsed = answer.parsed
            if answer.status_code != 200:
                problems.append(f"{method} {path}: {answer.status_code} {answer.content[:200]}")
            elif hasattr(parsed, "to_dict") and parsed.to_dict() != whole:
                problems.append(f"{method} {path}: something is lost: {parsed.to_dict()} of {whole}"[:2000])
            elif parsed is None and whole is not None:
                problems.append(f"{method} {path}: nothing is read of {whole}"[:500])
            read += 1
        except Exception as problem:
            problems.append(f"{method} {path}: {type(problem).__name__}: {problem}"[:1000])
if problems:
    sys.exit("\n".join(problems))
print(f"openapi-python-client: {len(modules)} operations, {read} answers read")
