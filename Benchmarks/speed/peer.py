#!/usr/bin/env python3
"""What a peer written for Python finds in files, in one process: peer.py essentia|librosa FILE…

Run by `Benchmarks/bench`, which measures what it costs."""
import sys


def essentia(paths):
    import essentia
    import essentia.standard as standard
    essentia.log.infoActive = essentia.log.warningActive = False
    tempo, key, loudness = standard.RhythmExtractor2013(method="multifeature"), standard.KeyExtractor(), standard.LoudnessEBUR128()
    for path in paths:
        stereo, rate, *_ = standard.AudioLoader(filename=path)()
        mono = standard.MonoMixer()(stereo, stereo.shape[1])
        print(path, tempo(mono)[0], key(mono)[:2], loudness(stereo)[2])


def librosa(paths):
    import librosa
    for path in paths:
        samples, rate = librosa.load(path)
        print(path, librosa.beat.beat_track(y=samples, sr=rate)[0])


{"essentia": essentia, "librosa": librosa}[sys.argv[1]](sys.argv[2:])
