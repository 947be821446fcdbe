package import Analysis

/// A file format for packets that are copied without being encoded again.
package struct PacketContainer: Hashable, Sendable {
  /// FFmpeg's short name of the muxer.
  let muxer: String
  /// The file name extension, without the dot.
  package let fileExtension: String

  /// The tag format, which determines how tags are named.
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

  /// Chooses the container of the source if it can be written, otherwise Matroska, which accepts nearly all codecs.
  ///
  /// - Parameter fileExtension: The source's extension, which is kept if it is common for the container.
  package init(like format: AudioFormat, fileExtension: String?) {
    let own = fileExtension?.lowercased() ?? ""
    func kept(_ usual: [String]) -> String { usual.contains(own) ? own : usual[0] }
    self =
      switch format.container {
      case "mp3": PacketContainer("mp3", "mp3")
      case "adts": PacketContainer("adts", "aac")
      case "ogg": PacketContainer("ogg", format.codec == "opus" ? kept(["opus", "ogg"]) : kept(["ogg", "oga", "spx"]))
      case "mp4":
        // The M4A muxer (`ipod`) accepts AAC but few other audio codecs.
        format.codec == "aac" ? PacketContainer("ipod", kept(["m4a", "m4b"])) : PacketContainer("mp4", "mp4")
      case "matroska" where own == "webm" || own == "weba": PacketContainer("webm", own)
      case "asf": PacketContainer("asf", "wma")
      // These containers can store PCM that FLAC cannot, such as floats.
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
