internal import Platform
public import SystemPackage

/// A fetched object, stored in a local file with the object's name. The file is removed when this instance is
/// deinitialized.
public final class FetchedObject: Sendable {
  public let path: FilePath
  /// Size in bytes.
  public let size: Int
  public let version: ObjectVersion
  private let folder: FilePath
  private let reservation: FetchSpace.Reservation

  init(_ download: Download, _ version: ObjectVersion) {
    path = download.path
    size = download.written
    self.version = version
    folder = download.folder
    reservation = download.reservation
    download.isKept = true
  }

  deinit { folder.removeAll() }
}

/// The file to which an object is written while it is being fetched.
final class Download {
  let folder: FilePath
  let path: FilePath
  let reservation: FetchSpace.Reservation
  private let descriptor: FileDescriptor
  /// Number of bytes written so far.
  private(set) var written = 0
  /// `true` once a `FetchedObject` owns the file.
  var isKept = false

  /// Maximum length of a file name on common file systems, in bytes.
  private static let maxNameLength = 255

  init(named name: [UInt8], in space: FetchSpace, _ reservation: FetchSpace.Reservation) throws(FetchFailure) {
    self.reservation = reservation
    folder = try space.makeFolder()
    path = folder.appending(Self.fileName(name))
    do {
      descriptor = try .open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec], permissions: .ownerReadWrite)
    } catch {
      folder.removeAll()
      throw FetchFailure(.noSpace, "No file can be created in \(DisplayPath.text(of: folder)): \(error).")
    }
  }

  deinit {
    try? descriptor.close()
    if !isKept { folder.removeAll() }
  }

  private static func fileName(_ name: [UInt8]) -> FilePath.Component {
    if name.count <= maxNameLength, let component = FilePath(bytes: name).lastComponent, component.kind == .regular {
      return component
    }
    // The extension is kept, because decoders use it.
    let ending = name.lastIndex(of: UInt8(ascii: ".")).map { name[$0...] } ?? []
    let short = ending.count <= 16 ? Array("object".utf8) + ending : Array("object".utf8)
    return FilePath(bytes: short).lastComponent ?? "object"
  }

  func append(_ bytes: [UInt8]) throws(FetchFailure) {
    guard written + bytes.count <= reservation.bytes else {
      throw FetchFailure(
        .tooLarge,
        "The object is larger than the \(reservation.bytes >> 20) MB that are available for it (--fetch-space).")
    }
    do {
      _ = try descriptor.writeAll(bytes)
    } catch {
      throw FetchSpace.full(folder.removingLastComponent(), "\(error)")
    }
    written += bytes.count
  }

  func startOver() throws(FetchFailure) {
    do {
      try descriptor.truncate(to: 0)
    } catch {
      throw FetchFailure(.noSpace, "The file of the object cannot be rewritten: \(error).")
    }
    written = 0
  }
}
