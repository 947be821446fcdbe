import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@Suite(.bounded) struct FileLockTests {
  @Test func oneHoldsItAtATime() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("lock")
    var first = try FileLock(path)
    #expect(first != nil)
    #expect(try FileLock(path) == nil)
    first = nil
    #expect(try FileLock(path) != nil)
  }

  @Test func linksAreNotFollowed() throws {
    let folder = try TemporaryDirectory()
    let target = folder.file("elsewhere")
    try FileManager.default.createSymbolicLink(atPath: folder.file("lock").string, withDestinationPath: target.string)
    #expect(throws: Errno.self) { try FileLock(folder.file("lock")) }
    #expect(!FileManager.default.fileExists(atPath: target.string))
  }
}
