package import Analysis

/// A kind of file into which packets are copied.
package struct PacketContainer: Hashable, Sendable {
  /// FFmpeg's short name of the muxer.
  let muxer: String
  /// Extension of names of such files, without a dot.
  package let fileExtension: String

  /// How tags are written: their names are others.
  package enum TagFormat: Sendable {
    case vorbisComments, id3, other
  }

  package var tagFormat: TagFormat {
    switch muxer {
    case "flac", "ogg": .vorbisComments
    case "mp3", "adts", "aiff": .id3
    default: .other
    }
  }

  package static let flac = PacketContainer(muxer: "flac", fileExtension: "flac")

  /// The kind that a file has, if it can be written, or else Matroska, which takes nearly all codecs.
  /// - Parameter fileExtension: The file's own: kinds with several usual ones keep it.
  package init(like format: AudioFormat, fileExtension: String?) {
    let own = fileExtension?.lowercased() ?? ""
    func kept(_ usual: [String]) -> String { usual.contains(own) ? own : usual[0] }
    self =
      switch format.container {
      case "mp3": PacketContainer("mp3", "mp3")
      case "adts": PacketContainer("adts", "aac")
      case "ogg": PacketContainer("ogg", format.codec == "opus" ? kept(["opus", "ogg"]) : kept(["ogg", "oga", "spx"]))
      case "mp4":
        // The muxer for M4A takes AAC and ALAC only.
        format.codec == "aac" ? PacketContainer("ipod", kept(["m4a", "m4b"])) : PacketContainer("mp4", "mp4")
      case "matroska" where own == "webm" || own == "weba": PacketContainer("webm", own)
      case "asf": PacketContainer("asf", "wma")
      // PCM that FLAC does not take, such as floats.
      case "aiff", "caf", "au", "w64", "wv": PacketContainer(format.container, format.container)
      case "wav", "rf64", "bw64", "rifx": PacketContainer("wav", "wav")
      case "ac3", "eac3", "dts", "amr": PacketContainer(format.container, format.container)
      default: PacketContainer("matroska", "mka")
      }
  }

  private init(_ muxer: String, _ fileExtension: String) {
    self.init(muxer: muxer, fileExtension: fileExtension)
  }

  private init(muxer: String, fileExtension: String) {
    self.muxer = muxer
    self.fileExtension = fileExtension
  }
}
