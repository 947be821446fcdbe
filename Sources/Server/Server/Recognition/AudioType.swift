internal import HTTPTypes
internal import NIOCore
internal import Serving

/// The type of the audio in a request's body, according to `Content-Type`.
enum AudioType: Hashable, Sendable {
  case pcm(PCMFormat)
  /// A file or a stream, in any format that the decoders detect.
  case encoded

  /// Parses `audio/pcm;rate=48000;channels=1;encoding=f32le`, or `audio/l16` (RFC 2586), whose samples are big-endian
  /// unless `endianness=little-endian` says otherwise. For all other types, the decoders detect the format.
  /// - Throws: `RequestError` for invalid PCM parameters.
  init(contentType: String?) throws(RequestError) {
    let parts = (contentType ?? "").lowercased().split(separator: ";").map { $0.trimmed }
    guard let type = parts.first, type == "audio/pcm" || type == "audio/l16" else {
      self = .encoded
      return
    }
    var format = PCMFormat(sampleRate: 44_100, channelCount: 1, encoding: type == "audio/l16" ? .s16be : .s16le)
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmed.filter { $0 != "\"" } }
      let value = pair.count == 2 ? pair[1] : ""
      switch pair.first {
      case "rate": format.sampleRate = try Self.number(value, of: "rate", in: 1000...384_000)
      case "channels": format.channelCount = try Self.number(value, of: "channels", in: 1...16)
      case "encoding":
        guard type == "audio/pcm", let encoding = PCMFormat.Encoding(rawValue: value) else {
          throw RequestError(.badRequest, "The encoding of audio/pcm is s16le, s16be or f32le, not \(value).")
        }
        format.encoding = encoding
      case "endianness":
        guard value == "little-endian" || value == "big-endian" else {
          throw RequestError(.badRequest, "The endianness is little-endian or big-endian, not \(value).")
        }
        if format.encoding != .f32le { format.encoding = value == "little-endian" ? .s16le : .s16be }
      default: break
      }
    }
    self = .pcm(format)
  }

  private static func number(
    _ text: String, of name: String, in range: ClosedRange<Int>
  ) throws(RequestError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw RequestError(
        .badRequest, "The \(name) of PCM is \(range.lowerBound) to \(range.upperBound), not \(text).")
    }
    return number
  }
}

/// A format of interleaved raw samples.
struct PCMFormat: Hashable, Sendable {
  enum Encoding: String, Hashable, Sendable {
    case s16le, s16be, f32le
  }

  var sampleRate: Int
  var channelCount: Int
  var encoding: Encoding

  /// Size in bytes of a frame, which has one sample of each channel.
  var frameSize: Int { channelCount * (encoding == .f32le ? 4 : 2) }

  /// Maximum magnitude of samples; larger ones are clamped, as for samples from files (`AudioSource.sampleLimit`).
  private static let sampleLimit: Float = 16

  func seconds(ofBytes count: Int) -> Double { Double(count / frameSize) / Double(sampleRate) }

  /// Returns the mean of the channels, full scale ±1. An incomplete last frame is left out.
  func mono(_ bytes: ByteBufferView) -> [Float] {
    let scale = 1 / Float(channelCount)
    return bytes.withUnsafeBytes { raw in
      (0..<raw.count / frameSize).map { frame in
        var sum: Float = 0
        for channel in 0..<channelCount { sum += sample(raw, frame * channelCount + channel) }
        return sum * scale
      }
    }
  }

  private func sample(_ raw: UnsafeRawBufferPointer, _ index: Int) -> Float {
    switch encoding {
    case .s16le: Float(Int16(littleEndian: raw.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))) / 32_768
    case .s16be: Float(Int16(bigEndian: raw.loadUnaligned(fromByteOffset: 2 * index, as: Int16.self))) / 32_768
    case .f32le: Self.harmless(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
    }
  }

  private static func harmless(_ bits: UInt32) -> Float {
    let value = Float(bitPattern: bits)
    return value.isFinite ? min(max(value, -sampleLimit), sampleLimit) : 0
  }
}

extension StringProtocol {
  fileprivate var trimmed: String {
    var rest = self[...]
    while rest.first == " " { rest.removeFirst() }
    while rest.last == " " { rest.removeLast() }
    return String(rest)
  }
}
