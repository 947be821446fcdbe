internal import MediaContainers

/// The ID3v2 and APEv2 tags at the start of a file.
struct LeadingTags {
  /// The first ID3v2 tag that is not empty; if all are empty, the last one.
  var id3v2: [RawTag] = []
  var apev2: [RawTag] = []
  var remarks: [String] = []
  /// Offset of the end of the last tag.
  let end: Int

  init(of source: ByteSource) throws(FileReadError) {
    let leading = try TagRegions.leading(in: source)
    end = leading.end
    var unreadCount = 0
    for region in leading.regions {
      let start = region.bytes.lowerBound
      if region.kind == .ape {
        if let tag = try APEv2Tag(in: source, region.bytes, isLeading: true) { apev2.append(try tag.read()) }
      } else if let tag = try ID3v2Tag(in: source, at: start) {
        if id3v2.first?.isEmpty ?? true { id3v2 = [try tag.read()] } else { unreadCount += 1 }
      } else {
        remarks.append("There is an ID3v2 tag of an unknown version at byte \(start); it was not read.")
      }
    }
    if unreadCount > 0 {
      remarks.append(
        "The file has \(unreadCount + 1) ID3v2 tags one after the other; the first one counts, the rest was not read.")
    }
  }
}

/// The tags at the end of a file, in any order: APEv2, ID3v2 (2.4 only), ID3v1, Lyrics3.
struct TrailingTags {
  /// All tags except `lastResorts`, in order of precedence.
  var tags: [RawTag] { apev2 + id3v2 + id3v1 }
  /// Tags that have even lower precedence than the tags before the audio.
  private(set) var lastResorts: [RawTag] = []
  private(set) var remarks: [String] = []
  private var apev2: [RawTag] = []
  private var id3v2: [RawTag] = []
  private var id3v1: [RawTag] = []

  /// - Parameter start: Start of the audio.
  init(of source: ByteSource, behind start: Int) throws(FileReadError) {
    let regions = try TagRegions.trailing(in: source, behind: start)
    for region in regions {
      switch region.kind {
      case .id3v1:
        id3v1.append(ID3v1Tag.read(try source.bytes(at: region.bytes.lowerBound, count: region.bytes.count)))
      case .ape:
        if let tag = try APEv2Tag(in: source, region.bytes, isLeading: false) { apev2.append(try tag.read()) }
      case .id3v2:
        if let tag = try ID3v2Tag(in: source, at: region.bytes.lowerBound) { id3v2.append(try tag.read()) }
      case .lyrics3(let version):
        lastResorts.append(try Lyrics3Tag.read(from: source, region.bytes, version: version))
      case .extendedID3v1:
        remarks.append("The extended ID3v1 tag (TAG+) was not read.")
      }
    }
    try remarkOnDamage(in: source, before: regions.last?.bytes.lowerBound ?? source.size)
  }

  /// Adds a remark if the bytes before `end` look like the end of a tag but cannot belong to one.
  private mutating func remarkOnDamage(in source: ByteSource, before end: Int) throws(FileReadError) {
    if try source.bytes(at: end - 32, count: 32).has("APETAGEX") {
      remarks.append("The APEv2 tag claims an impossible size and was not read.")
    }
    let mark = try source.bytes(at: end - 9, count: 9)
    if mark.has("LYRICS200") || mark.has("LYRICSEND") {
      remarks.append("The Lyrics3 tag claims an impossible size, or has no start; it was not read.")
    }
  }
}
