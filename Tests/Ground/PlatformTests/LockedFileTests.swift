import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing

/// Files that other programs change while they are replaced.
@Suite(.bounded) struct LockedFileTests {
  private let folder: TemporaryDirectory
  private let path: FilePath

  init() throws {
    folder = try TemporaryDirectory()
    path = try folder.path.resolved().appending("a")
    try folder.write(Array("old".utf8), as: "a")
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path.string).sorted() }
  }

  private var text: String { get throws { try String(contentsOfFile: path.string, encoding: .utf8) } }

  /// Replaces the file with one that contains `new`.
  private func replace(exchanges: Bool, _ meanwhile: () throws -> Void = {}) throws {
    let held = try LockedFile(path, patience: .zero)
    let file = try FileReplacement(path)
    try file.write(Array("new".utf8))
    try file.commit(replacing: held, exchanges: exchanges) {
      try meanwhile()
      return true
    }
  }

  @Test(arguments: [true, false]) func theNewFileTakesThePlace(exchanges: Bool) throws {
    try replace(exchanges: exchanges)
    #expect(try text == "new" && names == ["a"])
  }

  /// Saves like editors that replace the whole file.
  @Test(arguments: [true, false]) func aFileThatTookThePlaceMeanwhileStays(exchanges: Bool) throws {
    #expect(throws: LockedFile.Failure.changed) {
      try replace(exchanges: exchanges) { try FileReplacement.write(Array("other".utf8), to: path) }
    }
    #expect(try text == "other" && names == ["a"])
  }

  /// Saves like editors that write into the file: they are blocked, or noticed afterwards.
  @Test(arguments: [true, false]) func aProgramThatOpensTheFileMeanwhileGetsTheOldOne(exchanges: Bool) throws {
    #expect(throws: LockedFile.Failure.changed) {
      try replace(exchanges: exchanges) {
        let file = try? FileDescriptor.open(path, .writeOnly, options: [.nonBlocking, .append])
        try file?.closeAfter { _ = try file?.writeAll(Array("!".utf8)) }
      }
    }
    #expect(try text.hasPrefix("old") && names == ["a"])
  }

  @Test func aFileThatIsOpenForWritingIsLeftAlone() throws {
    let file = try FileDescriptor.open(path, .writeOnly)
    defer { try? file.close() }
    #expect(throws: LockedFile.Failure.openForWriting) { try replace(exchanges: true) }
    #expect(try text == "old" && names == ["a"])
  }

  @Test func locksOfOthersAreHonored() throws {
    let file = try FileDescriptor.open(path, .readOnly)
    defer { try? file.close() }
    #expect(flock(file.rawValue, LOCK_SH) == 0)
    #expect(throws: LockedFile.Failure.locked) { try LockedFile(path, patience: .zero) }
    #expect(flock(file.rawValue, LOCK_UN) == 0)
    let held = try LockedFile(path, patience: .zero)
    #expect(throws: LockedFile.Failure.locked) { try LockedFile(path, patience: .zero) }
    withExtendedLifetime(held) {}
  }

  /// A file that another process writes may have been given old times already.
  @Test func leftoversThatAreInUseStay() throws {
    let name = ".nocturne-0123456789abcdef.partial"
    try folder.write([1], as: name)
    let times = [timeval(tv_sec: time(nil) - 7_200, tv_usec: 0), timeval(tv_sec: time(nil) - 7_200, tv_usec: 0)]
    #expect(utimes(folder.file(name).string, times) == 0)
    let file = try FileDescriptor.open(folder.file(name), .readOnly)
    defer { try? file.close() }
    #expect(flock(file.rawValue, LOCK_EX) == 0)
    try FileReplacement.write([1], to: path)
    #expect(try names == [name, "a"].sorted())
  }
}
