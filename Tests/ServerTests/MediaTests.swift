import AnalysisTesting
import Foundation
import Glibc
import NIOCore
import Platform
import SystemPackage
import Testing

@testable import ResultStore
@testable import Server

@Suite struct ByteRangeTests {
  @Test(arguments: [
    ("bytes=0-0", ByteRange.part(0..<1)), ("bytes=0-99", .part(0..<100)), ("bytes=10-", .part(10..<100)),
    ("bytes=90-500", .part(90..<100)), ("bytes=-10", .part(90..<100)), ("bytes=-500", .part(0..<100)),
    ("BYTES = 5-6", .part(5..<7)), ("bytes=5-6,", .part(5..<7)), ("bytes=0-99999999999999999999999", .part(0..<100)),
  ])
  func partsAreOfTheFile(header: String, expected: ByteRange) {
    #expect(ByteRange(header, size: 100) == expected)
  }

  @Test(arguments: ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"])
  func whatIsNotThereIsRefused(header: String) {
    #expect(ByteRange(header, size: 100) == .unsatisfiable)
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=9-3", "bytes=0-1,5-6", "lines=0-1", "bytes=+1-2",
    "bytes=1--2",
    "bytes=١-٢",
  ])
  func whatIsNoRangeGetsAll(header: String) {
    #expect(ByteRange(header, size: 100) == .whole)
  }

  @Test func anEmptyFileHasNoParts() {
    #expect(ByteRange("bytes=0-", size: 0) == .unsatisfiable)
    #expect(ByteRange("bytes=-1", size: 0) == .unsatisfiable)
    #expect(ByteRange(nil, size: 0) == .whole)
  }
}

@Suite struct HeaderTests {
  @Test func datesAreThoseOfTheStandard() {
    #expect(HTTPDate.text(ofSeconds: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.seconds(of: "Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    for seconds in stride(from: Int64(0), to: 4_000_000_000, by: 86_399_999) {
      #expect(HTTPDate.seconds(of: HTTPDate.text(ofSeconds: seconds)) == seconds)
    }
  }

  @Test(arguments: [
    "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 99 Nov 1994 08:49:37 GMT",
  ])
  func otherDatesAreNotUnderstood(text: String) {
    #expect(HTTPDate.seconds(of: text) == nil)
  }

  @Test func entityTagsAreComparedWeakly() {
    #expect(EntityTags(#""a""#).contains(#""a""#))
    #expect(EntityTags(#"W/"a", "b" "#).contains(#""a""#))
    #expect(EntityTags(#"W/"a", "b" "#).contains(#""b""#))
    #expect(EntityTags("*").contains(#""a""#))
    #expect(!EntityTags(#""ab""#).contains(#""a""#))
  }
}

@Suite struct OpenFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var device: UInt64 { (try? FileStatus(at: folder.path, followingLinks: true).key.device) ?? 0 }

  private func track(_ path: FilePath, size: Int64? = nil, inode: UInt64? = nil) -> TrackFile {
    var track = TrackFile(path: path, container: "wav", codec: "pcm_s16")
    track.size = size
    track.key = inode.map { FileKey(device: device, inode: $0) }
    return track
  }

  private func put(_ text: String, as name: String) throws -> FilePath {
    let path = folder.file(name)
    try Data(text.utf8).write(to: URL(filePath: path.string))
    return path
  }

  @Test func readsWhatIsAsked() throws {
    let file = try OpenFile(track(put("0123456789", as: "a")))
    #expect(file.size == 10)
    #expect(try String(buffer: file.read(3, at: 4)) == "456")
    #expect(throws: OpenFile.Failure.shortened) { try file.read(3, at: 8) }
  }

  @Test func aPipeOrAFolderIsNotWaitedFor() throws {
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.string, 0o600) == 0)
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track(pipe)) }
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track(folder.path)) }
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track("/dev/zero")) }
    #expect(throws: OpenFile.Failure.missing) { try OpenFile(track(folder.file("none"))) }
  }

  @Test func aLinkLeadsOnlyToWhatTheRunHasSeen() throws {
    let target = try put("0123456789", as: "target")
    let link = folder.file("link")
    #expect(symlink(target.string, link.string) == 0)
    var status = stat()
    #expect(stat(target.string, &status) == 0)
    let inode = UInt64(status.st_ino)
    #expect(try OpenFile(track(link, size: 10, inode: inode)).size == 10)
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track(link, size: 11, inode: inode)) }
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track(link, size: 10, inode: inode + 1)) }
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track(link)) }
  }
}
