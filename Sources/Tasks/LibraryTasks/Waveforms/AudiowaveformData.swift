package import Analysis
internal import Foundation
internal import Text

/// A waveform in the format of the BBC's audiowaveform: version 2, one channel.
///
/// The reference is doc/DataFormat.md of https://github.com/bbc/audiowaveform.
package struct AudiowaveformData: Hashable, Sendable {
  package enum Format: String, CaseIterable, Sendable {
    case json, dat
  }

  package enum Bits: Int, CaseIterable, Sendable {
    case eight = 8
    case sixteen = 16
  }

  package let sampleRate: Int
  package let samplesPerPixel: Int
  package let bits: Bits
  /// The minimum and maximum sample of each pixel, interleaved.
  package let data: [Int16]

  package init(_ waveform: WaveformFinding, bits: Bits) {
    sampleRate = waveform.sampleRate
    samplesPerPixel = waveform.samplesPerPoint
    self.bits = bits
    let full = Double(1 << (bits.rawValue - 1))
    let step = waveform.peak.map { full * pow(10, $0 / 20) / 127 } ?? 0
    data = zip(waveform.minima, waveform.maxima).flatMap { minimum, maximum in
      [minimum, maximum].map { Int16(max(-full, min(full - 1, ((Double($0) - 128) * step).rounded()))) }
    }
  }

  package func bytes(_ format: Format) -> [UInt8] {
    switch format {
    case .json: json
    case .dat: binary
    }
  }

  private var json: [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    let header = [
      ("version", 2), ("channels", 1), ("sample_rate", sampleRate), ("samples_per_pixel", samplesPerPixel),
      ("bits", bits.rawValue), ("length", data.count / 2),
    ]
    for (name, value) in header {
      writer.key(name)
      writer.integer(value)
    }
    writer.key("data")
    writer.beginArray()
    for value in data { writer.integer(value) }
    writer.endArray()
    writer.endObject()
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// The binary format, which is little-endian.
  private var binary: [UInt8] {
    let flags = bits == .eight ? 1 : 0
    var bytes: [UInt8] = []
    for value in [2, flags, sampleRate, samplesPerPixel, data.count / 2, 1] {
      withUnsafeBytes(of: UInt32(clamping: value).littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }
    for value in data {
      switch bits {
      case .eight: bytes.append(UInt8(bitPattern: Int8(clamping: value)))
      case .sixteen: withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
      }
    }
    return bytes
  }
}
