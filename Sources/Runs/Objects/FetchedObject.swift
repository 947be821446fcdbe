internal import Platform
public import SystemPackage

/// An object on the disk of this machine, in a file with its name. The file goes with the value.
public final class FetchedObject: Sendable {
  public let path: FilePath
  /// Bytes.
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

/// The file that an object is written to while it is fetched.
final class Download {
  let folder: FilePath
  let path: FilePath
  let reservation: FetchSpace.Reservation
  private let descriptor: FileDescriptor
  /// Bytes that are there.
  private(set) var written = 0
  /// Whether the file is another object's to remove.
  var isKept = false

  /// The most bytes of a name on common file systems.
  private static let longestName = 255

  init(named name: [UInt8], in space: FetchSpace, _ reservation: FetchSpace.Reservation) throws(FetchFailure) {
    self.reservation = reservation
    folder = try space.makeFolder()
    path = folder.appending(Self.fileName(name))
    do {
      descriptor = try .open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec], permissions: .ownerReadWrite)
    } catch {
      folder.removeAll()
      throw FetchFailure(.noSpace, "No file can be made in \(DisplayPath.text(of: folder)): \(error).")
    }
  }

  deinit {
    try? descriptor.close()
    if !isKept { folder.removeAll() }
  }

  private static func fileName(_ name: [UInt8]) -> FilePath.Component {
    if name.count <= longestName, let component = FilePath(bytes: name).lastComponent, component.kind == .regular {
      return component
    }
    // Decoders look at extensions.
    let ending = name.lastIndex(of: UInt8(ascii: ".")).map { name[$0...] } ?? []
    let short = ending.count <= 16 ? Array("object".utf8) + ending : Array("object".utf8)
    return FilePath(bytes: short).lastComponent ?? "object"
  }

  func append(_ bytes: [UInt8]) throws(FetchFailure) {
    guard written + bytes.count <= reservation.bytes else {
      throw FetchFailure(
        .tooLarge,
        "The object has more than \(reservation.bytes >> 20) MB, which is all that there is for it (--fetch-space).")
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
      throw FetchFailure(.noSpace, "The file of the object cannot be written again: \(error).")
    }
    written = 0
  }
}
