internal import Analysis
internal import Foundation
internal import Library
internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// A Traktor collection (NML, version 19). The format is covered as far as it is known; Native Instruments has not
/// published it.
public struct TraktorExport: ExportFormat {
  public let name = "traktor"
  public let abstract = "NML for Traktor: beat grids, keys, cues and gains"
  public let long: Set<String> = ["beats"]
  public let output = ExportOutput.file(extension: "nml")
  public let needsFiles = true
  /// The program name in files from Nocturne. Traktor replaces it with its own when it saves the collection.
  public var mark: String? { " PROGRAM=\"Nocturne " }

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(PathMapping.options + ["volume", "loudness"])
    return try TraktorWriter(context)
  }
}

private struct TraktorWriter: ExportWriter {
  private let program: String
  private let now: Timestamp
  private let paths: PathMapping
  /// The name of a Mac's startup volume.
  private let volume: String
  /// Target loudness of gains in LUFS; `nil` to write no gains.
  private let targetLoudness: Double?
  private let file: SpooledFile
  private var count = 0

  private static let bpmPlaces = 6

  init(_ context: ExportContext) throws(ExportError) {
    program = context.program
    now = context.now
    paths = try PathMapping(context.options)
    volume = context.options["volume"] ?? "Macintosh HD"
    targetLoudness = try Self.loudness(context.options["loudness"] ?? "-14")
    file = try SpooledFile(context.output)
  }

  private static func loudness(_ text: String) throws(ExportError) -> Double? {
    if text == "none" { return nil }
    guard let value = Double(text), (-40...0).contains(value) else {
      throw .badOption("loudness", value: text, expected: "a loudness in LUFS such as -14, or none")
    }
    return value
  }

  mutating func append(_ record: FileRecord) throws {
    // XML cannot represent names that are not UTF-8 or contain control characters.
    guard let location = location(of: record.path) else { return }
    count += 1
    let elements = ["<\(location)></LOCATION>"] + album(record) + info(record) + sound(record) + cues(record)
    let entry = XMLText.tag(
      "ENTRY",
      [
        "MODIFIED_DATE": Self.date(now), "MODIFIED_TIME": "0", "TITLE": record.track.title,
        "ARTIST": record.track.artist,
      ])
    try file.write("<\(entry)>" + elements.joined(separator: "\n") + "\n</ENTRY>\n")
  }

  /// Does nothing, because NML has no removals.
  func remove(_ removal: ExportRemoval) {}

  mutating func finish() throws -> [FilePath] {
    try file.write(
      """
      </COLLECTION>
      <SETS ENTRIES="0"></SETS>
      <PLAYLISTS><NODE TYPE="FOLDER" NAME="$ROOT"><SUBNODES COUNT="0"></SUBNODES>
      </NODE>
      </PLAYLISTS>
      </NML>

      """)
    let head = XMLText.tag("HEAD", ["COMPANY": "www.native-instruments.com", "PROGRAM": program])
    return try file.commit(
      beginning: """
        <?xml version="1.0" encoding="UTF-8" standalone="no" ?>
        <NML VERSION="19"><\(head)></HEAD>
        <COLLECTION ENTRIES="\(count)">

        """)
  }

  /// Returns year, month and day without leading zeros, in UTC.
  private static func date(_ time: Timestamp) -> String {
    time.description.prefix(10).split(separator: "-").compactMap { Int($0) }.map(String.init).joined(separator: "/")
  }

  /// Returns the tag with the volume, the folder and the file name. In the folder, `/:` comes before each name and at
  /// the end. `nil` if XML cannot represent the path.
  private func location(of path: FilePath) -> String? {
    guard let text = String(validating: paths.path(path), as: UTF8.self) else { return nil }
    var folders = text.split(separator: "/").map(String.init)
    guard let name = folders.popLast() else { return nil }
    var volume = volume
    if !text.hasPrefix("/") {
      volume = folders.isEmpty ? "" : folders.removeFirst()
    } else if folders.count > 1, folders[0] == "Volumes" {
      volume = folders[1]
      folders.removeFirst(2)
    }
    guard XMLText.canHold(text) else { return nil }
    return XMLText.tag(
      "LOCATION",
      ["DIR": "/:" + folders.map { "\($0)/:" }.joined(), "FILE": name, "VOLUME": volume, "VOLUMEID": volume])
  }

  private func album(_ record: FileRecord) -> [String] {
    guard let album = record.track.album else { return [] }
    return [
      "<\(XMLText.tag("ALBUM", ["TRACK": record.track.number("track").map { String($0) }, "TITLE": album]))></ALBUM>"
    ]
  }

