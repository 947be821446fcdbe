internal import CLibAV
internal import CLoading
internal import CSamplerate
internal import CSndfile
internal import CSoxr

/// The loaded libraries for decoding and resampling.
public enum DecodingLibraries {
  public static var versions: [String] {
    [
      libsndfile.version,
      unsafe "FFmpeg " + String(cString: lav_version()),
      unsafe String(cString: soxr_version()),
      unsafe String(cString: src_get_version()),
    ]
  }

  /// Loads the decoders now. If there is too little memory for them, the program exits here with a message, not at the
  /// first file, which would then count as failed.
  public static func load() {
    lav_load()
    _ = unsafe csndfile()
    cloading_release_pages()
  }

  /// The formats found in music libraries: those that the installed FFmpeg can decode, and those that its build leaves
  /// out.
  public static var formats: (decoded: [String], missing: [String]) {
    let exists = formatDecoders.map { format in
      unsafe format.decoder.withCString { name in unsafe lav_has_decoder(name) }
    }
    func names(_ wanted: Bool) -> [String] { zip(formatDecoders, exists).filter { $1 == wanted }.map(\.0.name) }
    return (names(true), names(false))
  }

  /// The formats found in music libraries, each with the name of an FFmpeg decoder.
  private static let formatDecoders: [(name: String, decoder: String)] = [
    ("MP3", "mp3float"), ("AAC", "aac"), ("ALAC", "alac"), ("FLAC", "flac"), ("Vorbis", "vorbis"), ("Opus", "opus"),
    ("WavPack", "wavpack"), ("Monkey's Audio", "ape"), ("WMA", "wmav2"), ("Musepack", "mpc8"), ("TTA", "tta"),
    ("DSD", "dsd_lsbf"),
  ]
}
