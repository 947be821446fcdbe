"""What a manifest says of its clips: where their beats are, and the first beats of their bars."""
import json, os
import numpy as np


def folder(manifest): return os.path.dirname(os.path.abspath(manifest))


def beats_of(row, manifest):
    """Seconds; None if they are not known."""
    if not row['beats_file']: return None
    with open(os.path.join(folder(manifest), row['beats_file'])) as lines:
        return np.unique([float(line.split()[0]) for line in lines if line.strip()])


def downbeats_of(row, manifest):
    """Seconds, out of NAME.json beside the manifest; None if they are not known."""
    path = os.path.join(folder(manifest), row['id'] + '.json')
    if not os.path.exists(path): return None
    with open(path) as file: return np.array(json.load(file).get('down') or [], float)
