internal import Foundation
internal import Platform
internal import Recognition
package import SystemPackage

/// Checks storage: permissions, free space, the kind of disk, and whether the catalog can be read.
package struct StorageCheck {
  package var database: FilePath
  package var catalog: FilePath?
  package var reports: FilePath
  /// `true` to verify the whole catalog.
  package var verifiesAll = false

  package init(database: FilePath, catalog: FilePath?, reports: FilePath, verifiesAll: Bool = false) {
    self.database = database
    self.catalog = catalog
    self.reports = reports
    self.verifiesAll = verifiesAll
  }

  package func findings() -> [Checkup.Finding] { permissions + disk + catalogFindings }

  // MARK: Permissions

  /// Checks that the database and its folder, the folder of the reports, and the catalog are writable if they exist and
  /// are not on a read-only disk. SQLite creates its additional files in the folder of the database, owned by the user
  /// who ran `analyze`.
  private var permissions: [Checkup.Finding] {
    let folder = database.removingLastComponent()
    let files = ["", "-wal", "-shm"].map { FilePath(database.string + $0) }
    let places = [folder.isEmpty ? "." : folder] + files + [reports] + (catalog.map { [$0] } ?? [])
    return places.filter { $0.exists && !$0.allows(.write) && DiskSpace(holding: $0)?.isReadOnly != true }.map { path in
      let owner = (try? FileManager.default.attributesOfItem(atPath: path.string)[.ownerAccountName]) as? String
      let user = NSUserName()
      return .wrong(
        "\(DisplayPath.text(of: path)) cannot be written by \(user)"
          + (owner.map { $0 == user ? "" : ", it belongs to \($0)" } ?? "")
          + "; if analyze was once run with sudo, give the files back with chown")
    }
  }

  // MARK: The disk

  private static let minFreeSpace = 100 << 20

  private var disk: [Checkup.Finding] {
    // The folder may not exist yet, because the first run creates it.
    var folder = database.removingLastComponent()
    while !folder.exists, folder.removeLastComponent() {}
    if folder.isEmpty { folder = "." }
    guard let disk = DiskSpace(holding: folder) else { return [] }
    guard !disk.isReadOnly else {
      let place = DisplayPath.text(of: folder)
      return [.ok("\(place) is read-only: reports can be written elsewhere, but runs cannot store results")]
    }
    return [Self.room(disk.free, in: folder)] + Self.network(of: folder)
  }

  /// - Parameter free: The free space in bytes.
  static func room(_ free: Int, in folder: FilePath) -> Checkup.Finding {
    let text = "\(free >> 20) MB free at \(DisplayPath.text(of: folder))"
    return free < minFreeSpace ? .wrong("\(text); a run needs at least \(minFreeSpace >> 20) MB") : .ok(text)
  }

  /// Warns about network drives, where SQLite's write-ahead log does not work across machines
  /// (https://www.sqlite.org/wal.html).
  /// - Parameter mounts: The mounts; by default, the current ones.
  static func network(of folder: FilePath, _ mounts: MountTable = MountTable()) -> [Checkup.Finding] {
    guard let mount = mounts.mount(of: (try? folder.resolved()) ?? folder), mount.isOnServer else { return [] }
    return [
      .wrong(
        "the database is on a network drive (\(mount.type)), where SQLite can lose it if two machines use it; put it "
          + "on a disk of this machine with --database, the music can stay where it is")
    ]
  }

  // MARK: The catalog

  private var catalogFindings: [Checkup.Finding] {
    guard let catalog else { return [] }
    let name = "catalog \(DisplayPath.text(of: catalog))"
    guard catalog.exists else { return [.ok("\(name): not there yet, `analyze catalog build` makes it")] }
    do {
      let opened = try CustomCatalog(contentsOf: catalog)
      if verifiesAll { try opened.verify() }
      return [.ok("\(name): \(opened.count) \(opened.count == 1 ? "track" : "tracks")\(verifiesAll ? ", sound" : "")")]
    } catch {
      return [.wrong("\(name): \(error)")]
    }
  }
}
