internal import Platform
internal import ResultStore
internal import SystemPackage

/// The planned files, spooled to disk in the order in which they were found. The spool uses 8 bytes of memory per file.
struct PlanSpool: ~Copyable {
  private let file: UnnamedFile
  private var buffer: [UInt8] = []
  private var flushed: Int64 = 0
  private var offsets: [Int64] = []
  /// The distinct lists of missing analyzers, and the distinct codecs. There are only a few of each.
  private var lists: [[String]] = []
  private var listNumbers: [[String]: Int32] = [:]
  private var lastList: Int32 = 0
  private var codecs: [String] = []
  private var codecNumbers: [String: Int32] = [:]

  private static let bufferSize = 1 << 18
  /// Number of bytes for the size, time, reason, missing analyzers, codec, duration and expected seconds of a file.
  private static let headSize = 8 + 8 + 1 + 4 + 4 + 8 + 8

  init() throws(Errno) {
    file = try UnnamedFile()
  }

  var count: Int { offsets.count }

  mutating func append(_ planned: PlannedFile) throws {
    offsets.append(flushed + Int64(buffer.count))
    // Most files lack the same analyzers as the previous one.
    if lists.isEmpty || lists[Int(lastList)] != planned.missing {
      lastList = listNumbers[planned.missing] ?? Int32(lists.count)
      if lastList == lists.count {
        lists.append(planned.missing)
        listNumbers[planned.missing] = lastList
      }
    }
    var codec: Int32 = -1
    if let name = planned.codec {
      codec = codecNumbers[name] ?? Int32(codecs.count)
      if codec == codecs.count {
        codecs.append(name)
        codecNumbers[name] = codec
      }
    }
    put(planned.sizeBytes)
    put(planned.modified.nanoseconds)
    put(UInt8(planned.reason.rawValue))
    put(lastList)
    put(codec)
    put((planned.duration ?? .nan).bitPattern)
    put(planned.expectedSeconds.bitPattern)
    planned.path.withBytes { unsafe buffer.append(contentsOf: $0) }
    if buffer.count >= Self.bufferSize { try flush() }
  }

  private mutating func put(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value) { unsafe buffer.append(contentsOf: $0) }
  }

  /// Writes the buffer to the file. Call this before reading.
  mutating func flush() throws {
    _ = try file.descriptor.writeAll(buffer)
    flushed += Int64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }

  /// Reads the entry for a file by its index in the order in which files were found.
  func file(_ index: Int) throws -> PlannedFile {
    let end = index + 1 < offsets.count ? offsets[index + 1] : flushed
    var bytes = [UInt8](repeating: 0, count: Int(end - offsets[index]))
    let count = try bytes.withUnsafeMutableBytes {
      unsafe try file.descriptor.read(fromAbsoluteOffset: offsets[index], into: $0)
    }
    guard count == bytes.count, count >= Self.headSize else { throw Errno.ioError }
    var place = 0
    func take<Value: FixedWidthInteger>(_ type: Value.Type) -> Value {
      defer { place += MemoryLayout<Value>.size }
      return bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: place, as: type) }
    }
    let (size, modified) = (take(Int64.self), take(Int64.self))
    let reason = PendingReason(rawValue: Int(take(UInt8.self))) ?? .new
    let (missing, codec) = (Int(take(Int32.self)), Int(take(Int32.self)))
    let (duration, seconds) = (Double(bitPattern: take(UInt64.self)), Double(bitPattern: take(UInt64.self)))
    return PlannedFile(
      path: FilePath(bytes: bytes[place...]), sizeBytes: size, modified: Timestamp(nanoseconds: modified),
      reason: reason,
      missing: lists[missing], codec: codec < 0 ? nil : codecs[codec], duration: duration.isNaN ? nil : duration,
      expectedSeconds: seconds)
  }
}
