import Analysis
import AnalysisTesting
import LibraryTesting
import SystemPackage
import Testing

@testable import ResultStore

/// `/music` is on device 7; `/music/usb` was the mount point of device 9.
@Suite(.bounded) struct MissingDiskTests {
  private func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    library.put("/music/here.flac")
    for name in ["a", "b"] { put(FilePath("/music/usb/album/\(name).flac"), device: 9, in: library) }
    library.folders = ["/music": (7, false), "/music/usb": (9, false), "/music/usb/album": (9, false)]
    try library.night()
    return library
  }

  private func put(_ path: FilePath, device: UInt64, in library: ScannedLibrary) {
    var file = library.put(path)
    file.device = device
    library.put(file)
  }

  private func remove(_ names: [String], from library: ScannedLibrary) {
    for name in names { library.remove(FilePath("/music/usb/album/\(name).flac")) }
  }

  private func scan(_ library: ScannedLibrary) throws -> ScanSession {
    try library.beginRun()
    let scan = library.scan()
    _ = try scan.classify(library.all)
    try scan.markVanished(in: [VanishScope(root: "/music")])
    return scan
  }

  @Test func filesOfADiskThatIsNotMountedStay() throws {
    let library = try library()
    remove(["a", "b"], from: library)
    library.folders = ["/music": (7, false), "/music/usb": (7, true)]
    let scan = try scan(library)
    #expect(scan.counts.vanished == 0 && scan.counts.cached == 1)
    #expect(scan.missingDisks.map(\.folder) == ["/music/usb"] && scan.missingDisks.map(\.fileCount) == [2])
    #expect(try library.records().count == 3)
    // Mounted again, with another number.
    for name in ["a", "b"] { put(FilePath("/music/usb/album/\(name).flac"), device: 11, in: library) }
    #expect(try self.scan(library).counts.cached == 3)
  }

  @Test func filesRemovedFromADiskThatIsThereVanish() throws {
    let library = try library()
    remove(["a", "b"], from: library)
    library.folders = ["/music": (7, false), "/music/usb": (9, true)]
    #expect(try scan(library).counts.vanished == 2)
  }

  @Test func diskThatGoesDuringTheScanIsMissing() throws {
    let library = try library()
    try library.beginRun()
    library.folders = ["/music": (7, false), "/music/usb": (7, true)]
    let scan = library.scan()
    // One of its files was met before.
    _ = try scan.classify(library.all.filter { $0.path != "/music/usb/album/b.flac" })
    remove(["a", "b"], from: library)
    try scan.markVanished(in: [VanishScope(root: "/music")])
    #expect(scan.counts.vanished == 0)
    #expect(scan.missingDisks.map(\.folder) == ["/music/usb"] && scan.missingDisks.map(\.fileCount) == [1])
  }

  @Test func diskWithAnotherNumberIsThere() throws {
    let library = try library()
    put("/music/usb/other/c.flac", device: 9, in: library)
    try library.night()
    // One album removed, and everything mounted again.
    remove(["a", "b"], from: library)
    put("/music/usb/other/c.flac", device: 11, in: library)
    library.folders = ["/music": (7, false), "/music/usb": (11, false), "/music/usb/album": (11, true)]
    let scan = try scan(library)
    #expect(scan.counts.vanished == 2 && scan.missingDisks.isEmpty)
  }

  @Test func folderWithSomethingInItIsNoMountPoint() throws {
    let library = try library()
    remove(["a", "b"], from: library)
    library.folders = ["/music": (7, false), "/music/usb": (7, false)]
    #expect(try scan(library).counts.vanished == 2)
  }

  @Test func mountPointThatIsGoneMeansThatTheDiskIs() throws {
    let library = try library()
    remove(["a", "b"], from: library)
    library.folders = ["/music": (7, false)]
    #expect(try scan(library).counts.vanished == 2)
  }
}
