import AnalysisTesting
import Foundation
import LibraryStore
import Platform
import SystemPackage
import Testing

@testable import LibraryTasks

/// Covers made by other programs, and the cache of them.
@Suite(.bounded) struct CoversTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Covers from a shell script, which gets the size as its second argument. Its input goes to the file `request`, and
  /// each start adds a line to the file `starts`.
  private func covers(_ script: String) -> Covers {
    let start = "echo \"$@\" >> '\(folder.path)/starts'; cat > '\(folder.path)/request'; "
    return Covers(command: ["/bin/sh", "-c", start + script, "sh"], patience: .seconds(60))
  }

  private var starts: [String] {
    let text = try? String(contentsOfFile: folder.file("starts").string, encoding: .utf8)
    return (text ?? "").split(separator: "\n").map(String.init)
  }

  @Test(
    arguments: [
      (nil, 640), (1, 64), (64, 64), (65, 160), (160, 160), (161, 300), (300, 300), (301, 640), (640, 640), (641, 640),
    ] as [(Int?, Int)])
  func theSmallestSizeThatIsLargeEnough(pixels: Int?, side: Int) {
    #expect(CoverSize(for: pixels).rawValue == side)
  }

  @Test func aCoverIsMadeOnce() throws {
    let covers = covers("printf picture")
    let track = TrackFile(path: "/music/a.flac", root: "/music")
    #expect(covers.known(of: track, size: .small) == nil)
    let cover = try #require(covers.cover(of: track, size: .small))
    #expect(cover.bytes == Array("picture".utf8) && starts == ["--side 160"])
    #expect(try [UInt8](Data(contentsOf: URL(filePath: folder.file("request").string))) == CoverRequest(track).bytes)
    #expect(covers.cover(of: track, size: .small)?.digest == cover.digest && starts.count == 1)
    #expect(covers.known(of: track, size: .small)??.bytes == cover.bytes)
    _ = covers.cover(of: track, size: .tiny)
    #expect(starts == ["--side 160", "--side 64"])
  }

  @Test(arguments: ["", "exit 0", "printf picture; exit 1", "printf picture; kill -9 $$"])
  func aProgramThatFailsMakesNoCover(script: String) {
    let covers = covers(script)
    let track = TrackFile(path: "/music/a.flac")
    #expect(covers.cover(of: track, size: .small) == nil)
    // The cache also holds tracks without covers.
    guard case .some(.none) = covers.known(of: track, size: .small) else {
      Issue.record("not remembered")
      return
    }
    #expect(covers.cover(of: track, size: .small) == nil && starts.count == 1)
  }

  @Test func coversMayBeDisabled() {
    let covers = Covers(command: [], patience: .seconds(60))
    #expect(covers.cover(of: TrackFile(path: "/music/a.flac"), size: .large) == nil)
    let missing = Covers(command: ["/nowhere/program"], patience: .seconds(60))
    #expect(missing.cover(of: TrackFile(path: "/music/a.flac"), size: .large) == nil)
  }

  @Test func theProgramHasLimits() {
    let program = CoverWorker.program(["analyze", "cover"], size: .medium)
    #expect(program.words == ["analyze", "cover", "--side", "300"].map { Array($0.utf8) })
    #expect(program.limits == ProgramCommand.Limits(memory: 536_870_912, processorSeconds: 10))
  }

  // MARK: The cache

  /// Each picture takes 6 MiB of the cache, which has a capacity of 48 MiB; the last one may take a byte more.
  private func fill(_ covers: Covers, _ numbers: Range<Int>) {
    for number in numbers { _ = covers.cover(of: TrackFile(path: FilePath("/music/\(number)")), size: .large) }
  }

  private func kept(in covers: Covers, _ numbers: Range<Int>) -> [Int] {
    numbers.filter { covers.known(of: TrackFile(path: FilePath("/music/\($0)")), size: .large) != nil }
  }

  @Test func theLeastRecentlyUsedCoversGo() {
    // An entry is counted with 512 bytes in addition to the picture.
    let covers = covers("head -c \((6 << 20) - 512) /dev/zero")
    fill(covers, 0..<8)
    // The cache is full. From here on, the last ones are those used longest ago.
    #expect(kept(in: covers, 0..<8).count == 8)
    for number in (0..<8).reversed() { _ = kept(in: covers, number..<number + 1) }
    fill(covers, 8..<9)
    #expect(kept(in: covers, 0..<9) == [0, 1, 2, 3, 4, 8])
  }

  @Test func aByteTooManyIsTooMany() throws {
    let usual = (6 << 20) - 512
    let isLast = "tr -d '\\0' < '\(folder.path)/request' | grep -q /music/7"
    let covers = covers("head -c $(\(isLast) && echo \(usual + 1) || echo \(usual)) /dev/zero")
    fill(covers, 0..<8)
    #expect(kept(in: covers, 0..<8) == [3, 4, 5, 6, 7])
  }

  // MARK: Requests

  @Test func requestsKeepWhatIsUnknown() throws {
    var track = TrackFile(path: "/music/a.flac")
    #expect(try #require(CoverRequest(CoverRequest(track).bytes)).track == track)
    track.root = "/music"
    track.isAudio = true
    track.size = 12
    track.key = FileKey(device: .max, inode: 3)
    track.modified = Timestamp(nanoseconds: -1)
    track.statusChanged = Timestamp(nanoseconds: 5)
    #expect(try #require(CoverRequest(CoverRequest(track).bytes)).track == track)
    track.linkScope = ["/music", "/other"]
    #expect(try #require(CoverRequest(CoverRequest(track).bytes)).track == track)
  }

  @Test(arguments: [
    ("", false), ("/a", false), ("/a\0\0\0\0\0\0", false), ("/a\0\0\0\0\0\0\0", true),
    ("\0\0\0\0\0\0\0", false),
  ])
  func requestsHaveAllFields(text: String, isRequest: Bool) {
    #expect((CoverRequest(Array(text.utf8)) != nil) == isRequest)
  }
}
