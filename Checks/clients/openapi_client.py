"""Makes a client of an OpenAPI document with openapi-python-client, and has it read the answers of all operations that only read.

    Checks/clients/openapi_client.py openapi.json http://127.0.0.1:8642/ '{"tracks": "ID", …}'

The object has an id for each kind of thing, by the word that the paths have for it.
"""
import enum
import importlib
import inspect
import json
import pathlib
import pkgutil
import subprocess
import sys
import tempfile
import typing

document, base, ids = str(pathlib.Path(sys.argv[1]).absolute()), sys.argv[2], json.loads(sys.argv[3])
# What parameters have that cannot be left out, and some others.
VALUES = {"q": "tone", "type_": "track,album,artist,playlist", "seed_genres": "noise", "f": "json", "method": "ping",
          "uris": "spotify:track:" + ids["tracks"]}
# They need what a small library does not have: a live session, a fingerprint, recordings of MusicBrainz.
LEFT = ("/v1/sessions", "/v2/lookup", "/api/v1", "/openapi.json")


def argument(name, hint, path):
    """The value of a parameter, in the type that the client has for it."""
    if name in ("id", "ids"):
        parts = path.split("/")
        return next((ids[part] for part in parts if part in ids), ids["tracks"])
    for choice in typing.get_args(hint) or (hint,):
        if inspect.isclass(choice) and issubclass(choice, enum.Enum):
            return choice(VALUES[name]) if name in VALUES and VALUES[name] in {one.value for one in choice} else next(iter(choice))
    return VALUES[name]


with tempfile.TemporaryDirectory() as folder:
    # Nobody sees it, so nothing need format it; media types that the generator does not know are bytes.
    binary = ["*/*", "audio/*", "audio/pcm", "image/jpeg", "text/event-stream", "application/vnd.apple.mpegurl", "audio/x-mpegurl"]
    pathlib.Path(folder, "config.yaml").write_text(json.dumps(
        {"post_hooks": [], "content_type_overrides": {kind: "application/octet-stream" for kind in binary}}))
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
        if method != "get" or "application/json" not in content or path.startswith(LEFT):
            continue
        name = operation["operationId"]
        module = next(one for one in modules if one.__name__.split(".")[-1].replace("_", "") == name.lower().replace("_", ""))
        hints = typing.get_type_hints(module.sync_detailed)
        arguments = {
            parameter.name: argument(parameter.name, hints[parameter.name], path)
            for parameter in inspect.signature(module.sync_detailed).parameters.values()
            if parameter.name != "client" and (parameter.default is inspect.Parameter.empty or parameter.name in ("seed_genres", "f"))}
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
