import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing

@Suite(.bounded) struct FileStatusTests {
  /// 1901 (the first of 32 bits), 1969, 2262 (the last of 64 bits in nanoseconds, and the next), 2300, 2446 (ext4's last).
  static let seconds = [-2_147_483_648, -1, 0, 9_223_372_036, 9_223_372_037, 10_413_792_000, 15_032_385_535]

  @Test(arguments: seconds) func timesOfFilesAreClamped(seconds: Int) throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write([1, 2, 3], as: "a")
    let times = [timespec(tv_sec: seconds, tv_nsec: 999), timespec(tv_sec: seconds, tv_nsec: 999)]
    #expect(path.withPlatformString { utimensat(AT_FDCWD, $0, times, 0) } == 0)
    // The value that the file system stored.
    var found = stat()
    #expect(path.withPlatformString { stat($0, &found) } == 0)
    let status = try FileStatus(at: path, followingLinks: true)
    let expected = Double(found.st_mtim.tv_sec) * 1e9 + Double(found.st_mtim.tv_nsec)
    #expect(abs(Double(status.modified.nanoseconds) - min(expected, Double(Int64.max))) < 2_000)
    #expect(status.size == 3 && status.kind == .regular && status.linkCount == 1)
    #expect(FileIdentity(path)?.modified == status.modified)
    #expect(FileIdentity(path) == FileIdentity(status))
  }

  @Test func timesTooFarAwayAreTheLastThereAre() {
    #expect(Timestamp(seconds: .max, nanoseconds: 999_999_999).nanoseconds == .max)
    #expect(Timestamp(seconds: 9_223_372_036, nanoseconds: 854_775_808).nanoseconds == .max)
    #expect(Timestamp(seconds: 9_223_372_036, nanoseconds: 854_775_806).nanoseconds == .max - 1)
    #expect(Timestamp(seconds: .min, nanoseconds: 0).nanoseconds == .min)
    #expect(Timestamp(seconds: -1, nanoseconds: 5).nanoseconds == -999_999_995)
    #expect(Timestamp(seconds: .max, nanoseconds: 0).description == "2262-04-11T23:47:16Z")
    #expect(Timestamp(seconds: .min, nanoseconds: 0).description == "1677-09-21T00:12:43Z")
  }

  @Test func whatIsGoneIsToldFromWhatCannotBeSeen() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write([], as: "a")
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "nowhere")
    #expect(!file.isGone() && folder.file("b").isGone() && file.appending("c").isGone())
    #expect(!link.isGone() && link.isGone(followingLinks: true))
    // An overlong name is not proof that the file is gone.
    #expect(!folder.file(String(repeating: "x", count: 300)).isGone())
  }
}
