import ArgumentParser
import AudioEncoding
import Foundation
import LibraryTasks
import Platform
import Records
import SystemPackage

/// Options of `click` and `metronome`: the click sound and the output.
struct ClickArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("The file to write: .flac, .wav or .opus", valueName: "file"), completion: .file())
  var output: PathArgument?

  @Option(
    help: ArgumentHelp(
      "flac, wav or opus (default: by the file name, or flac)", valueName: "format"),
    completion: .list(AudioFileFormat.allCases.map(\.rawValue)))
  var format: String?

  @Flag(help: "Replace the file even if Nocturne did not write it")
  var force = false

  @Flag(help: "Play the clicks; write a file only with --output")
  var play = false

  @Option(
    help: ArgumentHelp("Sound of the clicks: wood, beep or click", valueName: "sound"),
    completion: .list(ClickSound.allCases.map(\.rawValue)))
  var sound = ClickSound.wood.rawValue

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Peak of accents in dBFS, -40 to -1; other clicks are 3 dB quieter", valueName: "db"))
  var level: Double?

  @Flag(help: "Print one JSON line; see analyze schema")
  var json = false

  func validate() throws {
    if ClickSound(rawValue: sound) == nil {
      let valid = ClickSound.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--sound expects one of \(valid), not '\(sound)'.")
    }
    if let level, !ClickLevels.range.contains(level) {
      throw ValidationError("--level expects decibels below full scale, -40 to -1, not \(level).")
    }
    if let format, AudioFileFormat(rawValue: format) == nil {
      throw ValidationError("--format expects flac, wav or opus, not '\(format)'.")
    }
    if let output {
      let named = AudioFileFormat(extensionOf: output.path)
      if named == nil, format == nil {
        throw ValidationError("--output expects a name that ends in .flac, .wav or .opus; for any other, add --format.")
      }
      if let named, let format, named.rawValue != format {
        throw ValidationError("--output names a \(named.rawValue) file, but --format is \(format).")
      }
    } else if play, format != nil || force {
      throw ValidationError("With --play, --format and --force need --output.")
    }
  }

  var clickSound: ClickSound { ClickSound(rawValue: sound) ?? .wood }

  var fileFormat: AudioFileFormat {
    format.flatMap { AudioFileFormat(rawValue: $0) } ?? output.flatMap { AudioFileFormat(extensionOf: $0.path) }
      ?? .flac
  }

  /// `true` if writing `target` will replace an existing file.
  /// - Throws: `OverwriteError` if the file must not be replaced.
  func replaces(_ target: FilePath) throws(OverwriteError) -> Bool {
    try OverwriteRule(allowsOthers: force).check(target, ClickMark.proof)
    return target.exists
  }

  /// The file to write; `nil` to only play the audio.
  /// - Parameter defaultName: The name of a file in the current folder.
  func target(_ defaultName: FilePath) -> FilePath? {
    output?.path ?? (play ? nil : PathArgument.absolute(defaultName))
  }
}
