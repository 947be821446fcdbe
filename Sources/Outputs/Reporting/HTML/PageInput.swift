public import Foundation
public import Records
public import SystemPackage

/// Data of a page other than the records: the history of the library, and more about some tracks.
public struct PageInput {
  /// All runs, oldest first.
  public var runs: [RunOutline]
  /// Also lists vanished files as rows of the table.
  public var showsVanished: Bool
  /// Time zone of the times on the page.
  public var timeZone: TimeZone
  /// Name and version of the program, as the page shows them.
  public var program: String
  /// `nil` if there are no audio descriptors to compare.
  public var sound: Sound?
  /// `nil` if there are none, or they were not searched for.
  public var duplicates: PageDuplicates?
  /// Calls its last argument with the records of some files, read with the named long fields, and with their positions
  /// in the list, until that returns `false`. If `nil`, the page has no curves and beats.
  public var longRecords: Reader?

  /// Reduces an audio descriptor to fewer numbers with nearly the same angles.
  public struct Sound {
    /// Number of reduced values.
    public var width: Int
    /// `nil` if the value is not a descriptor.
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
