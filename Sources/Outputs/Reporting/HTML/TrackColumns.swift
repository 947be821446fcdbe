internal import Analysis
internal import Foundation
internal import Library
internal import Platform
internal import Records
internal import SystemPackage

/// The data of the page's table and charts: a column for each property, and a row for each file in path order.
///
/// A row takes about 200 bytes of memory if the tags have a usual length.
struct TrackColumns {
  /// The outcome for a file, as stored in `status`.
  enum Status: Int {
    case healthy, damaged, failed, notAnalyzed
  }

  private enum Flag {
    static let new = 1
    static let corrected = 2
    static let stable = 4
    static let changing = 8
    static let lossless = 16
    static let lossy = 32
    static let estimated = 64
    static let remarks = 128
  }

  private static let maxTitleLength = 300
  /// Number of values per track in `sound`; 0 if there is no such column.
  private let soundWidth: Int

  private var titles = TextColumn()
  /// The names of the files, as display text.
  private var files = TextColumn()
  private(set) var folders = DictionaryColumn()
  private var artists = DictionaryColumn()
  private var albums = DictionaryColumn()
  private var genres = DictionaryColumn(isFolded: true)
  private var codecs = DictionaryColumn()
  private var tempoReasons = DictionaryColumn()
  /// The codes of problems, in order of first appearance.
  private(set) var problems: [(code: String, isFailure: Bool)] = []
  private var problemPlaces: [String: Int] = [:]

  private var year = PackedColumn(width: 2)
  private(set) var status = PackedColumn(width: 1)
  private var problem = PackedColumn(width: 1)
  private(set) var flags = PackedColumn(width: 1)
  private var duration = PackedColumn(width: 3, scale: 10)
  private var size = PackedColumn(width: 3)
  private var bitRate = PackedColumn(width: 2)
  private var sampleRate = PackedColumn(width: 3)
  private var bitDepth = PackedColumn(width: 1)
  private var channels = PackedColumn(width: 1)
  private var modified = PackedColumn(width: 2)
  private var added = PackedColumn(width: 2)
  private var bpm = PackedColumn(width: 2, scale: 10)
  private(set) var confidence = PackedColumn(width: 1, scale: 200)
  private var octave = PackedColumn(width: 1, scale: 200)
  private var alternative = PackedColumn(width: 2, scale: 10)
  private var alternativeShare = PackedColumn(width: 1, scale: 200)
  private var key = PackedColumn(width: 1)
  private var keyConfidence = PackedColumn(width: 1, scale: 200)
  private var loudness = PackedColumn(width: 2, scale: 10, offset: -1000)
  private var truePeak = PackedColumn(width: 2, scale: 10, offset: -1000)
  private var range = PackedColumn(width: 2, scale: 10)
  private var energy = PackedColumn(width: 1, scale: 200)
  private var danceability = PackedColumn(width: 1, scale: 200)
  private var speechiness = PackedColumn(width: 1, scale: 200)
  private var sounds: [UInt8] = []
  private var hasSounds = false

  init(soundWidth: Int) {
    self.soundWidth = soundWidth
  }

  var count: Int { titles.count }

