import AnalysisTesting
import Foundation
import SystemPackage
import Testing

@testable import Platform

@Suite(.bounded) struct OpenFolderTests {
  private let outside: TemporaryDirectory
  private let place: TemporaryDirectory
  private let folder: OpenFolder

  init() throws {
    outside = try TemporaryDirectory()
    place = try TemporaryDirectory()
    try outside.write([1], as: "file")
    try FileManager.default.createDirectory(atPath: place.file("a/b").string, withIntermediateDirectories: true)
    try place.write([2, 2], as: "a/b/file")
    for (name, target) in [
      ("out", outside.path.string), ("a/out", outside.path.string), ("within", "a/b"), ("a/b/up", "../.."),
      ("a/b/link", "file"), ("a/b/far", outside.file("file").string),
    ] { try FileManager.default.createSymbolicLink(atPath: place.file(name).string, withDestinationPath: target) }
    folder = try OpenFolder(place.path)
  }

  private func size(_ path: FilePath, _ links: OpenFolder.Links) throws -> Int64 {
    let file = try folder.file(path, links: links)
    defer { try? file.close() }
    return try FileStatus(of: file).size
  }

  /// The behavior on systems without openat2(2).
  private func sizeByName(_ path: FilePath) throws -> Int64 {
    let file = FileDescriptor(rawValue: try folder.openByName(path))
    defer { try? file.close() }
    return try FileStatus(of: file).size
  }

  @Test(arguments: ["out/file", "a/out/file", "within/file", "a/b/up/a/b/file", "a/b/link", "a/b/far", "out"])
  func linksAreRefused(path: FilePath) {
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try size(path, .refused) }
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try sizeByName(path) }
  }

  @Test func linksAreFollowedAsFarAsWanted() throws {
    #expect(try size("a/b/file", .refused) == 2 && sizeByName("a/b/file") == 2)
    for path: FilePath in ["within/file", "a/b/up/a/b/file", "a/b/link"] {
      #expect(try size(path, .followedWithin) == 2)
    }
    for path: FilePath in ["out/file", "a/out/file", "a/b/far"] {
      #expect(throws: Errno.tooManySymbolicLinkLevels) { try size(path, .followedWithin) }
      #expect(try size(path, .followed) == 1)
    }
    let below = try folder.folder("a/b", links: .refused)
    try below.file("file", links: .refused).close()
    try folder.folder("", links: .refused).file("a/b/file", links: .refused).close()
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try folder.folder("within", links: .refused) }
  }

  @Test func whatIsNotThereIsNoLink() {
    for path: FilePath in ["none", "a/none/file", "none/file"] {
      #expect(throws: Errno.noSuchFileOrDirectory) { try size(path, .refused) }
      #expect(throws: Errno.noSuchFileOrDirectory) { try sizeByName(path) }
    }
    #expect(throws: Errno.notDirectory) { try size("a/b/file/x", .refused) }
    #expect(throws: Errno.notDirectory) { try sizeByName("a/b/file/x") }
    #expect(throws: (any Error).self) { try size("../x", .refused) }
    #expect(throws: (any Error).self) { try sizeByName("../x") }
  }
}
