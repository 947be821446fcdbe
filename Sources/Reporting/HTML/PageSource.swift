public import Foundation
public import Records
public import SystemPackage

/// What a page tells beside the records: the history of the library, and more of some tracks.
public struct PageSource {
  /// All runs, oldest first.
  public var runs: [RunOutline]
  /// Files that are gone are rows of the table, too.
  public var showsVanished: Bool
  /// In which the page writes times.
  public var timeZone: TimeZone
  /// Says of which version of the program the page is.
  public var program: String
  /// Makes 16 signed numbers of a descriptor of sound, whose angles are nearly those of the descriptors. `nil` if there are
  /// no descriptors to compare.
  public var reducedSound: (([UInt8]) -> [Int8]?)?
  /// Calls its last argument with the records of some files that were read with the long fields named, and with their place
  /// in the list, until that returns false. `nil`: the page does without curves and beats.
  public var longRecords: Reader?

  public typealias Reader = (
    _ files: [FilePath], _ long: Set<String>, _ body: (Int, FileRecord) throws -> Bool
  ) throws -> Void

  public init(
    runs: [RunOutline] = [], showsVanished: Bool = false, timeZone: TimeZone = .current, program: String = "Nocturne",
    reducedSound: (([UInt8]) -> [Int8]?)? = nil, longRecords: Reader? = nil
  ) {
    self.runs = runs
    self.showsVanished = showsVanished
    self.timeZone = timeZone
    self.program = program
    self.reducedSound = reducedSound
    self.longRecords = longRecords
  }
}
