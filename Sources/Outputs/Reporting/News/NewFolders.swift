internal import Analysis
internal import Library
internal import Platform
internal import Records
internal import SystemPackage

struct NewFolders {
  private static let listed = 8
  private static let listedPrints = 24
  private static let listedArtists = 3

  private var folders: [String: Folder] = [:]
  private(set) var trackCount = 0

  private struct Folder {
    private(set) var tracks = 0
    private(set) var seconds = 0.0
    private(set) var listed: [MorningReport.Folder.Track] = []
    private(set) var artists: [String: Int] = [:]
    private(set) var tempos: ClosedRange<Double>?

    mutating func count(_ record: FileRecord, row: Int, _ seconds: Double) {
      tracks += 1
      self.seconds += seconds
      if listed.count < NewFolders.listedPrints {
        listed.append(MorningReport.Folder.Track(id: ContentID(ofPath: record.path).description, row: row))
      }
      if let artist = record.track.artist { artists[artist, default: 0] += 1 }
      if let tempo = record.tempo, let bpm = tempo.bpm, abs(bpm) < 1e6, tempo.confidence >= UnsureTempos.limit {
        tempos = min(tempos?.lowerBound ?? bpm, bpm)...max(tempos?.upperBound ?? bpm, bpm)
      }
    }

    var about: String {
      let names = artists.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
      var text = names.prefix(NewFolders.listedArtists).joined(separator: ", ")
      if names.count > NewFolders.listedArtists { text += " and \(names.count - NewFolders.listedArtists) more" }
      if names.isEmpty { text = "No artist in tags" }
      guard let tempos else { return text }
      let (low, high) = (Int(tempos.lowerBound.rounded()), Int(tempos.upperBound.rounded()))
      return text + (low == high ? " · \(low) BPM" : " · \(low)–\(high) BPM")
    }
  }

  mutating func count(_ record: FileRecord, row: Int, _ seconds: Double) {
    trackCount += 1
    let folder = DisplayPath.text(of: record.path.removingLastComponent())
    folders[folder, default: Folder()].count(record, row: row, seconds)
  }

  /// Number of folders beyond the first `listed`.
  var restCount: Int { max(0, folders.count - Self.listed) }

  /// Returns the first `listed` folders, starting with those that have the most tracks.
  /// - Parameter root: The folder that the returned names are relative to, with a trailing slash.
  func folders(below root: String) -> [MorningReport.Folder] {
    let ordered = folders.sorted { ($1.value.tracks, $0.key) < ($0.value.tracks, $1.key) }
    return ordered.prefix(Self.listed).map { path, folder in
      MorningReport.Folder(
        name: Self.name(of: path, below: root) + "/", path: path,
        text: "\(PageFormatter.counted(folder.tracks, "track")) · \(PageFormatter.span(folder.seconds))",
        about: folder.about,
        tracks: folder.listed)
    }
  }

  /// Returns the path relative to the root. For the root itself, returns its name.
  private static func name(of folder: String, below root: String) -> String {
    if folder.utf8.count >= root.utf8.count { return String(folder.utf8.dropFirst(root.utf8.count)) ?? "" }
    return root.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
  }
}
