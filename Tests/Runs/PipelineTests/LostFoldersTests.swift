import AnalysisTesting
import Foundation
import LibraryScan
import Platform
import Records
import SystemPackage
import Testing

@testable import Pipeline

/// Files that disappeared during a run, alone or with their folder or disk.
@Suite(.bounded) struct LostFoldersTests {
  private let folder: TemporaryDirectory
  private let root: FilePath
  private let device: UInt64

  init() throws {
    folder = try TemporaryDirectory()
    root = folder.file("music")
    for name in ["music/album", "music/empty"] {
      try FileManager.default.createDirectory(atPath: folder.file(name).string, withIntermediateDirectories: true)
    }
    try folder.write([1], as: "music/other.wav")
    device = try #require(FolderStatus(at: root)).device
  }

  private func lost(_ names: [String], device: UInt64? = nil) -> LostFolders {
    var lost = LostFolders(roots: [root])
    for name in names { lost.add(root.appending(name), device: device ?? self.device) }
    return lost
  }

  @Test func removedFilesAndFoldersAreNoLoss() {
    // The folder of the third file never existed.
    let lost = lost(["a.wav", "album/b.wav", "gone/deep/c.wav"])
    #expect(lost.folders.isEmpty && lost.otherFiles == 3)
    // Neither is a folder that is empty now, on the same disk.
    #expect(self.lost(["empty/a.wav"]).otherFiles == 1)
    // Nor a file on another disk below a folder that has other files.
    #expect(self.lost(["a.wav"], device: device + 1).otherFiles == 1)
  }

  @Test func disksLeaveEmptyFolders() throws {
    let lost = lost(["empty/a.wav", "empty/b/c.wav", "d.wav"], device: device + 1)
    let loss = try #require(lost.folders.first)
    #expect(lost.folders.count == 1 && lost.otherFiles == 1)
    #expect(loss.path == root.appending("empty") && loss.condition == .empty && loss.fileCount == 2)
    #expect(loss.event == "disk_missing")
    #expect(
      loss.sentence
        == "\(loss.path) became empty during the run: its disk is gone. 2 files in it were not analyzed. Is the drive "
        + "mounted? Nothing in it counts as removed; run again when it is back.")
    // A name with a dot may be left by a file manager.
    try folder.write([], as: "music/empty/.Trash")
    #expect(self.lost(["empty/a.wav"], device: device + 1).folders.count == 1)
    try folder.write([], as: "music/empty/x")
    #expect(self.lost(["empty/a.wav"], device: device + 1).otherFiles == 1)
  }

  @Test func wholeLibrariesMayDisappear() throws {
    try FileManager.default.removeItem(atPath: root.string)
    let lost = lost(["album/a.wav"])
    let loss = try #require(lost.folders.first)
    #expect(loss.path == root && loss.condition == .missing && loss.event == "library_missing")
    #expect(
      loss.sentence(notDone: "read").hasPrefix(
        "\(root) disappeared during the run. 1 file in it was not read. Is the drive mounted?"))
    #expect(self.lost(["a.wav", "album/b.wav"]).folders.map(\.fileCount) == [2])
    // A link to a folder that is gone is gone, too.
    try FileManager.default.createSymbolicLink(
      atPath: root.string, withDestinationPath: folder.file("elsewhere").string)
    #expect(self.lost(["a.wav"]).folders.map(\.condition) == [.missing])
    // A folder that is not a root was removed with its files.
    var other = LostFolders(roots: [folder.file("elsewhere")])
    other.add(root.appending("a.wav"), device: device)
    #expect(other.folders.isEmpty && other.otherFiles == 1)
  }
}
