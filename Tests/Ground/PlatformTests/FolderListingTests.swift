import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing

@Suite(.bounded) struct FolderListingTests {
  private let folder: TemporaryDirectory
  /// A file name in a legacy encoding.
  private let odd = FilePath(bytes: [0xE9, 0xFF, UInt8(ascii: "a")])

  init() throws {
    folder = try TemporaryDirectory()
    try folder.write([], as: "b")
    try folder.write([], as: ".hidden")
    try folder.path.pushing(odd).makeFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.file("a").string, withDestinationPath: "nowhere")
    #expect(mkfifo(folder.file("pipe").string, 0o600) == 0)
  }

  @Test func namesAreBytesAndSorted() throws {
    let listing = try FolderListing(of: folder.path)
    let names = [".hidden", "a", "b", "pipe"].map { Array($0.utf8) } + [odd.bytes]
    #expect(listing.entries.map { Array(listing.name($0)) } == names)
    #expect(listing.entries.map(\.kind) == [.regular, .link, .regular, .fifo, .folder])
    #expect(try listing.names() == names.map { FilePath(bytes: $0).lastComponent })
    #expect(try listing.key == FileStatus(at: folder.path, followingLinks: true).key)
    #expect(listing.contains(odd.bytes) && !listing.contains(Array("..".utf8)))
    #expect(try FolderListing.names(in: folder.path.pushing(odd)).isEmpty)
  }

  @Test func noMoreAreReadThanWanted() throws {
    #expect(try FolderListing(of: folder.path, limit: 2).entries.count == 2)
    #expect(try FolderListing(of: OpenFolder(folder.path), limit: 4).entries.count == 4)
    #expect(try FolderListing(of: OpenFolder(folder.path), limit: 5).entries.count == 5)
  }

  @Test func errorsAreNotEmptyFolders() throws {
    #expect(throws: Errno.noSuchFileOrDirectory) { try FolderListing.names(in: folder.file("none")) }
    #expect(throws: Errno.notDirectory) { try FolderListing.names(in: folder.file("b")) }
    #expect(chmod(folder.path.string, 0o311) == 0)
    defer { chmod(folder.path.string, 0o755) }
    withoutPrivileges {
      #expect(throws: Errno.permissionDenied) { try FolderListing.names(in: folder.path) }
      #expect(throws: Errno.permissionDenied) { try FolderListing(of: OpenFolder(folder.path)) }
    }
  }

  @Test func linksAreFollowedIfWanted() throws {
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: folder.path.string)
    #expect(try FolderListing.names(in: link).count == 6)
    #expect(throws: Errno.self) { try FolderListing(of: link, followingLinks: false) }
    try FileManager.default.createSymbolicLink(atPath: folder.file("loop").string, withDestinationPath: "loop")
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try FolderListing.names(in: folder.file("loop")) }
  }

  /// The folder is removed while it is open.
  @Test func aFolderThatVanishesHasNoNames() throws {
    let path = folder.file("short")
    try path.makeFolder()
    let open = try OpenFolder(path)
    path.removeAll()
    #expect(throws: Errno.noSuchFileOrDirectory) { try FolderListing.names(in: path) }
    #expect((try? FolderListing(of: open))?.entries.isEmpty != false)
  }
}