  /// - Parameters:
  ///   - added: The day on which the file was first seen, in days since 1970.
  ///   - sound: The reduced descriptor.
  mutating func append(
    _ record: FileRecord, status fileStatus: Status, problem code: String?, isNew: Bool, added day: Int?, sound: [Int8]?
  ) {
    let path = DisplayPath.text(of: record.path)
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
    folders.append(slash == path.startIndex ? "/" : String(path[..<slash]))
    files.append(path[slash...].utf8.dropFirst())
    appendNames(record.track)

    status.append(index: fileStatus.rawValue)
    problem.append(index: code.map { place(ofProblem: $0, isFailure: fileStatus == .failed) })
    let format = record.format
    codecs.append(format.map { CodecName.text(of: $0) })
    duration.append(format?.duration)
    size.append(record.sizeBytes.map { (Double($0) / 1000).rounded(.up) })
    bitRate.append(format?.bitRate.map { Double($0) / 1000 })
    sampleRate.append(index: format?.sampleRate)
    bitDepth.append(index: format?.bitDepth)
    channels.append(index: format?.channelCount)
    modified.append(index: record.modified.map { Self.day($0) })
    added.append(index: day)
    appendTempo(record.tempo)

    let keyFinding = record.findings[KeyFinding.self]
    let keyIndex = keyFinding?.camelot.flatMap { CamelotIndex.index(camelot: $0) }
    key.append(index: keyIndex)
    keyConfidence.append(keyIndex == nil ? nil : keyFinding?.confidence, rounding: .down)
    let loudnessFinding = record.findings[LoudnessFinding.self]
    loudness.append(loudnessFinding?.integrated)
    truePeak.append(loudnessFinding?.truePeak)
    range.append(loudnessFinding?.range)
    let traits = record.findings[TraitsFinding.self]
    energy.append(traits?.energy)
    danceability.append(traits?.danceability)
    speechiness.append(traits?.speechiness)
    if let sound, sound.count == soundWidth, soundWidth > 0 {
      hasSounds = true
      for number in sound { sounds.append(UInt8(bitPattern: max(number, -127))) }
    } else {
      for _ in 0..<soundWidth { sounds.append(0x80) }
    }

    var flag = 0
    if isNew { flag |= Flag.new }
    if record.tempoCorrection != nil { flag |= Flag.corrected }
    if let tempo = record.tempo, tempo.bpm != nil { flag |= tempo.isStable ? Flag.stable : Flag.changing }
    if let format { flag |= format.isLossless ? Flag.lossless : Flag.lossy }
    if format?.durationIsEstimated == true { flag |= Flag.estimated }
    if !record.remarks.isEmpty || !(record.tags?.remarks.isEmpty ?? true) { flag |= Flag.remarks }
    flags.append(index: flag)
  }

  private mutating func appendNames(_ track: Track) {
    func short(_ text: String?) -> String? { text.map { String($0.prefix(Self.maxTitleLength)) } }
    titles.append((short(track.titleTag) ?? "").utf8)
    artists.append(short(track.artist))
    albums.append(short(track.album))
    genres.append(short(track.genres.first))
    year.append(index: track.year)
  }

  private mutating func appendTempo(_ tempo: TempoFinding?) {
    let found = tempo?.bpm.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    bpm.append(found)
    confidence.append(found == nil ? nil : tempo?.confidence, rounding: .down)
    octave.append(found == nil ? nil : tempo?.octaveConfidence, rounding: .down)
    let other = found.flatMap { bpm in tempo?.candidates.first { abs($0.bpm - bpm) > 1 } }
    alternative.append(other?.bpm)
    alternativeShare.append(other?.weight)
    tempoReasons.append(found == nil ? tempo?.reason : nil)
  }

  /// Returns the index of a problem code. Files of every status share one list of codes.
  private mutating func place(ofProblem code: String, isFailure: Bool) -> Int {
    if let place = problemPlaces[code] {
      if isFailure { problems[place].isFailure = true }
      return place
    }
    problemPlaces[code] = problems.count
    problems.append((code, isFailure))
    return problems.count - 1
  }

  /// Returns the number of days since 1970.
  static func day(_ time: Timestamp) -> Int { max(0, Int(time.seconds / 86_400)) }

  // MARK: Properties of a row

  func isNew(_ row: Int) -> Bool { flags[row].map { $0 & Flag.new != 0 } ?? false }
  func isCorrected(_ row: Int) -> Bool { flags[row].map { $0 & Flag.corrected != 0 } ?? false }
  func status(_ row: Int) -> Status { status[row].flatMap { Status(rawValue: $0) } ?? .notAnalyzed }

  /// Returns whether the tempo is little more than a guess.
  func isUnsure(_ row: Int) -> Bool {
    confidence[row].map { Double($0) < UnsureTempos.limit * confidence.scale } ?? false
  }

  func path(_ row: Int) -> FilePath {
    let folder = folders.text(row) ?? "/"
    return DisplayPath.path(from: (folder == "/" ? "" : folder) + "/" + files.text(row))
  }

  /// The deepest folder that contains all rows, with a trailing slash.
  var root: String {
    guard var common = folders.texts.first.map({ $0.utf8.split(separator: UInt8(ascii: "/")) }) else { return "/" }
    for text in folders.texts {
      let parts = text.utf8.split(separator: UInt8(ascii: "/"))
      let equal = zip(common, parts).prefix { $0.elementsEqual($1) }.count
      if equal < common.count { common.removeLast(common.count - equal) }
    }
    return "/" + common.map { String(Substring($0)) + "/" }.joined()
  }

