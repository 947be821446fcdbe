import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing

/// Reading lines, and waiting for input.
@Suite(.bounded) struct LineReaderTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// All lines of a file. Lines that are too long end with an ellipsis.
  private func lines(_ bytes: [UInt8], separator: UInt8 = 0x0A, limit: Int) throws -> [String] {
    let file = try FileDescriptor.open(try folder.write(bytes, as: "lines"), .readOnly)
    return try file.closeAfter {
      var reader = LineReader(reading: file, separator: separator, limit: limit)
      var lines: [String] = []
      while let line = try reader.next() {
        switch line {
        case .text(let text): lines.append(String(decoding: text, as: UTF8.self))
        case .tooLong(let text): lines.append(String(decoding: text, as: UTF8.self) + "…")
        }
      }
      let end = try reader.next()
      #expect(end == nil)
      return lines
    }
  }

  @Test(arguments: [
    ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]), ("12345\n1", ["12345", "1"]),
    ("123456\n1", ["123456…", "1"]), ("1\n12345", ["1", "12345"]), ("1\n123456", ["1", "123456…"]),
    ("1\n123456\n", ["1", "123456…"]), ("a\u{B}b\r\n", ["a\u{B}b\r"]),
  ]) func linesHaveALimit(text: String, found: [String]) throws {
    #expect(try lines(Array(text.utf8), limit: 5) == found)
  }

  @Test func anotherSeparator() throws {
    #expect(try lines(Array("a\nb\0c\0".utf8), separator: 0, limit: 5) == ["a\nb", "c"])
  }

  /// Lines that arrive in several pieces, and of which only the beginning is kept.
  @Test func longLines() throws {
    let long = String((0..<200_000).map { _ in "x" })
    let start = "begin" + String(repeating: "x", count: 195)
    #expect(try lines(Array("begin\(long)\nnext\n".utf8), limit: 1000) == [start + "…", "next"])
    #expect(try lines(Array("a\nbegin\(long)".utf8), limit: 1000) == ["a", start + "…"])
    #expect(try lines(Array("begin\(long)\nnext\n".utf8), limit: 200_005) == ["begin" + long, "next"])
    #expect(try lines(Array("begin\(long)\nnext\n".utf8), limit: 200_004) == [start + "…", "next"])
    let short = "begin" + String(repeating: "x", count: 100)
    #expect(try lines(Array("\(short)\nnext".utf8), limit: 50) == [short + "…", "next"])
  }

  @Test func readingStopsAndGoesOn() throws {
    let pipe = try FileDescriptor.pipe(nonBlocking: nil)
    defer { try? pipe.readEnd.close() }
    _ = try pipe.writeEnd.writeAll("a\nb".utf8)
    var reader = LineReader(reading: pipe.readEnd, limit: 10)
    var line = try reader.next()
    #expect(line == .text(Array("a".utf8)))
    line = try reader.next { false }
    #expect(line == nil)
    _ = try pipe.writeEnd.writeAll("c\nd\n".utf8)
    line = try reader.next()
    #expect(line == .text(Array("bc".utf8)))
    // A line that has been read needs no permission.
    line = try reader.next { false }
    #expect(line == .text(Array("d".utf8)))
    // While no input arrives, the question is repeated.
    var count = 0
    line = try reader.next {
      count += 1
      return count < 2
    }
    #expect(line == nil && count == 2)
    try pipe.writeEnd.close()
    line = try reader.next()
    #expect(line == nil)
  }

  @Test func failuresSayWhy() throws {
    let file = try FileDescriptor.open(try folder.write([1], as: "file"), .writeOnly)
    defer { try? file.close() }
    let error = #expect(throws: LineReadingError.self) {
      var reader = LineReader(reading: file, limit: 10)
      return try reader.next()
    }
    #expect(error?.description == "cannot read the rest of the input: \(Errno.badFileDescriptor)")
  }
}

