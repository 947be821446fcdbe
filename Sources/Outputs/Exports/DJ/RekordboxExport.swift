internal import Analysis
internal import Foundation
internal import Library
internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// An XML file for rekordbox (`DJ_PLAYLISTS` 1.0.0, "rekordbox XML format list", Pioneer DJ).
public struct RekordboxExport: ExportFormat {
  public let name = "rekordbox"
  public let abstract = "XML for rekordbox: beat grids, keys and memory cues"
  public let long: Set<String> = ["beats"]
  public let output = ExportOutput.file(extension: "xml")
  public let needsFiles = true
  /// The product name in files from Nocturne. rekordbox writes its own name instead.
  public var mark: String? { "<PRODUCT Name=\"Nocturne\"" }

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(PathMapping.options)
    return try RekordboxWriter(context)
  }
}

private struct RekordboxWriter: ExportWriter {
  private let program: [Substring]
  private let paths: PathMapping
  private let file: SpooledFile
  private var count = 0
  /// The numbers of the tracks with an uncertain tempo, for a playlist.
  private var unsure: [Int] = []

  /// Number of decimal places of tempi. rekordbox stores hundredths.
  private static let bpmPlaces = 2
  private static let sureConfidence = 0.5

  init(_ context: ExportContext) throws(ExportError) {
    program = context.program.split(separator: " ")
    paths = try PathMapping(context.options)
    file = try SpooledFile(context.output)
  }

  mutating func append(_ record: FileRecord) throws {
    count += 1
    if let tempo = record.tempo, tempo.bpm != nil, tempo.confidence < Self.sureConfidence { unsure.append(count) }
    let nodes = nodes(of: record)
    try file.write("<\(XMLText.tag("TRACK", attributes(of: record)))")
    try file.write(nodes.isEmpty ? "/>\n" : ">\n" + nodes.map { "<\($0)/>\n" }.joined() + "</TRACK>\n")
  }

  /// Does nothing, because rekordbox XML has no removals.
  func remove(_ removal: ExportRemoval) {}

  mutating func finish() throws -> [FilePath] {
    try file.write("</COLLECTION>\n<PLAYLISTS>\n<NODE Type=\"0\" Name=\"ROOT\" Count=\"\(unsure.isEmpty ? 0 : 1)\"")
    if unsure.isEmpty {
      try file.write("/>\n")
    } else {
      try file.write(">\n<NODE Name=\"Tempo to check\" Type=\"1\" KeyType=\"0\" Entries=\"\(unsure.count)\">\n")
      for id in unsure { try file.write("<TRACK Key=\"\(id)\"/>\n") }
      try file.write("</NODE>\n</NODE>\n")
    }
    try file.write("</PLAYLISTS>\n</DJ_PLAYLISTS>\n")
    let product = XMLText.tag(
      "PRODUCT", ["Name": program.first.map(String.init), "Version": program.last.map(String.init), "Company": ""])
    return try file.commit(
      beginning: """
        <?xml version="1.0" encoding="UTF-8"?>
        <DJ_PLAYLISTS Version="1.0.0">
        <\(product)/>
        <COLLECTION Entries="\(count)">

        """)
  }

  private func attributes(of record: FileRecord) -> KeyValuePairs<String, String?> {
    let format = record.format
    return [
      "TrackID": String(count), "Name": record.track.title, "Artist": record.track.artist,
      "Composer": record.track.text("composer"), "Album": record.track.album,
      "Grouping": record.track.text("grouping"), "Genre": record.track.text("genre"),
      "Kind": format.map { "\($0.container.uppercased()) File" },
      "Size": record.sizeBytes.map { String($0) }, "TotalTime": format?.duration.map { String(Int($0.rounded())) },
      "DiscNumber": record.track.number("disc").map { String($0) },
      "TrackNumber": record.track.number("track").map { String($0) }, "Year": record.track.year.map { String($0) },
      "AverageBpm": record.tempo?.bpm.map { String(format: "%.\(Self.bpmPlaces)f", $0) },
      "DateModified": record.modified.map { String($0.description.prefix(10)) },
      "BitRate": format?.bitRate.map { String(($0 + 500) / 1_000) },
      "SampleRate": format.map { String($0.sampleRate) }, "Comments": record.track.text("comment"),
      "Location": location(of: record.path), "Remixer": record.track.text("remixer"),
      "Tonality": record.keyFinding?.key?.shortName, "Label": record.track.text("label"),
    ]
  }

  private func location(of path: FilePath) -> String {
    let path = paths.path(path)
    // A drive letter follows the slash: file://localhost/D:/Music.
    let slash = path.first == UInt8(ascii: "/") ? "" : "/"
    return "file://localhost\(slash)\(FilePath(bytes: path).percentEncoded.replacing(/^([A-Za-z])%3A/) { "\($0.1):" })"
  }

  private func nodes(of record: FileRecord) -> [String] {
    let grid = record.tempo.flatMap { DJBeatGrid($0, bpmPlaces: Self.bpmPlaces) }
    let points = MixPoint.all(of: record.findings[CuesFinding.self])
    guard grid != nil || !points.isEmpty else { return [] }
    let delay = MP3TimeOffset(record).rekordboxDelay
    let time = { (seconds: Double) in String(format: "%.3f", seconds + delay) }
    let tempi = (grid?.anchors ?? []).map { anchor in
      XMLText.tag(
        "TEMPO",
        [
          "Inizio": time(anchor.seconds), "Bpm": String(format: "%.\(Self.bpmPlaces)f", anchor.bpm),
          "Metro": grid?.metre, "Battito": anchor.beatInBar.map { String($0) },
        ])
    }
    // Type 0 is a cue; the number -1 makes it a memory cue.
    let marks = points.map { point in
      XMLText.tag("POSITION_MARK", ["Name": point.name, "Type": "0", "Start": time(point.seconds), "Num": "-1"])
    }
    return tempi + marks
  }
}
