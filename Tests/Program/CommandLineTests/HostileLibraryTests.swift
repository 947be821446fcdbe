import Analysis
import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing
import Text

/// A library of hostile files only, analyzed with default options: every entry gets its expected result.
@Suite(.bounded) struct HostileLibraryTests {
  @Test func everythingComesOutAsWhatItIs() throws {
    let place = try Workplace()
    for entry in HostileFiles.all { try place.put(entry.bytes, as: entry.name) }
    try place.put(Audio.wav(1), as: "good.wav")
    let outcome = try place.run(
      "--metrics", Argument(place.folder.file("metrics")))
    #expect(outcome.status == 3)
    for entry in HostileFiles.all {
      let record = outcome.file(entry.name)
      #expect(record["status"].textValue == entry.status, "\(entry.name): \(record["error"]) \(record["remarks"])")
      let remarks = record["remarks"].elements.map { $0["code"].textValue }
      if entry.status == "ok" {
        #expect(entry.code.map { remarks.contains($0) } ?? remarks.isEmpty, "\(entry.name): \(record["remarks"])")
      } else {
        #expect(record["error"]["code"].textValue == entry.code, "\(entry.name): \(record["error"])")
      }
      // A failed file has a reason and no findings.
      if entry.status != "ok" { #expect(!record["error"]["message"].textValue.isEmpty, "\(entry.name)") }
      if entry.status == "failed" {
        #expect(record["tempo"] == .null && record["fingerprint"] == .null, "\(entry.name)")
      }
    }
    #expect(outcome.file("good.wav")["status"] == "ok")
    let failed = HostileFiles.all.count { $0.status == "failed" }
    let damaged = HostileFiles.all.count { $0.status == "partial" }
    #expect(outcome.totals["seen"] == HostileFiles.all.count + 1)
    #expect(outcome.totals["failed"] == failed)
    #expect(outcome.totals["partial"] == damaged)
    #expect(outcome.totals["analyzed"] == HostileFiles.all.count - failed - damaged + 1)
    // No process died of it.
    let metrics = try String(contentsOfFile: place.folder.file("metrics").string, encoding: .utf8)
    for cause in ["crash", "exit", "time_limit", "no_answer"] {
      #expect(metrics.contains("nocturne_run_worker_losses{cause=\"\(cause)\"} 0\n"), "\(cause)")
    }
    // It is not reported again the next night.
    let second = try place.run()
    #expect(second.status == 0)
    #expect(second.totals["analyzed"] == nil)
  }

  /// Entries other than files, names that are not text, and links that lead nowhere or into loops.
  @Test func nothingButFilesIsOpened() throws {
    let place = try Workplace()
    let good = Audio.wav(2)
    func path(_ name: String) -> String { place.library.appending(name).string }
    #expect(mkfifo(path("pipe.mp3"), 0o600) == 0)
    try makeSocket(at: path("socket.mp3"))
    for (name, target) in [
      "dangling.mp3": "nowhere.mp3", "itself.mp3": "itself.mp3", "device.mp3": "/dev/zero", "up": "..", "here": ".",
      "one": "two", "two": "one", "kernel": "/proc/self",
    ] { #expect(symlink(target, path(name)) == 0) }
    let deep = (0..<150).map { _ in "d" }.joined(separator: "/")
    try place.put(good, as: "\(deep)/deep.wav")
    try place.makeFolder(place.library.appending("folder.mp3"))
    try place.put(good, as: "folder.mp3/inside.wav")
    let names: [[UInt8]] = [
      [0xFF, 0xFE], Array("two\nlines".utf8), Array("\u{1B}[31mred".utf8), Array("$(reboot);`id`%s%n".utf8),
      [UInt8](repeating: UInt8(ascii: "n"), count: 251),
    ]
    for name in names { try place.put(good, as: FilePath(bytes: name + Array(".wav".utf8))) }
    // A terabyte of nothing.
    try place.put([], as: "sparse.mp3")
    #expect(truncate(path("sparse.mp3"), 1 << 40) == 0)

    let outcome = try place.run()
    #expect(outcome.status == 3)
    let reasons = Dictionary(
      outcome.files.compactMap { file in
        file["status"] == "skipped" ? (file["path"].textValue, file["error"]["code"].textValue) : nil
      }, uniquingKeysWith: { first, _ in first })
    for (name, reason) in [
      "pipe.mp3": "fifo", "socket.mp3": "socket", "dangling.mp3": "dangling_link", "itself.mp3": "link_loop",
      "device.mp3": "device", "one": "link_loop", "two": "link_loop", "kernel": "pseudo_file_system",
    ] { #expect(reasons[path(name)] == reason, "\(name)") }
    #expect(outcome.file("sparse.mp3")["status"] == "failed")
    let analyzed = outcome.files.filter { $0["status"] == "ok" }
    #expect(analyzed.count == 2 + names.count)
    #expect(outcome.totals["seen"] == outcome.files.count)
  }

  /// An unreadable folder is reported once; its results stay, and are valid again when it can be read.
  @Test func unreadableFoldersAreFailures() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "open/a.wav")
    try place.put(Audio.wav(2), as: "closed/b.wav")
    #expect(try place.run(pipeline: "tags-only").totals == ["seen": 2, "analyzed": 2])
    let closed = place.library.appending("closed").string
    #expect(chmod(closed, 0) == 0)
    defer { chmod(closed, 0o755) }
    // Root may read everything.
    guard access(closed, R_OK) != 0 else { return }
    let first = try place.run(pipeline: "tags-only")
    #expect(first.status == 3)
    #expect(first.totals == ["seen": 2, "cached": 1, "failed": 1])
    #expect(first.file("closed")["status"] == "failed")
    #expect(first.file("closed")["error"]["code"] == "unreadable_folder")
    #expect(first.file("b.wav")["status"] == "ok")
    #expect(first.errors.contains("[unreadable_folder]"))
    #expect(try place.run(pipeline: "tags-only").status == 0)
    #expect(chmod(closed, 0o755) == 0)
    let last = try place.run(pipeline: "tags-only")
    #expect(last.totals == ["seen": 2, "cached": 2])
    #expect(last.names == ["b.wav", "a.wav"])
  }

  private func makeSocket(at path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8.prefix(MemoryLayout.size(ofValue: address.sun_path) - 1))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw Errno(rawValue: errno) }
  }
}
