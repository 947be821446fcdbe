public import Foundation
public import Records
public import SystemPackage

/// The data of a page that is not in the records: the history of the library, and more details about some tracks.
public struct PageInput {
  /// All runs, oldest first.
  public var runs: [RunOutline]
  /// `true` to include vanished files as rows of the table.
  public var showsVanished: Bool
  /// The time zone for the times on the page.
  public var timeZone: TimeZone
  /// Name and version of the program, as the page shows them.
  public var program: String
  /// Audio descriptors; `nil` if there are none to compare.
  public var sound: Sound?
  /// Duplicates; `nil` if there are none, or if they were not searched for.
  public var duplicates: PageDuplicates?
  /// Reads the records of some files with the named long fields. Calls `body` with the position of each file in the
  /// list and its record until `body` returns `false`. If the reader is `nil`, the page has no curves and beats.
  public var longRecords: Reader?

  /// Reduces audio descriptors to fewer numbers while nearly preserving the angles between them.
  public struct Sound {
    /// The number of values after reduction.
    public var width: Int
    /// Returns the reduced values; `nil` if the bytes are not a descriptor.
    public var reduced: ([UInt8]) -> [Int8]?

    public init(width: Int, reduced: @escaping ([UInt8]) -> [Int8]?) {
      self.width = width
      self.reduced = reduced
    }
  }

  public typealias Reader = (
    _ files: [FilePath], _ long: Set<String>, _ body: (Int, FileRecord) throws -> Bool
  ) throws -> Void

  public init(
    runs: [RunOutline] = [], showsVanished: Bool = false, timeZone: TimeZone = .current, program: String = "Nocturne",
    sound: Sound? = nil, duplicates: PageDuplicates? = nil, longRecords: Reader? = nil
  ) {
    self.runs = runs
    self.showsVanished = showsVanished
    self.timeZone = timeZone
    self.program = program
    self.sound = sound
    self.duplicates = duplicates
    self.longRecords = longRecords
  }
}
