import Foundation
import Platform
import SystemPackage

@testable import LibraryScan

/// A folder that is deleted with the last reference to it.
final class TemporaryLibrary {
  let root: FilePath

  init() throws {
    // Resolve links, so paths can be compared.
    let parent = try FilePath(NSTemporaryDirectory()).resolved()
    var template = Array(parent.appending("library-scan-XXXXXX").string.utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
    root = FilePath(platformString: template)
  }

  deinit {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/rm")
    process.arguments = ["-rf", root.string]
    try? process.run()
    process.waitUntilExit()
  }

  subscript(name: String) -> FilePath { root.appending(name) }

  subscript(bytes name: [UInt8]) -> FilePath {
    (root.bytes + [UInt8(ascii: "/")] + name + [0]).withUnsafeBytes {
      FilePath(platformString: $0.baseAddress!.assumingMemoryBound(to: CChar.self))
    }
  }

  func folder(_ name: String) throws {
    try folder(at: self[name])
  }

  func folder(at path: FilePath) throws {
    if path.withPlatformString({ mkdir($0, 0o755) }) == 0 { return }
    guard errno == ENOENT else {
      if errno == EEXIST { return }
      throw Errno(rawValue: errno)
    }
    try folder(at: path.removingLastComponent())
    try folder(at: path)
  }

  @discardableResult
  func file(_ name: String, _ content: String = "sound") throws -> FilePath {
    try file(at: self[name], content)
  }

  @discardableResult
  func file(at path: FilePath, _ content: String = "sound") throws -> FilePath {
    try folder(at: path.removingLastComponent())
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite, .groupRead, .otherRead])
    try file.closeAfter { _ = try file.writeAll(content.utf8) }
    return path
  }

  func link(_ name: String, to target: String) throws {
    try folder(at: self[name].removingLastComponent())
    try check(self[name].withPlatformString { symlink(target, $0) })
  }

  func hardLink(_ name: String, to existing: String) throws {
    try check(
      self[name].withPlatformString { new in self[existing].withPlatformString { old in Glibc.link(old, new) } })
  }

  func fifo(_ name: String) throws {
    try check(self[name].withPlatformString { mkfifo($0, 0o644) })
  }

  func setModified(_ name: String, secondsFromNow: Int) throws {
    var times = [timespec(), timespec()]
    clock_gettime(CLOCK_REALTIME, &times[0])
    times[0].tv_sec += secondsFromNow
    times[1] = times[0]
    try check(self[name].withPlatformString { utimensat(AT_FDCWD, $0, times, 0) })
  }

  func setMode(_ name: String, _ mode: mode_t) throws {
    try check(self[name].withPlatformString { chmod($0, mode) })
  }

  func check(_ result: Int32) throws {
    guard result == 0 else { throw Errno(rawValue: errno) }
  }

  func scan(_ options: LibraryWalker.Options = .init()) throws -> Scan {
    try Scan(roots: [root], options: options, relativeTo: root)
  }
}

/// Everything one walk yielded, with paths relative to a folder.
struct Scan {
  var files: [String] = []
  var skipped: [String: SkipReason] = [:]
  var skippedEntries: [SkippedEntry] = []
  var scannedFiles: [ScannedFile] = []
  var roots: [RootReport] = []
  /// Skipped entries that may hide known files.
  var hiding: [String] { skippedEntries.filter(\.hidesFiles).compactMap { $0.path.lastComponent?.string } }

  init(roots: [FilePath], options: LibraryWalker.Options = .init(), relativeTo base: FilePath) throws {
    var walker = LibraryWalker(roots: roots, options: options)
    func relative(_ path: FilePath) -> String {
      var path = path
      return path.removePrefix(base) ? path.string : "/" + path.string
    }
    while let entry = try walker.next() {
      switch entry {
      case .file(let file):
        files.append(relative(file.path))
        scannedFiles.append(file)
      case .skipped(let entry):
        skipped[relative(entry.path)] = entry.reason
        skippedEntries.append(entry)
      case .root(let report):
        self.roots.append(report)
      }
    }
  }
}
