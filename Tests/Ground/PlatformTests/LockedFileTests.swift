import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing

@testable import Platform

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

  /// Number of descriptors of this process that are open at `path`.
  private func openCount() throws -> Int {
    try FolderListing.names(in: "/proc/self/fd").count { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name.string)")) == path.string
    }
  }

  /// Nothing keeps the file open or locked afterwards.
  @Test func locksEndWithTheirObject() throws {
    #expect(try openCount() == 0)
    var held: LockedFile? = try LockedFile(path, patience: .zero)
    #expect(try openCount() == 1)
    #expect(throws: LockedFile.Failure.locked) { try LockedFile(path, patience: .zero) }
    #expect(try openCount() == 1)
    try held?.takeLease()
    held = nil
    #expect(try openCount() == 0)
    let again = try LockedFile(path, patience: .zero)
    #expect(again.identity == FileIdentity(path) && again.path == path)
    try replace(exchanges: true, again)
    #expect(try text == "new")
  }

  private func replace(exchanges: Bool, _ held: LockedFile) throws {
    let file = try FileReplacement(path)
    try file.write(Array("new".utf8))
    try file.commit(replacing: held, exchanges: exchanges) { true }
  }

  @Test func locksAreWaitedFor() throws {
    let file = try FileDescriptor.open(path, .readOnly)
    #expect(flock(file.rawValue, LOCK_EX) == 0)
    Thread.detachNewThread {
      usleep(30_000)
      try? file.close()
    }
    let held = try LockedFile(path, patience: .seconds(60))
    #expect(throws: LockedFile.Failure.locked) { try LockedFile(path, patience: .milliseconds(1)) }
    withExtendedLifetime(held) {}
  }

  /// A program that opens the file for writing is noticed, and gets it when the lease has ended.
  @Test func leasesRevealWriters() throws {
    let held = try LockedFile(path, patience: .zero)
    #expect(!held.holdsLease && !held.isWriterWaiting)
    held.endLease()
    for _ in 0..<2 {
      try held.takeLease()
      try held.takeLease()
      #expect(held.holdsLease && !held.isWriterWaiting)
      #expect(throws: Errno.wouldBlock) { try FileDescriptor.open(path, .writeOnly, options: .nonBlocking) }
      #expect(!held.holdsLease && held.isWriterWaiting)
      held.endLease()
      #expect(!held.holdsLease && !held.isWriterWaiting)
      let writer = try FileDescriptor.open(path, .writeOnly, options: .nonBlocking)
      #expect(throws: LockedFile.Failure.openForWriting) { try held.takeLease() }
      #expect(!held.holdsLease && !held.isWriterWaiting)
      try writer.close()
    }
  }

  @Test func missingFilesAreNotLocked() throws {
    try path.rename(to: folder.file("b"))
    #expect(throws: LockedFile.Failure.system(.noSuchFileOrDirectory)) { try LockedFile(path, patience: .zero) }
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
