internal import Foundation
internal import Platform
package import SystemPackage

/// The installation of the program: where it is, its other files, and the timer that starts it every night.
package struct Installation: Sendable {
  package var executable: FilePath
  /// The folders of `PATH`.
  package var searchPath: [FilePath]
  package var home: FilePath
  /// `$XDG_CONFIG_HOME`, which contains the user's own units.
  package var configuration: FilePath
  package var user: String
  /// The folder below which systemd's folders are found, normally `/`.
  package var root: FilePath

  package init(
    executable: FilePath, searchPath: [FilePath], home: FilePath, configuration: FilePath, user: String,
    root: FilePath = "/"
  ) {
    self.executable = executable
    self.searchPath = searchPath
    self.home = home
    self.configuration = configuration
    self.user = user
    self.root = root
  }

  /// The installation of this process.
  package init(environment: [String: String]) {
    let home = FilePath(environment["HOME"] ?? NSHomeDirectory())
    let configuration = FilePath(environment["XDG_CONFIG_HOME"] ?? "")
    self.init(
      executable: FilePath("/proc/self/exe").linkTarget ?? "",
      searchPath: (environment["PATH"] ?? "").split(separator: ":").map { FilePath(String($0)) },
      home: home, configuration: configuration.isAbsolute ? configuration : home.appending(".config"),
      user: NSUserName())
  }

  package func findings() -> [Checkup.Finding] { [program] + others + curl + [belongings] + brokenServices + timers }

  // MARK: The program

  private var program: Checkup.Finding { .ok("program \(DisplayPath.text(of: executable))") }

  /// Reports another `analyze` in `PATH` that a shell would start instead of this program.
  private var others: [Checkup.Finding] {
    guard let own = FileIdentity(executable) else { return [] }
    let found = searchPath.map { $0.appending("analyze") }.filter { $0.allows(.run) }
    guard found.contains(where: { FileIdentity($0) == own }), let first = found.first, FileIdentity(first) != own
    else { return [] }
    return [
      .wrong(
        "PATH finds a different analyze first, \(DisplayPath.text(of: first)), perhaps from an older installation; "
          + "remove one of them"
      )
    ]
  }

  private var curl: [Checkup.Finding] {
    if searchPath.contains(where: { $0.appending("curl").allows(.run) }) { return [] }
    return [.ok("curl not found; music in object stores and AcoustID lookups need it (Debian: apt install curl)")]
  }

  /// Reports on the manual page and the completions, which are in the `share` folder beside the program's folder.
  private var belongings: Checkup.Finding {
    let share = executable.removingLastComponent().removingLastComponent().appending("share")
    let parts = [
      ("manual page", ["man/man1/analyze.1", "man/man1/analyze.1.gz"]),
      ("completions for bash", ["bash-completion/completions/analyze"]),
      ("zsh", ["zsh/site-functions/_analyze", "zsh/vendor-completions/_analyze"]),
      ("fish", ["fish/vendor_completions.d/analyze.fish"]),
    ]
    let there = parts.filter { part in part.1.contains { share.pushing(FilePath($0)).exists } }.map(\.0)
    return there.isEmpty
      ? .ok("no manual page and completions beside this program; `make install` or the package installs them")
      : .ok("installed with it: \(there.joined(separator: ", "))")
  }

  // MARK: Units of systemd

  private func folder(_ path: String) -> FilePath { root.pushing(FilePath(path)) }

  /// The folders of user units, in the search order of systemd (systemd.unit(5)).
  private var userFolders: [FilePath] {
    [
      configuration.pushing("systemd/user"), folder("etc/systemd/user"), home.pushing(".local/share/systemd/user"),
      folder("usr/local/share/systemd/user"), folder("usr/share/systemd/user"), folder("usr/local/lib/systemd/user"),
      folder("usr/lib/systemd/user"),
    ]
  }

  private var systemFolders: [FilePath] {
    [folder("etc/systemd/system"), folder("usr/local/lib/systemd/system"), folder("usr/lib/systemd/system")]
  }

  private var timers: [Checkup.Finding] {
    if isEnabled("nocturne@\(user).timer", by: "timers.target", in: systemFolders) {
      return [.ok("the system's nocturne@\(user).timer is enabled")]
    }
    guard isEnabled("nocturne.timer", by: "timers.target", in: userFolders) else {
      let isInstalled = userFolders.contains { $0.appending("nocturne.timer").exists }
      return isInstalled
        ? [.ok("nocturne.timer is not enabled: systemctl --user enable --now nocturne.timer")] : []
    }
    let lingers = folder("var/lib/systemd/linger").appending(user).exists
    return [
      .ok(
        "nocturne.timer is enabled"
          + (lingers ? "" : ", and works only while \(user) is logged in: loginctl enable-linger changes that"))
    ]
  }

  private func isEnabled(_ unit: String, by target: String, in folders: [FilePath]) -> Bool {
    folders.contains { $0.appending("\(target).wants").appending(unit).exists }
  }

  /// Reports services whose program is missing or not executable, for example because it was moved.
  private var brokenServices: [Checkup.Finding] {
    let services =
      ["nocturne.service", "nocturne-server.service"].map { ($0, userFolders) }
      + ["nocturne@.service", "nocturne-server@.service"].map { ($0, systemFolders) }
    return services.compactMap { name, folders in
      guard let path = folders.map({ $0.appending(name) }).first(where: \.exists),
        let text = try? String(contentsOfFile: path.string, encoding: .utf8),
        let program = Self.program(startedBy: text), !FilePath(program).allows(.run)
      else { return nil }
      return .wrong(
        "\(DisplayPath.text(of: path)) starts \(program), which is missing or not executable; change it with "
          + "systemctl \(folders == userFolders ? "--user " : "")edit \(name), or install analyze there")
    }
  }

  /// Returns the program in the last `ExecStart=` line; `nil` if there is none.
  private static func program(startedBy unit: String) -> String? {
    let lines = unit.split(separator: "\n").filter { $0.hasPrefix("ExecStart=") }
    return lines.last?.dropFirst("ExecStart=".count).split(separator: " ").first.map(String.init)
  }
}