  private func info(_ record: FileRecord) -> [String] {
    let duration = record.format?.duration
    let info = XMLText.tag(
      "INFO",
      [
        "BITRATE": record.format?.bitRate.map { String($0) }, "GENRE": record.track.text("genre"),
        "LABEL": record.track.text("label"), "COMMENT": record.track.text("comment"),
        "REMIXER": record.track.text("remixer"),
        "KEY": record.keyFinding?.key?.openKey, "PLAYTIME": duration.map { String(Int($0)) },
        "PLAYTIME_FLOAT": duration.map { String(format: "%.6f", $0) }, "IMPORT_DATE": Self.date(now),
        "RELEASE_DATE": record.track.date.map { "\($0.year)/\($0.month ?? 1)/\($0.day ?? 1)" },
        // The size is in KiB.
        "FILESIZE": record.sizeBytes.map { String(($0 + 512) / 1_024) },
      ])
    return ["<\(info)></INFO>"]
  }

  private func sound(_ record: FileRecord) -> [String] {
    var elements: [String] = []
    if let tempo = record.tempo, let bpm = tempo.bpm {
      let tag = XMLText.tag(
        "TEMPO",
        ["BPM": String(format: "%.6f", bpm), "BPM_QUALITY": String(format: "%.6f", 100 * tempo.confidence)])
      elements.append("<\(tag)></TEMPO>")
    }
    if let loudness = record.findings[LoudnessFinding.self], let targetLoudness, let integrated = loudness.integrated {
      let gain = String(format: "%.6f", targetLoudness - integrated)
      let tag = XMLText.tag(
        "LOUDNESS",
        [
          "PEAK_DB": loudness.samplePeak.map { String(format: "%.6f", $0) }, "PERCEIVED_DB": gain, "ANALYZED_DB": gain,
        ])
      elements.append("<\(tag)></LOUDNESS>")
    }
    if let key = record.keyFinding?.key {
      // Major keys from C are 0 to 11, minor keys 12 to 23.
      elements.append("<MUSICAL_KEY VALUE=\"\(key.pitchClass + (key.mode == .minor ? 12 : 0))\"></MUSICAL_KEY>")
    }
    return elements
  }

  private func cues(_ record: FileRecord) -> [String] {
    let markers = markers(record)
    let points = MixPoint.all(of: record.findings[CuesFinding.self])
    guard !markers.isEmpty || !points.isEmpty else { return [] }
    let delay = MP3TimeOffset(record).traktorDelay
    let grid = markers.map { marker in
      let bpm = String(format: "%.6f", marker.bpm)
      return "<\(Self.cue("AutoGrid", .grid, marker.seconds + delay))><GRID BPM=\"\(bpm)\"></GRID>\n</CUE_V2>"
    }
    return grid + points.map { "<\(Self.cue($0.name, CueType($0.kind), $0.seconds + delay))></CUE_V2>" }
  }

  /// Returns the markers of the beat grid. Traktor counts bars from the first marker, so the first marker is the first
  /// downbeat if that is known.
  private func markers(_ record: FileRecord) -> [DJBeatGrid.Anchor] {
    guard let tempo = record.tempo, let grid = DJBeatGrid(tempo, bpmPlaces: Self.bpmPlaces) else { return [] }
    var anchors = grid.anchors
    if let downbeat = BarNumbers(tempo)?.firstDownbeat, let index = anchors.lastIndex(where: { $0.beat <= downbeat }) {
      anchors[index].seconds = tempo.beats[downbeat]
      anchors.removeFirst(index)
    }
    return anchors
  }

  private enum CueType: Int {
    case cue = 0
    case fadeIn, fadeOut, load, grid

    init(_ kind: MixPoint.Kind) {
      self =
        switch kind {
        case .mixIn: .fadeIn
        case .mixOut: .fadeOut
        case .introEnd, .highlight, .outroStart: .cue
        }
    }
  }

  /// Returns the tag of a cue. Times are in milliseconds. Cues do not occupy hot-cue slots.
  private static func cue(_ name: String, _ type: CueType, _ seconds: Double) -> String {
    XMLText.tag(
      "CUE_V2",
      [
        "NAME": name, "DISPL_ORDER": "0", "TYPE": String(type.rawValue),
        "START": String(format: "%.6f", seconds * 1_000), "LEN": "0.000000", "REPEATS": "-1", "HOTCUE": "-1",
      ])
  }
}