@Suite(.bounded) struct FileDescriptorTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func inputIsWaitedFor() throws {
    let (one, two) = (try FileDescriptor.pipe(nonBlocking: nil), try FileDescriptor.pipe(nonBlocking: nil))
    defer { for end in [one.readEnd, one.writeEnd, two.readEnd, two.writeEnd] { try? end.close() } }
    #expect(!one.readEnd.waitForInput(milliseconds: 0))
    _ = try two.writeEnd.writeAll([1])
    #expect(two.readEnd.waitForInput(milliseconds: 0) && two.readEnd.waitForInput(milliseconds: -1))
    #expect(FileDescriptor.waitForInput(ofAny: [one.readEnd, two.readEnd]) == [1])
    #expect(FileDescriptor.waitForInput(ofAny: [two.readEnd, one.readEnd]) == [0])
    _ = try one.writeEnd.writeAll([1])
    #expect(FileDescriptor.waitForInput(ofAny: [one.readEnd, two.readEnd]) == [0, 1])
  }

  @Test func onlyTheChosenEndOfAPipeDoesNotWait() throws {
    func flags(_ end: FileDescriptor) -> Int32 { fcntl(end.rawValue, F_GETFL) & O_NONBLOCK }
    let reading = try FileDescriptor.pipe(nonBlocking: { $0.readEnd })
    let writing = try FileDescriptor.pipe(nonBlocking: { $0.writeEnd })
    let neither = try FileDescriptor.pipe(nonBlocking: nil)
    defer {
      for pipe in [reading, writing, neither] { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
    }
    #expect(flags(reading.readEnd) != 0 && flags(reading.writeEnd) == 0)
    #expect(flags(writing.readEnd) == 0 && flags(writing.writeEnd) != 0)
    #expect(flags(neither.readEnd) == 0 && flags(neither.writeEnd) == 0)
    for end in [reading.readEnd, reading.writeEnd] { #expect(fcntl(end.rawValue, F_GETFD) & FD_CLOEXEC != 0) }
    reading.readEnd.setBlocking()
    #expect(flags(reading.readEnd) == 0)
  }

  @Test func pipesAndDevicesMayBlock() throws {
    let pipe = try FileDescriptor.pipe(nonBlocking: nil)
    defer { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
    let device = try FileDescriptor.openWithoutWaiting("/dev/null")
    let file = try FileDescriptor.openWithoutWaiting(try folder.write([1], as: "file"))
    let place = try FileDescriptor.openWithoutWaiting(folder.path)
    defer { for file in [device, file, place] { try? file.close() } }
    #expect(pipe.readEnd.isPipeOrDevice && pipe.writeEnd.isPipeOrDevice && device.isPipeOrDevice)
    #expect(!file.isPipeOrDevice && !place.isPipeOrDevice && !FileDescriptor(rawValue: -1).isPipeOrDevice)
  }

  @Test func noMoreIsReadThanWanted() throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
    let path = try folder.write(bytes, as: "file")
    for limit in [0, 1, 65_535, 65_536, 65_537, 199_999, 200_000, 200_001] {
      let file = try FileDescriptor.openWithoutWaiting(path)
      #expect(try file.closeAfter { try file.readToEnd(limit: limit) } == Array(bytes.prefix(limit)))
    }
    #expect(throws: Errno.badFileDescriptor) { try FileDescriptor(rawValue: -1).readToEnd(limit: 1) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try FileDescriptor.openWithoutWaiting(folder.file("none")) }
  }

  @Test func buffersAreFilled() throws {
    let file = try FileDescriptor.openWithoutWaiting(try folder.write([1, 2, 3], as: "file"))
    defer { try? file.close() }
    file.advise(.willReadInOrder)
    file.advise(.notNeeded)
    var buffer: [UInt8] = [0, 0]
    #expect(try buffer.withUnsafeMutableBytes { try file.read($0) } == 2 && buffer == [1, 2])
    #expect(try buffer.withUnsafeMutableBytes { try file.read($0) } == 1 && buffer == [3, 2])
    #expect(try buffer.withUnsafeMutableBytes { try file.read($0) } == 0)
    #expect(throws: Errno.badFileDescriptor) {
      try buffer.withUnsafeMutableBytes { try FileDescriptor(rawValue: -1).read($0) }
    }
  }

  // MARK: - Disks

  private func open(_ name: String) throws -> FileDescriptor {
    try FileDescriptor.open(
      folder.file(name), .readWrite, options: [.create, .truncate], permissions: .ownerReadWrite)
  }

  @Test func writingContinuesAtTheNewEnd() throws {
    let file = try open("file")
    defer { try? file.close() }
    _ = try file.writeAll("0123456789".utf8)
    try file.truncate(to: 4)
    _ = try file.writeAll("x".utf8)
    try file.synchronize()
    #expect(try SmallFile.read(folder.file("file"), limit: 100) == Array("0123x".utf8))
    try file.truncate(to: 0)
    #expect(try FileStatus(of: file).size == 0)
    let bad = FileDescriptor(rawValue: -1)
    #expect(throws: Errno.badFileDescriptor) { try bad.truncate(to: 0) }
    #expect(throws: Errno.badFileDescriptor) { try bad.synchronize() }
    #expect(throws: Errno.invalidArgument) { try file.truncate(to: -1) }
  }

  /// The blocks that a file has, as (offset, count) in units of 64 KiB.
  @Test(
    arguments: [
      ([], 0), ([], 8), ([0], 1), ([0], 8), ([7], 8), ([3], 8), ([0, 3, 7], 8), ([1, 5], 8), ([0, 1], 2),
    ] as [([Int], Int)]) func holesTakeNoSpace(blocks: [Int], count: Int) throws
  {
    let unit = 65_536
    let file = try open("file")
    defer { try? file.close() }
    for block in blocks {
      try file.seek(offset: Int64(block * unit), from: .start)
      _ = try file.writeAll([UInt8](repeating: 1, count: unit))
    }
    #expect(ftruncate(file.rawValue, count * unit) == 0)
    // SEEK_HOLE finds a hole before the end only if the file system keeps track of holes.
    #expect(lseek(file.rawValue, 123, SEEK_SET) == 123)
    let stored = file.storedSize(of: Int64(count * unit))
    #expect(lseek(file.rawValue, 0, SEEK_CUR) == 123)
    let hasHoles = try FileStatus(of: file).allocatedSize < Int64(count * unit)
    #expect(stored == Int64((hasHoles ? blocks.count : count) * unit))
  }

  @Test func filesWithoutNames() throws {
    let file = try UnnamedFile(in: folder.path)
    _ = try file.descriptor.writeAll([1, 2, 3])
    try file.descriptor.seek(offset: 0, from: .start)
    #expect(try file.descriptor.readToEnd(limit: 10) == [1, 2, 3])
    #expect(try FolderListing.names(in: folder.path).isEmpty)
    #expect(throws: Errno.noSuchFileOrDirectory) { _ = try UnnamedFile(in: folder.file("none")) }
  }

  @Test func filesAreMapped() throws {
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
    let file = try #require(try MappedFile(try folder.write(bytes, as: "file")))
    #expect(Array(file.bytes) == bytes)
    #expect(file.isInMemory(at: 0) == true && file.isInMemory(at: 9_999) == true)
    file.setReadAhead(false)
    file.setReadAhead(true)
    file.prefetch(5_000..<10_000)
    #expect(Array(file.bytes) == bytes)
    #expect(try MappedFile(try folder.write([], as: "empty")) == nil && MappedFile(folder.path) == nil)
    #expect(try MappedFile(try folder.write([7], as: "one"))?.bytes.count == 1)
    #expect(throws: Errno.noSuchFileOrDirectory) { try MappedFile(folder.file("none")) }
  }

  @Test func disksHaveSpace() throws {
    let space = try #require(DiskSpace(holding: folder.path))
    #expect(space.free > 0 && !space.isReadOnly)
    #expect(DiskSpace(holding: folder.file("none")) == nil)
  }

  @Test func locksAreSharedOrExclusive() throws {
    let path = try folder.write([1], as: "file")
    let (one, two) = (try FileDescriptor.openWithoutWaiting(path), try FileDescriptor.openWithoutWaiting(path))
    defer { try? two.close() }
    #expect(try one.lock(.shared) && two.lock(.shared))
    #expect(try !one.lock(.exclusive))
    #expect(try one.lock(.shared))
    try one.close()
    #expect(try two.lock(.exclusive))
    #expect(throws: Errno.badFileDescriptor) { _ = try FileDescriptor(rawValue: -1).lock(.shared) }
  }
}

