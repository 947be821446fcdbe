internal import Analysis
internal import Foundation
internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// Stickers for the Music Player Daemon, in the form of protocol commands, one per line: `nc -N localhost 6600 <
/// stickers.mpd`. A running server applies them immediately, and its own database stays unchanged.
public struct MPDExport: ExportFormat {
  public let name = "mpd"
  public let abstract = "Stickers for MPD: commands that set bpm, key, energy, …"
  public let output = ExportOutput.file(extension: "mpd")
  public let needsFiles = true

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(["music"])
    return try MPDWriter(context)
  }
}

private struct MPDWriter: ExportWriter {
  /// The directory to which MPD's song names are relative.
  private let musicDirectory: FilePath
  private let file: ExportFile

  init(_ context: ExportContext) throws(ExportError) {
    let text = context.options["music"] ?? ""
    guard text.hasPrefix("/") else {
      throw .badOption("music", value: text, expected: "the music_directory of MPD, such as music=/var/lib/mpd/music")
    }
    musicDirectory = FilePath(text).lexicallyNormalized()
    file = try ExportFile(context.output)
  }

  func append(_ record: FileRecord) throws {
    guard let song = name(of: record.path) else { return }
    for (name, value) in Self.stickers(of: record) {
      guard let value else { continue }
      try file.write("sticker set song \(song) \(name) \(Self.quoted(value))\n")
    }
  }

  /// Writes commands for a removal. MPD itself forgets songs and their stickers if the file is gone, but not if the
  /// file merely no longer matches a filter.
  func remove(_ removal: ExportRemoval) throws {
    guard let song = name(of: removal.path) else { return }
    for name in Self.stickers(of: nil).map(\.name) { try file.write("sticker delete song \(song) \(name)\n") }
  }

  func finish() throws -> [FilePath] {
    try file.write("close\n")
    try file.commit()
    return file.path.map { [$0] } ?? []
  }

  private static func stickers(of record: FileRecord?) -> [(name: String, value: String?)] {
    let loudness = record?.findings[LoudnessFinding.self]
    let traits = record?.findings[TraitsFinding.self]
    let tempo = record?.tempo.flatMap { $0.bpm == nil ? nil : $0 }
    func number(_ value: Double?, _ places: Int) -> String? { value.map { String(format: "%.\(places)f", $0) } }
    return [
      ("tempo_bpm", number(tempo?.bpm, 2)), ("tempo_confidence", number(tempo?.confidence, 2)),
      ("key_name", record?.keyFinding?.name), ("key_camelot", record?.keyFinding?.camelot),
      ("traits_energy", number(traits?.energy, 3)), ("traits_danceability", number(traits?.danceability, 3)),
      ("loudness_integrated_lufs", number(loudness?.integrated, 2)),
      ("replaygain_track_gain", number(loudness?.trackGain, 2)),
    ]
  }

  /// Returns the name of a song; `nil` if MPD has no name for the file. MPD has none for files outside its directory,
  /// names that are not UTF-8, and names with control characters, which MPD's protocol cannot escape.
  private func name(of path: FilePath) -> String? {
    var path = path
    guard path.removePrefix(musicDirectory),
      let name = path.withBytes({ unsafe String(validating: $0, as: UTF8.self) }),
      !name.unicodeScalars.contains(where: \.isControlOrSeparator)
    else { return nil }
    return Self.quoted(name)
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
