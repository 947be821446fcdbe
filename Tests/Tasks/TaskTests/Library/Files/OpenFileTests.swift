import AnalysisTesting
import Foundation
import Glibc
import LibraryStore
import LibraryTasks
import Platform
import ResultStore
import SystemPackage
import Testing

@Suite(.bounded) struct OpenFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private var device: UInt64 { (try? FileStatus(at: folder.path, followingLinks: true).key.device) ?? 0 }

  private func track(_ path: FilePath, size: Int64? = nil, inode: UInt64? = nil) -> TrackFile {
    var track = TrackFile(path: path, container: "wav", codec: "pcm_s16")
    track.size = size
    track.key = inode.map { FileKey(device: device, inode: $0) }
    track.linkScope = [folder.path]
    return track
  }

  /// The track of a file that the last run has seen.
  private func seen(_ path: FilePath) throws -> TrackFile {
    let file = try #require(FileIdentity(path))
    return track(path, size: file.size, inode: file.inode)
  }

  private func put(_ text: String, as name: String) throws -> FilePath {
    let path = folder.file(name)
    try Data(text.utf8).write(to: URL(filePath: path.string))
    return path
  }

  @Test func readsWhatIsAsked() throws {
    let file = try OpenFile(seen(put("0123456789", as: "a")))
    #expect(file.size == 10)
    #expect(try file.read(3, at: 4) == Array("456".utf8))
    #expect(throws: OpenFile.Failure.shortened) { try file.read(3, at: 8) }
  }

  @Test func aPipeOrAFolderIsNotWaitedFor() throws {
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.string, 0o600) == 0)
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track(pipe)) }
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track(folder.path)) }
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track("/dev/zero")) }
    #expect(throws: OpenFile.Failure.missing) { try OpenFile(track(folder.file("none"))) }
  }

  @Test func aLinkLeadsOnlyToWhatTheRunHasSeen() throws {
    let target = try put("0123456789", as: "target")
    let link = folder.file("link")
    #expect(symlink(target.string, link.string) == 0)
    var status = stat()
    #expect(stat(target.string, &status) == 0)
    let inode = UInt64(status.st_ino)
    #expect(try OpenFile(track(link, size: 10, inode: inode)).size == 10)
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track(link, size: 11, inode: inode)) }
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track(link, size: 10, inode: inode + 1)) }
    #expect(throws: OpenFile.Failure.replaced) { try OpenFile(track(link)) }
  }
}