  // MARK: Writing

  /// Writes the columns piece by piece, in the format that the page's script reads. Columns without values are left
  /// out.
  func write(to output: ([UInt8]) throws -> Void) throws {
    var json = ScriptJSON()
    json.beginObject()
    json.key("rows")
    json.integer(count)
    let root = root
    json.key("root")
    json.string(root)

    let artist = artists.sorted()
    let album = albums.sorted()
    let genre = genres.sorted()
    let codec = codecs.sorted()
    let folder = folders.sorted()
    let reason = tempoReasons.sorted()
    let rootLength = root.utf8.count
    let relative = folder.texts.map { String($0.utf8.dropFirst(rootLength)) ?? "" }
    json.key("dictionaries")
    json.beginObject()
    let dictionaries = [
      ("folder", relative), ("artist", artist.texts), ("album", album.texts), ("genre", genre.texts),
      ("codec", codec.texts), ("tempo_reason", reason.texts),
    ]
    for (name, texts) in dictionaries where !texts.isEmpty {
      json.key(name)
      json.strings(texts)
      try output(json.takeBytes())
    }
    json.endObject()

    json.key("columns")
    json.beginObject()
    json.key("title")
    json.beginArray()
    for row in 0..<count {
      if titles[row].isEmpty { json.null() } else { json.string(titles.text(row)) }
      if row % 8192 == 0 { try output(json.takeBytes()) }
    }
    json.endArray()
    json.key("file")
    json.beginArray()
    for row in 0..<count {
      json.string(fileWithoutTitle(row))
      if row % 8192 == 0 { try output(json.takeBytes()) }
    }
    json.endArray()
    let columns = [
      ("title_rank", titleRanks), ("folder", folder.indexes), ("artist", artist.indexes), ("album", album.indexes),
      ("genre", genre.indexes), ("codec", codec.indexes), ("year", year), ("status", status), ("problem", problem),
      ("flags", flags), ("duration", duration), ("size", size), ("bit_rate", bitRate), ("sample_rate", sampleRate),
      ("bit_depth", bitDepth), ("channels", channels), ("modified", modified), ("added", added), ("bpm", bpm),
      ("confidence", confidence), ("octave", octave), ("alternative", alternative),
      ("alternative_share", alternativeShare), ("tempo_reason", reason.indexes), ("key", key),
      ("key_confidence", keyConfidence), ("loudness", loudness), ("true_peak", truePeak), ("range", range),
      ("energy", energy), ("danceability", danceability), ("speechiness", speechiness),
    ]
    for (name, column) in columns where column.hasValues {
      json.key(name)
      column.write(to: &json)
      try output(json.takeBytes())
    }
    if hasSounds {
      json.key("sound")
      json.beginObject()
      json.key("width")
      json.integer(soundWidth)
      json.key("data")
      json.base64(sounds)
      json.endObject()
    }
    json.endObject()
    json.endObject()
    try output(json.takeBytes())
  }

  /// Returns the file name. If it contains the title, a slash replaces the title.
  private func fileWithoutTitle(_ row: Int) -> String {
    let (title, file) = (titles[row], files[row])
    guard title.count >= 2, title.count <= file.count, let first = title.first else { return files.text(row) }
    var index = file.startIndex
    while let found = file[index...].firstIndex(of: first), file.endIndex - found >= title.count {
      if file[found..<found + title.count].elementsEqual(title) {
        return String(
          decoding: file[..<found] + [UInt8(ascii: "/")] + file[(found + title.count)...], as: UTF8.self)
      }
      index = found + 1
    }
    return files.text(row)
  }

  /// The rank of each row when sorted by title, or by file name without extension if there is no title.
  private var titleRanks: PackedColumn {
    let names = (0..<count).lazy.map { row in
      if !titles[row].isEmpty { return Array(titles[row]) }
      let file = files[row]
      let dot = file.dropFirst().lastIndex(of: UInt8(ascii: "."))
      return Array(dot.map { file[..<$0] } ?? file)
    }
    var column = PackedColumn(width: PackedColumn.width(forCount: count))
    for rank in SortKeys(names).ranks { column.append(index: rank) }
    return column
  }
}
