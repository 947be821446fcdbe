public import Foundation
public import Records
public import SystemPackage

/// The data of a page beside the records: the history of the library, and more about some tracks.
public struct PageSource {
  /// All runs, oldest first.
  public var runs: [RunOutline]
  /// Files that are gone are rows of the table, too.
  public var showsVanished: Bool
  /// In which the page writes times.
  public var timeZone: TimeZone
  /// Says of which version of the program the page is.
  public var program: String
  /// `nil` if there are no descriptors of sound to compare.
  public var sound: Sound?
  /// `nil` if there are none, or they were not looked for.
  public var duplicates: PageDuplicates?
  /// Calls its last argument with the records of some files that were read with the long fields named, and with their
  /// place in the list, until that returns false. `nil`: the page does without curves and beats.
  public var longRecords: Reader?

  /// Makes fewer numbers of a descriptor of sound, whose angles are nearly those of the descriptors.
  public struct Sound {
    /// How many numbers.
    public var width: Int
    /// `nil` of what is no descriptor.
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
