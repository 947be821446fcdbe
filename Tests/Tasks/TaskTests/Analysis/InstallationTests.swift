import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing

@testable import AnalysisTasks

/// Findings of `doctor` about an installation and storage.
@Suite(.bounded) struct InstallationTests {
  private let folder: TemporaryDirectory
  private let installation: Installation

  init() throws {
    folder = try TemporaryDirectory()
    let root = folder.path
    installation = Installation(
      executable: root.pushing("usr/bin/analyze"),
      searchPath: [root.pushing("usr/local/bin"), root.pushing("usr/bin")],
      home: root.pushing("home/me"), configuration: root.pushing("home/me/.config"), user: "me", root: root)
    try put("", as: "usr/bin/analyze", permissions: 0o755)
  }

  private func put(_ text: String, as name: String, permissions: Int = 0o644) throws {
    let path = folder.path.pushing(FilePath(name))
    try FileManager.default.createDirectory(
      atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
    try text.write(toFile: path.string, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path.string)
  }

  private var texts: [String] { installation.findings().map(\.text) }
  private var problems: [String] { installation.findings().filter { !$0.isFine }.map(\.text) }

  @Test func manualAndCompletionsAreThoseBesideTheProgram() throws {
    #expect(texts.contains { $0.hasPrefix("no manual page and completions") })
    try put("", as: "usr/share/man/man1/analyze.1.gz")
    try put("", as: "usr/share/zsh/vendor-completions/_analyze")
    #expect(texts.contains("installed with it: manual page, zsh"))
    #expect(problems.isEmpty)
  }

  @Test func curlIsMissed() throws {
    #expect(texts.contains { $0.hasPrefix("curl not found") } && problems.isEmpty)
    try put("", as: "usr/bin/curl", permissions: 0o755)
    #expect(!texts.contains { $0.contains("curl") })
  }

  @Test func anotherProgramInFrontIsNamed() throws {
    try put("", as: "usr/local/bin/analyze", permissions: 0o644)
    #expect(problems.isEmpty)
    try put("", as: "usr/local/bin/analyze", permissions: 0o755)
    #expect(problems.count == 1 && problems[0].contains("usr/local/bin/analyze"), "\(problems)")
    // A link to the same program is fine, and so is a program that was started by its path.
    let other = folder.path.pushing("usr/local/bin/analyze").string
    try FileManager.default.removeItem(atPath: other)
    try FileManager.default.createSymbolicLink(
      atPath: other, withDestinationPath: folder.path.pushing("usr/bin/analyze").string)
    #expect(problems.isEmpty, "\(problems)")
  }

  @Test func aServiceThatStartsNothingIsWrong() throws {
    let program = folder.path.pushing("usr/bin/analyze").string
    try put("[Service]\nExecStart=\(program) %h/Music\n", as: "usr/lib/systemd/user/nocturne.service")
    #expect(problems.isEmpty, "\(problems)")
    // The user's own unit takes precedence.
    try put("[Service]\nExecStart=/nowhere/analyze %h/Music\n", as: "home/me/.config/systemd/user/nocturne.service")
    #expect(problems.count == 1 && problems[0].contains("/nowhere/analyze"), "\(problems)")
    #expect(problems.first?.contains("systemctl --user edit nocturne.service") == true, "\(problems)")
  }

  @Test func timersAreEnabledForTheUserOrForTheMachine() throws {
    #expect(!texts.contains { $0.contains("timer") })
    try put("", as: "usr/lib/systemd/user/nocturne.timer")
    #expect(texts.contains { $0.contains("nocturne.timer is not enabled") })
    try put("", as: "home/me/.config/systemd/user/timers.target.wants/nocturne.timer")
    #expect(texts.contains { $0.hasPrefix("nocturne.timer is enabled, and works only while me is logged in") })
    try put("", as: "var/lib/systemd/linger/me")
    #expect(texts.contains("nocturne.timer is enabled"))
    try put("", as: "etc/systemd/system/timers.target.wants/nocturne@me.timer")
    #expect(texts.contains("the system's nocturne@me.timer is enabled"))
    #expect(problems.isEmpty)
  }

  @Test func littleRoomIsWrong() {
    #expect(!StorageCheck.room(99 << 20, in: "/x").isFine)
    #expect(StorageCheck.room(100 << 20, in: "/x").isFine)
  }

  @Test func networkDrivesAreWrongForTheDatabaseAlone() {
    let mounts = MountTable(
      lines: Array(
        """
        22 1 8:1 / / rw - ext4 /dev/sda1 rw
        30 22 0:40 / /mnt/music rw - nfs4 nas:/music rw
        31 30 8:2 / /mnt/music/local rw - ext4 /dev/sdb1 rw
        32 22 0:41 / /mnt/a\\040b rw - cifs nas:/a\\040b rw
        33 22 0:42 / /mnt/shared rw - 9p host rw
        """.utf8))
    func isNetwork(_ folder: FilePath) -> Bool { StorageCheck.network(of: folder, mounts).contains { !$0.isFine } }
    #expect(!isNetwork("/home/me") && !isNetwork("/mnt/musical") && !isNetwork("/mnt/music/local/x"))
    #expect(isNetwork("/mnt/music/x") && isNetwork("/mnt/a b") && isNetwork("/mnt/shared"))
  }

  @Test func aDamagedCatalogIsWrong() throws {
    func problems(_ name: String) -> [String] {
      StorageCheck(
        database: folder.path.pushing("data/library.sqlite"), catalog: folder.path.pushing(FilePath(name)),
        reports: folder.path.pushing("reports"), verifiesAll: true
      ).findings().filter { !$0.isFine }.map(\.text)
    }
    #expect(problems("none").isEmpty)
    try put("no catalog", as: "catalog/CATALOG")
    #expect(problems("catalog").count == 1, "\(problems("catalog"))")
  }
}
