package import AudioDecoding
internal import Chromaprint
internal import Platform
package import SystemPackage

/// The command line of `fpcalc`, whose options are the same as in Chromaprint's `fpcalc` 1.5.
package struct FpcalcOptions: Sendable {
  package enum Output: Sendable {
    case text, json, plain
  }

  package enum Input: Hashable, Sendable {
    case standardInput
    case file(FilePath)
  }

  /// FFmpeg's name for the format; `nil` to detect it.
  package var demuxer: String?
  package var bare = BareAudio()
  /// Number of seconds of audio to read from the start; 0 for all.
  package var length = 120.0
  /// The duration of a chunk in seconds; 0 for a single fingerprint of the whole input.
  package var chunk = 0.0
  package var overlaps = false
  /// `true` if chunks get Unix timestamps instead of the time from the start.
  package var usesClock = false
  package var isRaw = false
  package var isSigned = false
  package var output = Output.text
  package var algorithm = ChromaprintContext.standardAlgorithm
  /// `true` if damaged files do not affect the exit status.
  package var ignoresErrors = false
  package var inputs: [Input] = []

  package init() {}

  package enum Request: Sendable {
    case fingerprints(FpcalcOptions)
    case version
    case help
  }

  /// An invalid command line, with the error message of Chromaprint's program.
  package struct UsageError: Error, Hashable, CustomStringConvertible {
    package var description: String
  }

  /// - Parameter arguments: The arguments without the program name. They are bytes, because file names need not be
  ///   UTF-8.
  package static func parse(_ arguments: [[UInt8]]) throws(UsageError) -> Request {
    var options = FpcalcOptions()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let text = String(decoding: argument, as: UTF8.self)
      if text == "--" {
        options.inputs += rest.map(input)
        break
      }
      guard text.hasPrefix("-"), text != "-" else {
        options.inputs.append(input(argument))
        continue
      }
      if try options.takeFlag(text) { continue }
      switch text {
      case "-v", "-version": return .version
      case "-h", "-help", "--help": return .help
      default: break
      }
      guard valued.contains(text), let value = rest.popFirst() else {
        throw UsageError(description: "Unknown option \(text)")
      }
      try options.take(String(decoding: value, as: UTF8.self), for: text)
    }
    guard !options.inputs.isEmpty else { throw UsageError(description: "No input files") }
    return .fingerprints(options)
  }

  private static let valued: Set = [
    "-format", "-f", "-rate", "-r", "-channels", "-c", "-length", "-t", "-chunk", "-algorithm", "-a",
  ]

  private static func input(_ argument: [UInt8]) -> Input {
    argument == Array("-".utf8) ? .standardInput : .file(FilePath(bytes: argument))
  }

  private mutating func takeFlag(_ option: String) throws(UsageError) -> Bool {
    switch option {
    case "-text": output = .text
    case "-json": output = .json
    case "-plain": output = .plain
    case "-overlap": overlaps = true
    case "-ts": usesClock = true
    case "-raw": isRaw = true
    case "-signed": isSigned = true
    case "-ignore-errors": ignoresErrors = true
    default: return false
    }
    return true
  }

  private mutating func take(_ value: String, for option: String) throws(UsageError) {
    switch option {
    case "-format", "-f":
      guard AudioInput.reads(demuxer: value) else { throw UsageError(description: "Invalid format") }
      demuxer = value
    case "-rate", "-r":
      guard let rate = Int32(value), rate >= 0 else { throw Self.notPositive(option) }
      bare.sampleRate = rate == 0 ? nil : Int(rate)
    case "-channels", "-c":
      guard let count = Int32(value), count > 0 else {
        throw UsageError(description: "The argument for \(option) must be a non-zero positive number")
      }
      bare.channelCount = Int(count)
    case "-length", "-t": length = try Self.seconds(value, of: option)
    case "-chunk": chunk = try Self.seconds(value, of: option)
    default:
      let known = ChromaprintContext.algorithms
      guard let number = Int(value), known.contains(number) else {
        throw UsageError(
          description: "The argument for \(option) must be \(known.lowerBound) - \(known.upperBound)")
      }
      algorithm = number
    }
  }

  /// Maximum duration: ten years. Longer durations are typing errors, and could overflow sample counts.
  private static let maxSeconds = 315_360_000.0

  private static func seconds(_ value: String, of option: String) throws(UsageError) -> Double {
    guard let seconds = Double(value), (0...maxSeconds).contains(seconds) else { throw notPositive(option) }
    return seconds
  }

  private static func notPositive(_ option: String) -> UsageError {
    UsageError(description: "The argument for \(option) must be a positive number")
  }

  /// The output of `-help`.
  package static let help = """
    Usage: fpcalc [OPTIONS] FILE [FILE...]

    Generate fingerprints from audio files/streams.

    Options:
      -format NAME   Set the input format name
      -rate NUM      Set the sample rate of the input audio
      -channels NUM  Set the number of channels in the input audio
      -length SECS   Restrict the duration of the processed input audio (default 120)
      -chunk SECS    Split the input audio into chunks of this duration
      -algorithm NUM Set the algorithm method (default 2)
      -overlap       Overlap the chunks slightly to make sure audio on the edges is fingerprinted
      -ts            Output UNIX timestamps for chunked results, useful for real-time audio streams
      -raw           Output fingerprints in the uncompressed format
      -signed        Change the uncompressed format from unsigned integers to signed (for pg_acoustid)
      -json          Print the output in JSON format
      -text          Print the output in text format
      -plain         Print just the fingerprint in text format
      -ignore-errors Exit with 0 although files are damaged
      -version       Print version information

    Fingerprints of files that `analyze` knows and that have not changed come from its database.

    """
}
