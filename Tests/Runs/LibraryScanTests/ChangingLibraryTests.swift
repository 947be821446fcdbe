import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@testable import LibraryScan

/// Walks of libraries with links, ignore files and changes that are easily confused.
@Suite(.bounded) struct ChangingLibraryTests {
  let library: TemporaryLibrary

  init() throws { library = try TemporaryLibrary() }

  // MARK: - Changes during a walk

  /// Entries that change after their folder was listed, and before their turn comes.
  @Test func entriesMayChangeDuringTheWalk() throws {
    let outside = try TemporaryLibrary()
    try outside.file("x.mp3")
    for name in ["a.mp3", "b/in.mp3", "c.mp3", "d/in.mp3", "e.mp3", "f.mp3", "g/in.mp3", "h.mp3"] {
      try library.file(name)
    }
    var walker = LibraryWalker(roots: [library.root])
    guard case .file(let first)? = try walker.next() else {
      Issue.record("no file")
      return
    }
    #expect(first.path == library["a.mp3"])
    for name in ["b", "c.mp3", "d", "e.mp3", "f.mp3", "g"] {
      try FileManager.default.removeItem(atPath: library[name].string)
    }
    try library.link("d", to: outside.root.string)
    try library.file("e.mp3/in.mp3")
    try library.link("f.mp3", to: outside["x.mp3"].string)
    try library.file("g")
    var found: [String] = []
    while let entry = try walker.next() {
      switch entry {
      case .file(let file): found.append("\(file.path.lastTwo)")
      case .skipped(let entry): found.append("\(entry.path.lastTwo) \(entry.reason) \(entry.isFolder)")
      case .root(let report): found.append("\(report.state)")
      }
    }
    let name = library.root.lastComponent?.string ?? ""
    #expect(
      found == [
        "\(name)/b vanishedWhileScanning true", "\(name)/c.mp3 vanishedWhileScanning false",
        // A folder that has become a link is not entered as a folder.
        "\(name)/d vanishedWhileScanning true",
        // A file that has become a folder is walked, and one that has become a link is followed last.
        "e.mp3/in.mp3", "\(name)/g vanishedWhileScanning true", "\(name)/h.mp3", "\(name)/f.mp3",
        "scanned(fileCount: 4)",
      ])
  }

  // MARK: - Links

  @Test func skippedLinksToFoldersCountAsFolders() throws {
    let outside = try TemporaryLibrary()
    try library.file("real/song.mp3")
    try library.link("again", to: "real")
    try library.link("kernel", to: "/proc")
    try library.link("nas", to: outside.root.string)
    try library.link("up", to: "..")
    try library.link("down.mp3", to: "real/song.mp3")
    let scan = try library.scan()
    #expect(
      scan.skipped == [
        "again": .alreadyScanned, "kernel": .pseudoFileSystem, "nas": .emptyLinkTarget, "up": .linkLoop,
        "down.mp3": .alreadyScanned,
      ])
    let folders = scan.skippedEntries.filter(\.isFolder).compactMap { $0.path.lastComponent?.string }
    #expect(folders == ["again", "kernel", "nas", "up"])
  }

  /// A link may be the only way to a file, which counts for the root of the link.
  @Test func filesBehindLinksCountForTheirRoot() throws {
    let outside = try TemporaryLibrary()
    try outside.file("x.mp3")
    try library.folder("empty")
    try library.link("farm/one.mp3", to: outside["x.mp3"].string)
    let scan = try Scan(roots: [library["farm"], library["empty"]], relativeTo: library.root)
    #expect(scan.files == ["farm/one.mp3"])
    #expect(scan.roots.map(\.state) == [.scanned(fileCount: 1), .empty])
  }

  /// A file that the walk passes over under its own name is reached by a link.
  @Test func linksLeadToFilesThatAreLeftOutUnderTheirOwnNames() throws {
    for name in ["masters/1.mp3", "masters/track", "masters/3.mp3"] { try library.file(name) }
    try library.file(".nocturneignore", "masters/1.mp3\n3.mp3/\n")
    try library.link("a.mp3", to: "masters/1.mp3")
    try library.link("b.mp3", to: "masters/track")
    try library.link("c.mp3", to: "masters/3.mp3")
    let scan = try library.scan()
    #expect(scan.files == ["masters/3.mp3", "a.mp3", "b.mp3"])
    #expect(
      scan.skipped == [
        ".nocturneignore": .hidden, "masters/1.mp3": .ignored, "masters/track": .unknownKind, "c.mp3": .alreadyScanned,
      ])
  }

  /// Patterns with a slash at the end are for folders, and for links to folders.
  @Test func patternsForFoldersMatchFoldersOnly() throws {
    let outside = try TemporaryLibrary()
    try outside.file("x/1.mp3")
    try outside.file("y.mp3")
    for name in ["a.mp3/in.mp3", "b.mp3"] { try library.file(name) }
    try library.link("farm", to: outside["x"].string)
    try library.link("c.mp3", to: outside["y.mp3"].string)
    try library.file(".nocturneignore", "a.mp3/\nb.mp3/\nfarm/\nc.mp3/\n")
    let scan = try library.scan()
    #expect(scan.files == ["b.mp3", "c.mp3"])
    #expect(scan.skipped == [".nocturneignore": .hidden, "a.mp3": .ignored, "farm": .ignored])
    #expect(scan.skippedEntries.filter(\.isFolder).count == 2)
  }

  /// A root that is a name of a hard-linked file does not hide the other names.
  @Test func otherNamesOfAFileThatIsARootAreYielded() throws {
    try library.file("b.mp3")
    try library.hardLink("a.mp3", to: "b.mp3")
    let scan = try Scan(roots: [library["b.mp3"], library.root], relativeTo: library.root)
    #expect(scan.files == ["b.mp3", "a.mp3"])
    #expect(scan.skipped == ["b.mp3": .alreadyScanned])
  }

  // MARK: - Roots

  @Test func rootsThatCannotBeReachedAreNotMissing() throws {
    try library.file("closed/in/song.mp3")
    try library.file("song.mp3")
    try library.setMode("closed", 0)
    defer { try? library.setMode("closed", 0o755) }
    try library.setMode("", 0o755)
    let scan = try withoutPrivileges {
      try Scan(roots: [library["closed/in"], library["song.mp3/x"], library["none"]], relativeTo: library.root)
    }
    #expect(scan.roots.map(\.state) == [.unreadable("Permission denied"), .missing, .missing])
  }

  @Test func aFolderOfChangingFilesIsNotEmpty() throws {
    try library.file("song.mp3")
    let scan = try library.scan(.init(quietPeriod: .seconds(600)))
    #expect(scan.skipped == ["song.mp3": .stillChanging])
    #expect(scan.roots.map(\.state) == [.scanned(fileCount: 0)])
  }

  /// An ignore file above several roots is reported once.
  @Test func anUnreadableIgnoreFileIsReportedOnce() throws {
    try library.fifo(".nocturneignore")
    for name in ["a/1.mp3", "b/1.mp3"] { try library.file(name) }
    let scan = try Scan(roots: [library["a"], library["b"]], relativeTo: library.root)
    #expect(scan.files == ["a/1.mp3", "b/1.mp3"])
    #expect(scan.skippedEntries.map(\.reason) == [.unreadableIgnoreFile])
  }

  // MARK: - Long paths

  /// Files and links whose paths are longer than the system opens are skipped, each with its reason.
  @Test func pathsOfFilesAndLinksHaveALimit() throws {
    let name = String(repeating: "L", count: 200)
    var folder = library.root.withPlatformString { open($0, O_RDONLY | O_DIRECTORY) }
    var length = library.root.bytes.count
    while length + 201 <= PathBuffer.lengthLimit - 8 {
      try library.check(mkdirat(folder, name, 0o755))
      let next = openat(folder, name, O_RDONLY | O_DIRECTORY)
      close(folder)
      folder = next
      length += 201
    }
    // The folder itself can be opened. A slash and the name bring the path to the limit, or one byte beyond it.
    let room = PathBuffer.lengthLimit - length - 1
    let most = String(repeating: "x", count: room - 4) + ".mp3"
    for (isLink, name) in [(false, most), (false, "y" + most), (true, "z" + most)] {
      if isLink {
        try library.check(symlinkat("nowhere", folder, name))
      } else {
        let file = openat(folder, name, O_WRONLY | O_CREAT, 0o644)
        try library.check(file < 0 ? -1 : 0)
        close(file)
      }
    }
    close(folder)
    let scan = try library.scan()
    #expect(scan.scannedFiles.map(\.path.bytes.count) == [4095])
    #expect(scan.skippedEntries.map(\.path.bytes.count) == [4096, 4096])
    #expect(scan.skippedEntries.map(\.reason) == [.pathTooLong, .pathTooLong])
    #expect(scan.skippedEntries.allSatisfy { !$0.isFolder })
  }
}

extension FilePath {
  /// The last two components.
  fileprivate var lastTwo: String { components.suffix(2).map(\.string).joined(separator: "/") }
}
