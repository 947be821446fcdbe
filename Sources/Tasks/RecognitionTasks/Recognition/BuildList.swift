internal import Analysis
internal import Foundation
internal import Platform
internal import Recognition
internal import SystemPackage
internal import Text

/// The tracks that `catalog build` has added to a catalog from one database. The next build uses the list to determine
/// which tracks are new, which have changed, and which were removed or added by hand. Tracks that were removed or added
/// by hand are left alone.
///
/// The list is a text file in the folder of the catalog. It has a title line, the path of the database, and one line
/// per track with the content id and the digest of the media item, or `-` while the track is being added. The file name
/// says which part of a catalog is built in the folder.
struct BuildList {
  enum State: Equatable {
    /// The track may be missing from the catalog, because a build may have ended while adding it.
    case begun
    case done(ContentID)
  }

  enum Condition {
    case whole, missing, damaged
  }

  static let fileExtension = ".build"

  let file: FilePath
  let condition: Condition
  private let database: FilePath
  private(set) var states: [ContentID: State] = [:]

  private static let title = "nocturne catalog build 1"

  init(in directory: FilePath, database: FilePath, partition: CatalogPartition?) throws {
    self.database = database
    let name = ContentID(hashing: Array(DisplayPath.text(of: database).utf8))
    file = directory.appending("\(name)\(partition?.buildListSuffix ?? "")\(Self.fileExtension)")
    guard file.fileKind != nil else {
      condition = .missing
      return
    }
    guard let states = Self.states(in: String(decoding: try SmallFile.read(file, limit: 1 << 30), as: UTF8.self)) else {
      condition = .damaged
      return
    }
    self.states = states
    condition = .whole
  }

  /// - Returns: `nil` if the text is not a build list, or is truncated.
  private static func states(in text: String) -> [ContentID: State]? {
    let lines = text.split(separator: "\n")
    guard lines.count >= 2, lines[0] == title, text.hasSuffix("\n") else { return nil }
    var states: [ContentID: State] = [:]
    for line in lines.dropFirst(2) {
      let words = line.split(separator: " ")
      guard words.count == 2, let id = ContentID(String(words[0])) else { return nil }
      guard words[1] != "-" else {
        states[id] = .begun
        continue
      }
      guard let digest = ContentID(String(words[1])) else { return nil }
      states[id] = .done(digest)
    }
    return states
  }

  subscript(_ id: ContentID) -> State? {
    get { states[id] }
    set { states[id] = newValue }
  }

  func write() throws {
    var text = "\(Self.title)\n\(printable(DisplayPath.text(of: database)))\n"
    for (id, state) in states.map({ ($0.key.description, $0.value) }).sorted(by: { $0.0 < $1.0 }) {
      switch state {
      case .begun: text += "\(id) -\n"
      case .done(let digest): text += "\(id) \(digest)\n"
      }
    }
    do {
      try FileReplacement.write(text.utf8, to: file)
    } catch {
      throw CatalogError.unwritable(path: file.string, reason: "\(error)")
    }
  }
}