@Suite(.bounded) struct FolderEventsTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The events so far: kind, name, and a slash after the names of folders.
  private func take(_ events: FolderEvents) -> [String] {
    events.next(withinMilliseconds: 0).map { event in
      "\(event.kind) \(String(decoding: event.name, as: UTF8.self))\(event.isFolder ? "/" : "")"
    }
  }

  @Test func changesAreReported() throws {
    let events = try FolderEvents()
    let number = try events.watch(folder.path, followingLinks: true)
    #expect(take(events).isEmpty)
    try folder.write([1], as: "a")
    let written = take(events)
    #expect(written.first == "created a" && written.count > 1)
    #expect(written.dropFirst().allSatisfy { $0 == "written a" })
    try folder.file("a").rename(to: folder.file("longer name"))
    #expect(take(events) == ["gone a", "movedHere longer name"])
    try folder.file("longer name").unlink()
    #expect(take(events) == ["gone longer name"])
    try folder.file("sub").makeFolder()
    #expect(take(events) == ["created sub/"])
    let sub = try events.watch(folder.file("sub"), followingLinks: false)
    #expect(sub != number)
    try folder.write([], as: "sub/x")
    #expect(events.next(withinMilliseconds: 0).allSatisfy { $0.folder == sub })
    folder.file("sub").removeAll()
    let gone = take(events)
    #expect(gone.contains("gone x") && gone.contains("folderGone ") && gone.contains("gone sub/"))
    events.stopWatching(number)
    #expect(take(events) == ["folderGone "])
    try folder.write([1], as: "b")
    #expect(take(events).isEmpty)
  }

  @Test func onlyFoldersAreWatched() throws {
    let events = try FolderEvents()
    try folder.write([1], as: "a")
    #expect(symlink(folder.path.string, folder.file("link").string) == 0)
    #expect(throws: Errno.notDirectory) { try events.watch(folder.file("a"), followingLinks: true) }
    #expect(throws: Errno.noSuchFileOrDirectory) { try events.watch(folder.file("none"), followingLinks: true) }
    #expect(throws: Errno.self) { try events.watch(folder.file("link"), followingLinks: false) }
    #expect(throws: Never.self) { try events.watch(folder.file("link"), followingLinks: true) }
  }

  @Test func manyEventsAreReadAtOnce() throws {
    let events = try FolderEvents()
    _ = try events.watch(folder.path, followingLinks: true)
    for number in 0..<100 { try folder.file("folder \(number)").makeFolder() }
    #expect(take(events) == (0..<100).map { "created folder \($0)/" })
  }
}
