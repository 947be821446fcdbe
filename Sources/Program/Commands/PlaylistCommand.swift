internal import AnalysisTasks
import ArgumentParser
import Foundation
import LibraryTasks
import Platform
import Records
import SystemPackage
import Text

struct PlaylistCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "playlist", abstract: "Make a playlist of tracks that fit together",
    discussion: """
      Tracks are chosen by filters, or by how much they sound like a file, and put into an order without jumps in \
      tempo and key. Copies of a recording are left out. The same options and library give the same playlist.

      Without --output the playlist goes to standard output, with absolute paths. A file gets paths relative to its \
      folder.
      """)

  @OptionGroup(title: "Tracks")
  var filters: FilterArguments

  @Option(help: ArgumentHelp("Tracks that sound like this file, nearest first", valueName: "file"))
  var like: PathArgument?

  @Option(help: ArgumentHelp("Total duration, such as 60m, 1h30m or 1:30:00", valueName: "time"))
  var length: LengthArgument?

  @Option(help: ArgumentHelp("Number of tracks (default with --like: 25, otherwise all)", valueName: "n"))
  var tracks: Int?

  @Option(
    help: ArgumentHelp("The order: mix, tempo, key, energy or path (default: mix)", valueName: "order"),
    completion: .list(PlaylistOrder.allCases.map(\.rawValue)))
  var order: String?

  @Option(help: ArgumentHelp("Seed of the selection; another number gives another playlist", valueName: "n"))
  var seed: UInt64 = 0

  @Option(
    help: ArgumentHelp(
      "Tracks between two by one artist (default: 3 for mix, otherwise 0)", valueName: "n"))
  var noRepeatArtist: Int?

  @Option(
    help: ArgumentHelp("File to write (default: standard output)", valueName: "file"),
    completion: .file(extensions: ["m3u8", "nsp"]))
  var output: PathArgument?

  @Flag(help: "Write paths relative to the folder of the playlist")
  var relative = false

  @Flag(help: "Write absolute paths")
  var absolute = false

  @Option(
    help: ArgumentHelp("m3u8, or nsp for Navidrome (default: by the name of the file)", valueName: "format"),
    completion: .list(Format.allCases.map(\.rawValue)))
  var format: String?

  @Flag(help: "Print one JSON line on standard output; see analyze schema playlist")
  var json = false

  @Flag(help: "Replace the file even if Nocturne did not write it")
  var force = false

  @OptionGroup
  var database: DatabaseArgument

  private enum Format: String, CaseIterable {
    case m3u8, nsp
  }

  /// Lengths that `--length` accepts, in seconds.
  private static let lengths = 1.0...31_536_000.0
  /// Numbers that `--tracks` accepts.
  private static let counts = 1...1_000_000
  /// Numbers that `--no-repeat-artist` accepts.
  private static let spacings = 0...100

  func validate() throws {
    func checkName<Choice: RawRepresentable & CaseIterable>(
      _ value: String?, of _: Choice.Type, _ option: String
    ) throws where Choice.RawValue == String {
      guard let value, Choice(rawValue: value) == nil else { return }
      let valid = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("\(option) expects one of \(valid), not '\(value)'.")
    }
    try checkName(order, of: PlaylistOrder.self, "--order")
    try checkName(format, of: Format.self, "--format")
    if length != nil, tracks != nil { throw ValidationError("Give --length or --tracks, not both.") }
    if let length, !Self.lengths.contains(length.seconds) {
      throw ValidationError("--length expects a time from a second to a year, not \(length.seconds) s.")
    }
    if let tracks, !Self.counts.contains(tracks) {
      throw ValidationError("--tracks expects a number from 1 to \(Self.counts.upperBound), not \(tracks).")
    }
    if let noRepeatArtist, !Self.spacings.contains(noRepeatArtist) {
      throw ValidationError("--no-repeat-artist expects 0 to \(Self.spacings.upperBound), not \(noRepeatArtist).")
    }
    if relative, absolute { throw ValidationError("--relative and --absolute exclude each other.") }
    if relative, output == nil {
      throw ValidationError("--relative needs --output: paths are relative to its folder.")
    }
    if json, output == nil, chosenFormat == .nsp { throw ValidationError("--json does not support smart playlists.") }
    if !filters.isGiven, like == nil {
      throw ValidationError(
        "Select tracks with filters such as --genre trance --bpm 120..128, with --where, or with --like FILE.")
    }
    _ = try filters.filter()
  }

  private var chosenFormat: Format {
    if let format { return Format(rawValue: format) ?? .m3u8 }
    return output?.path.extension?.lowercased() == "nsp" ? .nsp : .m3u8
  }

  func run() async throws {
    try await reportingErrors {
      let request = try request()
      if let output {
        let mark = chosenFormat == .nsp ? NavidromePlaylist.mark : PlaylistTrack.m3uMark
        try OverwriteRule(allowsOthers: force).check(output.path, .text(marks: [mark]))
      }
      switch chosenFormat {
      case .nsp: try write(NavidromePlaylist.bytes(request, name: output?.path.stem ?? "nocturne"))
      case .m3u8:
        let settings = try CommandSettings(database)
        let reading = SoundReading(by: settings.fileAnalysis)
        let playlist = try PlaylistProposal(request, in: settings.openStoreForReading(), reading: reading)
        if output != nil || !json { try write(playlist.tracks.m3uFile(relativeTo: baseFolder)) }
        if json { try StandardOutput.write(playlist.ndjsonLine) }
        if output != nil, !json, Terminal().isInteractive {
          for line in PlaylistText.lines(for: playlist) { Terminal.writeLine(line) }
        }
        if playlist.repeatCount > 0 {
          Log.write(.warning, "artist_repeats", PlaylistText.repeats(in: playlist, spacing: request.spacing))
        }
      }
    }
  }

  func request() throws -> PlaylistProposal.Request {
    var request = PlaylistProposal.Request()
    request.filter = try filters.filter()
    request.like = like?.path
    request.order = order.flatMap { PlaylistOrder(rawValue: $0) } ?? .mix
    let usualSpacing = request.order == .mix && chosenFormat == .m3u8 ? 3 : 0
    request.spacing = noRepeatArtist ?? usualSpacing
    request.seed = seed
    request.length = tracks.map { .tracks($0) } ?? length.map { .seconds($0.seconds) } ?? .all
    return request
  }

  /// The base of relative paths; `nil` for absolute paths. Links are resolved, because `..` refers to the parent of a
  /// link's target.
  private var baseFolder: FilePath? {
    guard let output, !absolute else { return nil }
    let folder = output.path.removingLastComponent()
    return (try? folder.resolved()) ?? folder
  }

  private func write(_ bytes: [UInt8]) throws {
    guard let output else { return try StandardOutput.write(bytes) }
    do {
      try FileReplacement.write(bytes, to: output.path)
    } catch {
      throw PlaylistError.cannotWrite(output.path, reason: "\(error)")
    }
  }
}

/// Messages about a written playlist.
enum PlaylistText {
  static func lines(for playlist: PlaylistProposal) -> [String] {
    var parts = ["\(counted(playlist.tracks.count, "track")), \(clockText(playlist.duration))"]
    let tempi = playlist.tempoChanges
    if !tempi.isEmpty {
      parts.append(String(format: "mean change of tempo %.1f%%", tempi.reduce(0, +) / Double(tempi.count)))
    }
    let steps = playlist.keySteps
    if !steps.isEmpty {
      parts.append(String(format: "of key %.1f steps", Double(steps.reduce(0, +)) / Double(steps.count)))
    }
    var lines = [parts.joined(separator: ", ")]
    if playlist.copyCount > 0 { lines.append("left out: \(counted(playlist.copyCount, "copy", plural: "copies"))") }
    if playlist.unmeasuredCount > 0 {
      lines.append("left out: \(counted(playlist.unmeasuredCount, "track")) of unknown duration")
    }
    return lines
  }

  static func repeats(in playlist: PlaylistProposal, spacing: Int) -> String {
    "\(counted(playlist.repeatCount, "time")) an artist is repeated within \(counted(spacing, "track")): there are too "
      + "few others to choose from."
  }
}
