internal import MediaContainers

/// Reads the title, the texts and the tracker's name from tracker modules: MOD, S3M, IT and XM. Musicians write
/// messages into the names of samples and instruments, so all names together form the comment (FireLight, "MOD Player
/// Tutorial"; `TECH.DOC` of Scream Tracker 3.20; `ITTECH.TXT` of Impulse Tracker; `XM.TXT` of Fast Tracker 2).
struct TrackerModule {
  private let source: ByteSource
  private var tag: RawTag
  /// `true` if expected data would be beyond the end of the file, or other data is in its place.
  private var isCutOff = false

  /// Maximum number of names read; IT and S3M allow a few hundred.
  private static let nameLimit = 5_000

  /// Returns `nil` for containers that are not tracker modules.
  static func read(from source: ByteSource, _ container: Container) throws(FileReadError) -> RawTag? {
    let (name, tracker): (String, String)
    switch container {
    case .mod: (name, tracker) = ("mod", try modTracker(source))
    case .s3m: (name, tracker) = ("s3m", "ScreamTracker III")
    case .it: (name, tracker) = ("it", "Impulse Tracker")
    case .xm: (name, tracker) = ("xm", try text(in: source, at: 38, 20))
    default: return nil
    }
    var module = TrackerModule(source: source, tag: RawTag(.tracker(name)))
    let (title, lines): (String, [String])
    switch container {
    case .s3m: (title, lines) = (try text(in: source, at: 0, 28), try module.s3mLines())
    case .it: (title, lines) = (try text(in: source, at: 4, 26), try module.itLines())
    case .xm: (title, lines) = (try text(in: source, at: 17, 20), try module.xmLines())
    default: (title, lines) = (try text(in: source, at: 0, 20), try module.modLines())
    }
    module.tag.add("title", title)
    module.tag.add("comment", lines.joined(separator: "\n"))
    module.tag.add("tracker", tracker)
    if module.isCutOff {
      module.tag.remarks.append("The \(name) file is damaged or cut off; not all names of samples were read.")
    }
    return module.tag
  }

  /// Reads Latin-1 up to the first NUL; 0xFF counts as a space.
  private static func text(in source: ByteSource, at offset: Int, _ count: Int) throws(FileReadError) -> String {
    try source.bytes(at: offset, count: count).prefix { $0 != 0 }.map { $0 == 0xFF ? 0x20 : $0 }[...].latin1
  }

  private mutating func line(at offset: Int, _ count: Int) throws(FileReadError) -> String {
    if offset + count > source.size { isCutOff = true }
    return try Self.text(in: source, at: offset, count)
  }

  private func number<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) throws(FileReadError) -> Int {
    Int(try source.bytes(at: offset, count: Value.bitWidth / 8).littleEndian(type) ?? 0)
  }

  // MARK: MOD

  private static func modTracker(_ source: ByteSource) throws(FileReadError) -> String {
    switch try source.bytes(at: 1_080, count: 4).latin1 {
    case "CD81", "OKTA": "Atari Oktalyzer"
    case let mark where mark.hasPrefix("FLT") || mark.hasSuffix("CHN"): "StarTrekker"
    default: "ProTracker"
    }
  }

  /// Reads the names of the 31 samples, which follow the title with 30 bytes each.
  private mutating func modLines() throws(FileReadError) -> [String] {
    var lines: [String] = []
    for index in 0..<31 { lines.append(try line(at: 20 + 30 * index, 22)) }
    return lines
  }

  // MARK: Scream Tracker and Impulse Tracker

  /// Reads the names via a table of offsets, in paragraphs of 16 bytes, that follows the pattern order.
  private mutating func s3mLines() throws(FileReadError) -> [String] {
    let table = 96 + (try number(UInt16.self, at: 32))
    var lines: [String] = []
    for index in 0..<min(try number(UInt16.self, at: 34), Self.nameLimit) where !isCutOff {
      lines.append(try line(at: try number(UInt16.self, at: table + 2 * index) << 4 + 48, 28))
    }
    return lines
  }

  /// Reads the names via the tables of instrument and sample offsets, which follow the pattern order. A message may be
  /// anywhere.
  private mutating func itLines() throws(FileReadError) -> [String] {
    let instrumentCount = try number(UInt16.self, at: 34)
    let sampleCount = try number(UInt16.self, at: 36)
    let table = 192 + (try number(UInt16.self, at: 32))
    var lines: [String] = []
    for index in 0..<min(instrumentCount + sampleCount, Self.nameLimit) where !isCutOff {
      let offset = try number(UInt32.self, at: table + 4 * index)
      let isInstrument = index < instrumentCount
      guard try source.bytes(at: offset, count: 4).has(isInstrument ? "IMPI" : "IMPS") else {
        isCutOff = true
        break
      }
      lines.append(try line(at: offset + (isInstrument ? 32 : 20), 26))
    }
    if try number(UInt16.self, at: 46) & 1 != 0 {
      let message = try source.bytes(at: number(UInt32.self, at: 56), count: number(UInt16.self, at: 54))
      let text = message.prefix { $0 != 0 }.latin1.replacing("\r", with: "\n")
      if !text.isEmpty { lines.append(text) }
    }
    return lines
  }

  // MARK: Fast Tracker

  /// Reads the names of instruments, then those of samples. Instruments and their samples, each with a length prefix,
  /// follow the patterns.
  private mutating func xmLines() throws(FileReadError) -> [String] {
    var position = 60 + (try number(UInt32.self, at: 60))
    for _ in 0..<(try number(UInt16.self, at: 70)) {
      position += try number(UInt32.self, at: position) + number(UInt16.self, at: position + 7)
      guard position < source.size else { break }
    }
    var instruments: [String] = []
    var samples: [String] = []
    for _ in 0..<(try number(UInt16.self, at: 72)) where !isCutOff && instruments.count + samples.count < Self.nameLimit
    {
      let headerSize = try number(UInt32.self, at: position)
      let sampleCount = try number(UInt16.self, at: position + 27)
      let sampleHeaderSize = try number(UInt32.self, at: position + 29)
      instruments.append(try line(at: position + 4, 22))
      position += headerSize
      guard sampleCount > 0 else { continue }
      var audioSize = 0
      for _ in 0..<min(sampleCount, Self.nameLimit) where !isCutOff {
        let size = try number(UInt32.self, at: position)
        // Packed samples have four bits each, after a table of 16 bytes.
        let isPacked = try source.bytes(at: position + 17, count: 1).first == 0xAD
        audioSize += isPacked ? 16 + (size + 1) / 2 : size
        samples.append(try line(at: position + 18, 22))
        position += sampleHeaderSize
      }
      position += audioSize
    }
    return instruments + samples
  }
}
