internal import Analysis
internal import DSP
internal import Foundation
internal import Landmarks
internal import Platform
internal import SystemPackage

/// The main function of a process that decodes untrusted audio, so that a crash or hang affects no other request.
///
/// Reads a file from standard input and writes its audio to standard output: one channel of 32-bit floats,
/// little-endian, at the sample rate that recognition uses. If the audio cannot be read, writes a `DecodeError` as JSON
/// to standard error.
package enum DecodingWorker {
  /// Sample rate of the output, in Hz.
  package static let sampleRate = LandmarkSpectrum.layout.sampleRate
  /// Exit status if the audio cannot be decoded or written.
  static let failureStatus = 3

  /// - Parameter audioSeconds: Maximum duration of the decoded audio, in seconds.
  package static func run(audioSeconds: Double) -> Never {
    do {
      // Text that libraries print to standard output must not end up in the audio.
      try decode(to: .takeStandardOutput(), audioSeconds: audioSeconds)
      exit(0)
    } catch let error as DecodeError {
      let text = (try? JSONEncoder().encode(error)) ?? Data()
      _ = try? FileDescriptor.standardError.writeAll(text)
    } catch {}
    exit(Int32(failureStatus))
  }

  private static func decode(to output: FileDescriptor, audioSeconds: Double) throws {
    var source = try MonoSource(path: "/proc/self/fd/0")
    let resampler =
      source.sampleRate == sampleRate ? nil : SoxrResampler(inputRate: source.sampleRate, outputRate: sampleRate)
    var resampled: [Float] = []
    var left = Int(audioSeconds * Double(source.sampleRate))
    func write(_ frames: some Sequence<Float>) throws {
      _ = try output.writeAll(frames.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian) { Array($0) } })
    }
    while left > 0, let frames = source.next() {
      let count = min(left, frames.count)
      left -= count
      guard let resampler else {
        try write(frames[..<count])
        continue
      }
      let ready = resampler.push(frames.span.extracting(0..<count), into: &resampled)
      try write(resampled[..<ready])
    }
    if let resampler {
      let ready = resampler.finish(into: &resampled)
      try write(resampled[..<ready])
    }
  }
}
