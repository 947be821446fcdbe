internal import Analysis

/// The usual names of codecs or, for PCM, of containers.
enum CodecName {
  static func text(of format: AudioFormat) -> String {
    let codec = format.codec
    if codec.hasPrefix("pcm") { return containers[format.container] ?? "PCM" }
    if let name = names[codec] { return name }
    for (prefix, name) in families where codec.hasPrefix(prefix) { return name }
    return codec.isEmpty ? format.container.uppercased() : codec.uppercased()
  }

  private static let containers = [
    "wav": "WAV", "rf64": "WAV", "w64": "WAV", "aiff": "AIFF", "aifc": "AIFF", "caf": "CAF", "au": "AU",
  ]
  private static let names = [
    "flac": "FLAC", "mp3": "MP3", "mp2": "MP2", "opus": "Opus", "vorbis": "Vorbis", "aac": "AAC", "alac": "ALAC",
    "wavpack": "WavPack", "ape": "Monkey’s Audio", "tta": "TTA", "tak": "TAK", "speex": "Speex", "ac3": "AC-3",
    "eac3": "E-AC-3", "dts": "DTS", "wmalossless": "WMA Lossless", "truehd": "TrueHD",
  ]
  private static let families = [
    ("wma", "WMA"), ("musepack", "Musepack"), ("mpc", "Musepack"), ("dsd", "DSD"), ("adpcm", "ADPCM"),
  ]
}
