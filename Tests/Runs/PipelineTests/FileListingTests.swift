import Analysis
import AnalysisTesting
import LibraryScan
import Platform
import ResultStore
import SystemPackage
import Testing

@testable import Pipeline

/// Lists of files in CSV.
@Suite(.bounded) struct FileListingTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The entries of a listing, up to the first problem.
  private func read(_ text: String) throws -> (entries: [LibraryWalker.Entry], problem: FileListing.Problem?) {
    let file = try FileDescriptor.open(try folder.write(Array(text.utf8), as: "list.csv"), .readOnly)
    defer { try? file.close() }
    var entries: [LibraryWalker.Entry] = []
    do {
      let listing = try FileListing(reading: file, rule: CandidateRule(), workingFolder: "/w")
      while let entry = try listing.next() { entries.append(entry) }
      return (entries, nil)
    } catch let problem as FileListing.Problem {
      return (entries, problem)
    }
  }

  /// The path of the only entry, or the problem.
  private func path(_ row: String, columns: String = "path,uri,size_bytes,modified") throws -> String {
    let found = try read("\(columns)\n\(row)\n")
    if let problem = found.problem { return "\(problem.line): \(problem.text)" }
    guard found.entries.count == 1, case .file(let file)? = found.entries.first else { return "\(found.entries)" }
    return file.path.string
  }

  private func time(_ text: String) throws -> Timestamp? {
    guard case .file(let file)? = try read("path,size_bytes,modified\n/a.wav,5,\(text)\n").entries.first else {
      return nil
    }
    return file.modified
  }

  @Test func entriesAreWhatAWalkWouldYield() throws {
    let found = try read(
      "owner,Path,ETag,SIZE_BYTES,modified\nme,/m/a.wav,,0,7.5\n\nme,b/c.flac,x,12,2026-11-21T04:15:04.5Z\n"
        + "me,/m/cover.jpg,,,\n")
    #expect(found.problem == nil)
    func file(_ path: FilePath, _ size: Int64, _ modified: Timestamp) -> LibraryWalker.Entry {
      .file(
        ScannedFile(
          path: path, device: .max, inode: .max, size: size, modified: modified,
          statusChanged: Timestamp(nanoseconds: 0), linkCount: 1))
    }
    #expect(
      found.entries == [
        file("/m/a.wav", 0, Timestamp(nanoseconds: 7_500_000_000)),
        file("/w/b/c.flac", 12, Timestamp(nanoseconds: 1_795_234_504_500_000_000)),
        .skipped(SkippedEntry(path: "/m/cover.jpg", reason: .notAudio)),
      ])
  }

  @Test func objectsHaveTheirTags() throws {
    let found = try read(
      "uri,size_bytes,modified,etag\ns3://b/a.wav,5,7,\"\"\"one\"\"\"\ngs://b/c%20d.wav,5,7,\nS3://b/a.wav,5,7,x\n")
    let modified = Timestamp(nanoseconds: 7_000_000_000)
    func object(_ uri: String, _ tag: String?) throws -> LibraryWalker.Entry {
      .file(ScannedFile(try ObjectAddress(uri: uri.utf8).name, size: 5, modified: modified, entityTag: tag))
    }
    #expect(found.problem == nil)
    #expect(
      try found.entries == [
        object("s3://b/a.wav", "one"), object("gs://b/c%20d.wav", nil), object("s3://b/a.wav", "x"),
      ])
  }

  @Test(
    arguments: [
      ("path,size_bytes,modified", true), ("uri,size_bytes,modified", true), ("path,uri,size_bytes,modified", true),
      ("MODIFIED,Size_Bytes,URI", true), ("size_bytes,modified", false), ("path,modified", false),
      ("path,size_bytes", false), ("uri,size_bytes", false), ("a,b", false),
    ])
  func headersNameTheColumns(header: String, isValid: Bool) throws {
    let problem = try read("\n\(header)\n").problem
    #expect((problem == nil) == isValid)
    if let problem {
      #expect(problem.line == 2)
      #expect(problem.text == "the header must name the columns path or uri, size_bytes and modified")
    }
  }

  @Test func aListingWithoutAHeaderIsRefused() throws {
    for text in ["", "\n\n"] {
      let problem = try read(text).problem
      #expect(problem == FileListing.Problem(line: 1, text: "it has no header row"))
      #expect(problem?.description == "Line 1 of the listing: it has no header row. No plan was made")
    }
  }

  @Test(
    arguments: [
      ("/m/a.wav,,5,7", "/m/a.wav"), ("m/../a.wav,,5,7", "/w/a.wav"), (",file:///m/a%20b.wav,5,7", "/m/a b.wav"),
      // A uri wins, and names are normalized.
      ("/x.wav,FILE:///m/../n/a.wav,5,7", "/n/a.wav"), (",s3://b/a.wav,5,7", "s3:/b/a.wav"),
      ("s3://b/a.wav,,5,7", "/w/s3:/b/a.wav"), (",,5,7", "2: it names no file"),
      (",/m/a.wav,5,7", "2: only file:, https:, http:, s3: and gs: URIs can be analyzed"),
      (",ftp://h/a.wav,5,7", "2: only file:, https:, http:, s3: and gs: URIs can be analyzed"),
      (",s3://b/,5,7", "2: The URI ends with a slash or names no object, so there is nothing to read"),
      ("/a.wav,,0,7", "/a.wav"), ("/a.wav,,-1,7", "2: size_bytes is not a number"),
      ("/a.wav,,x,7", "2: size_bytes is not a number"), ("/a.wav,,,7", "2: size_bytes is not a number"),
      // Rows may be shorter than the header.
      ("/a.wav", "2: size_bytes is not a number"),
      ("/a.wav,,5", "2: modified is neither seconds since 1970 nor a date such as 2026-11-21T04:15:04.5Z"),
    ])
  func rows(row: String, expected: String) throws { #expect(try path(row) == expected) }

  /// Times are exact to the nanosecond, because a scan compares them.
  @Test(
    arguments: [
      ("0", 0), ("5", 5_000_000_000), ("1.5", 1_500_000_000), ("1.05", 1_050_000_000), ("1.000000001", 1_000_000_001),
      ("1.123456789", 1_123_456_789), ("1.1234567899", 1_123_456_789), ("1.0987654321", 1_098_765_432),
      ("-1.5", -1_500_000_000), ("-1", -1_000_000_000), ("1970-01-01T00:00:02Z", 2_000_000_000), ("1.", nil),
      (".5", nil), ("1.5.5", nil), ("1.5x", nil), ("1.123456789x", nil), ("1.-5", nil), ("1:5", nil), ("x", nil),
      ("1e3", nil), ("1./", nil), ("1.:", nil),
    ] as [(String, Int64?)])
  func times(text: String, nanoseconds: Int64?) throws {
    #expect(try time(text)?.nanoseconds == nanoseconds)
  }

  /// A problem has the number of its line, and the files before it are read.
  @Test func problemsHaveTheirLine() throws {
    let found = try read("path,size_bytes,modified\n/a.wav,5,7\n\n/b.wav,x,7\n/c.wav,5,7\n")
    #expect(found.entries.count == 1 && found.problem?.line == 4)
    let bytes: [UInt8] = Array("path,size_bytes,modified\n/a".utf8) + [0xFF] + Array(".wav,5,7\n".utf8)
    let file = try FileDescriptor.open(try folder.write(bytes, as: "odd.csv"), .readOnly)
    defer { try? file.close() }
    let listing = try FileListing(reading: file, rule: CandidateRule(), workingFolder: "/w")
    let problem = FileListing.Problem(line: 2, text: "it is not UTF-8; name the file by its percent-encoded uri")
    #expect(throws: problem) { try listing.next() }
  }

  @Test(arguments: [(131_072, true), (131_073, false)]) func linesHaveALimit(length: Int, isRead: Bool) throws {
    let start = "/a.wav,5,7,"
    let row = start + String(repeating: "x", count: length - start.utf8.count)
    let found = try read("path,size_bytes,modified,other\n\(row)\n")
    #expect(found.entries.count == (isRead ? 1 : 0))
    #expect(found.problem == (isRead ? nil : FileListing.Problem(line: 2, text: "it is longer than any path")))
  }

  // MARK: - Files as the store sees them

  /// File systems without a status time report 0.
  @Test(arguments: [(0, nil), (1, 1), (5, 5), (-1, nil)] as [(Int64, Int64?)])
  func statusTimesMayBeUnknown(found: Int64, stored: Int64?) {
    let file = ScannedFile(
      path: "/a.wav", device: 2, inode: 3, size: 4, modified: Timestamp(nanoseconds: 5),
      statusChanged: Timestamp(nanoseconds: found), linkCount: 1)
    #expect(
      FileStamp(file)
        == FileStamp(
          path: "/a.wav", device: 2, inode: 3, sizeBytes: 4, modified: Timestamp(nanoseconds: 5),
          statusChanged: stored.map { Timestamp(nanoseconds: $0) }))
  }

  @Test func objectsAreOnNoDisk() throws {
    let name = try ObjectAddress(uri: "s3://b/a.wav".utf8).name
    let time = Timestamp(nanoseconds: 7)
    #expect(
      ScannedFile(name, size: 5, modified: time, entityTag: nil)
        == ScannedFile(
          path: "s3:/b/a.wav", device: 0, inode: 0, size: 5, modified: time, statusChanged: time, linkCount: 1))
  }

  /// Tags are the same with and without quotes, strong or weak.
  @Test func tagsBecomeNumbers() {
    func number(_ tag: String?) -> UInt64 { ScannedFile.number(ofEntityTag: tag) }
    #expect(number(nil) == 0 && number("") == 0 && number("\"\"") == 0 && number("W/\"\"") == 0 && number("W/") == 0)
    #expect(number("\"one\"") == ContentID(hashing: Array("one".utf8)).low)
    for tag in ["one", "W/\"one\"", "W/one"] { #expect(number(tag) == number("\"one\"")) }
    for tag in ["\"two\"", "\"W\"", "\"one-2\"", "ne"] { #expect(number(tag) != number("\"one\"") && number(tag) > 1) }
  }
}
