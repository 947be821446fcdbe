import Analysis
import AnalysisTesting
import AudioDecoding
import CSndfile
import Foundation
import SystemPackage
import Testing

/// A folder for the files of one test, removed when this object is released.
final class Scratch {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("nocturne-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> FilePath { FilePath(folder.appendingPathComponent(name).path) }

  func bytes(_ path: FilePath) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path.string))) }

  @discardableResult
  func write(_ bytes: [UInt8], _ name: String) throws -> FilePath {
    try Data(bytes).write(to: folder.appendingPathComponent(name))
    return path(name)
  }

  /// Writes planar samples with libsndfile.
  func writeSound(_ planes: [[Float]], _ name: String, format: Int, rate: Int) throws -> FilePath {
    var info = SF_INFO()
    info.samplerate = CInt(rate)
    info.channels = CInt(planes.count)
    info.format = CInt(format)
    let libsndfile = csndfile().pointee
    let file = try #require(
      libsndfile.sf_open(path(name).string, CInt(SFM_WRITE), &info), "libsndfile cannot write \(name)")
    defer { _ = libsndfile.sf_close(file) }
    var interleaved = [Float](repeating: 0, count: planes.count * planes[0].count)
    interleaved.withUnsafeMutableBufferPointer { interleaved in
      for channel in planes.indices {
        planes[channel].withUnsafeBufferPointer { plane in
          for frame in plane.indices { interleaved[frame * planes.count + channel] = plane[frame] }
        }
      }
    }
    let count = sf_count_t(planes[0].count)
    if [SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE].contains(format & SF_FORMAT_SUBMASK) {
      #expect(libsndfile.sf_writef_float(file, interleaved, count) == count)
    } else {
      // Written as floats, samples would be scaled by 2ⁿ - 1 instead of 2ⁿ.
      let integers = interleaved.map { Int32(clamping: Int64(Double($0) * 2_147_483_648)) }
      #expect(libsndfile.sf_writef_int(file, integers, count) == count)
    }
    return path(name)
  }

  /// Converts with the `ffmpeg` program.
  func ffmpeg(_ input: FilePath, _ arguments: [String], _ name: String) throws -> FilePath {
    try ExternalProgram.ffmpeg.run(["-i", input.string] + arguments + [path(name).string])
    return path(name)
  }
}

/// Music-like planar samples: a few partials with a slow swell and a click every half second, different in each
/// channel, in whole steps of `bits` bits.
func makeSignal(
  frames: Int, channels: Int = 2, rate: Int = 44_100, bits: Int = 16, seed: UInt64 = 1, hasClicks: Bool = true
) -> [[Float]] {
  let steps = Float(sign: .plus, exponent: bits - 1, significand: 1)
  return (0..<channels).map { channel in
    var state = seed &* 0x9e37_79b9_7f4a_7c15 &+ UInt64(channel)
    let base = 110 * Double(channel + 2) * (1 + Double(seed % 7) / 50)
    return (0..<frames).map { frame in
      let time = Double(frame) / Double(rate)
      var sample = 0.25 * sin(2 * .pi * base * time) + 0.1 * sin(2 * .pi * 2.5 * base * time)
      sample *= 0.7 + 0.3 * sin(2 * .pi * 0.8 * time)
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      if hasClicks && frame % (rate / 2) < rate / 100 { sample += 0.3 * (Double(state >> 40) / 8_388_608 - 1) }
      return (Float(sample) * steps).rounded() / steps
    }
  }
}

struct Decoded {
  var planes: [[Float]]
  var format: AudioFormat
  var summary: DecodeSummary
  var decoder: AudioDecoder

  var frameCount: Int { planes[0].count }
}

func decode(_ path: FilePath, with decoder: AudioDecoder? = nil) throws -> Decoded {
  var source = try AudioSource(path: path, decoder: decoder)
  var planes = [[Float]](repeating: [], count: source.format.channelCount)
  var block = AudioBlock(channelCount: 1)
  while source.read(into: &block) {
    for channel in planes.indices { planes[channel] += block.samples[block.range(ofChannel: channel)] }
  }
  #expect(block.frameCount == 0)
  return Decoded(planes: planes, format: source.format, summary: source.summary, decoder: source.decoder)
}

func contentID(_ path: FilePath) throws -> ContentID { try AudioContent(path: path).id }

/// The error code of opening a file; `nil` if it opens.
func openingError(_ path: FilePath) -> DecodeError.Code? {
  do throws(DecodeError) {
    _ = try AudioSource(path: path)
    return nil
  } catch {
    return error.code
  }
}

/// Root mean square of the difference of two signals relative to that of the first one.
func relativeError(_ reference: ArraySlice<Float>, _ other: ArraySlice<Float>) -> Double {
  var signal = 0.0
  var difference = 0.0
  for (a, b) in zip(reference, other) {
    signal += Double(a * a)
    difference += Double((a - b) * (a - b))
  }
  return (difference / max(signal, 1e-30)).squareRoot()
}

/// Delay of `other` relative to `reference`, in frames within ± `range`, that minimizes the difference.
func lag(of other: [Float], behind reference: [Float], range: Int = 2_500) -> Int {
  // Around the second click, which is noise and therefore unique.
  let window = 21_500..<23_500
  return reference.withUnsafeBufferPointer { reference in
    other.withUnsafeBufferPointer { other in
      var best = (lag: 0, sum: Float.infinity)
      for lag in -range...range {
        var sum: Float = 0
        for frame in window {
          let difference = reference[frame] - other[frame + lag]
          sum += difference * difference
        }
        if sum < best.sum { best = (lag, sum) }
      }
      return best.lag
    }
  }
}
