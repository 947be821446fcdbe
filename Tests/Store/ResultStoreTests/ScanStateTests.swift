import Analysis
import AnalysisTesting
import Platform
import SystemPackage
import Testing

@testable import ResultStore

/// The values with which a scan keeps its state, without a database.
@Suite(.bounded) struct ScanStateTests {
  private static let second: Int64 = 1_000_000_000
  /// Multiple of ten days, so it is a multiple of all precisions below.
  private static let start: Int64 = 1_728_000_000 * second

  // MARK: - Changes

  private func stamp(_ modified: Int64, _ statusChanged: Int64?) -> FileStamp {
    FileStamp(
      path: "/a", device: 1, inode: 2, sizeBytes: 9, modified: Timestamp(nanoseconds: modified),
      statusChanged: statusChanged.map { Timestamp(nanoseconds: $0) })
  }

  /// The status time at two precisions: `true` if the later time, truncated, is the earlier one. Both orders are tried.
  @Test(
    arguments: [
      (1, 1, true), (1, 2, false), (100, 199, true), (100, 200, false), (200, 300, false), (1_000, 1_999, true),
      (1_000, 2_000, false), (1_000_000, 1_999_999, true), (1_000_000, 2_000_000, false),
      (10_000_000, 19_999_999, true), (10_000_000, 20_000_000, false), (second, 2 * second - 1, true),
      (second, 2 * second, false), (2 * second, 4 * second - 1, true), (2 * second, 4 * second, false),
      (1_001, 1_002, false), (101, 199, false),
    ] as [(Int64, Int64, Bool)])
  func precisionsOfFileSystems(earlier: Int64, later: Int64, isSame: Bool) {
    let (a, b) = (Self.start + earlier, Self.start + later)
    let modified = Self.start - 1
    for (known, found) in [(a, b), (b, a)] {
      let file = FileChange.Known(
        sizeBytes: 9, modified: modified, statusChanged: known, looked: Self.start + 100 * Self.second)
      #expect(FileChange.between(file, and: stamp(modified, found)) == (isSame ? .none : .touched))
    }
  }

  /// Age of the times at the scan that saw them, in nanoseconds. A later change would get the same times if the age is
  /// less than the precision, but not if the clock of the file is a day ahead.
  @Test(
    arguments: [
      (1, 9_999_999, FileChange.touched), (1, 10_000_000, .none), (0, 2 * second - 1, .touched), (0, 2 * second, .none),
      (1, -86_400 * second + 1, .touched), (1, -86_400 * second, .none), (1, -86_401 * second, .none),
    ] as [(Int64, Int64, FileChange)])
  func agesThatAreTooShort(fraction: Int64, age: Int64, expected: FileChange) {
    let time = Self.start + fraction
    let old = Self.start - 90 * 86_400 * Self.second
    for (modified, statusChanged) in [(time, nil), (time, old), (old, time)] as [(Int64, Int64?)] {
      let known = FileChange.Known(
        sizeBytes: 9, modified: modified, statusChanged: statusChanged, looked: time + age)
      #expect(FileChange.between(known, and: stamp(modified, statusChanged)) == expected)
    }
  }

  /// A file without a status time is not looked at once more for the lack of it.
  @Test func missingStatusTimeIsNoRecentTime() {
    let known = FileChange.Known(
      sizeBytes: 9, modified: Self.start, statusChanged: nil, looked: Self.start + 90 * Self.second)
    #expect(FileChange.between(known, and: stamp(Self.start, nil)) == .none)
    #expect(FileChange.between(known, and: stamp(Self.start, Self.start)) == .none)
  }

  struct Object: Sendable {
    var known: (size: Int64?, tag: Int64?, modified: Int64?)
    var found: (size: Int64, tag: UInt64, modified: Int64)
    var expected: FileChange
  }

  /// The entity tag decides if both have one; otherwise, the second of the time does.
  @Test(arguments: [
    Object(known: (9, 5, 0), found: (9, 5, 7 * second), expected: .none),
    Object(known: (9, 5, 0), found: (9, 6, 0), expected: .changed),
    Object(known: (9, -1, 0), found: (9, .max, 7 * second), expected: .none),
    Object(known: (8, 5, 0), found: (9, 5, 0), expected: .changed),
    Object(known: (nil, 5, 0), found: (9, 5, 0), expected: .changed),
    Object(known: (9, 0, 0), found: (9, 6, second - 1), expected: .none),
    Object(known: (9, 0, 0), found: (9, 6, second), expected: .changed),
    Object(known: (9, 5, 0), found: (9, 0, second - 1), expected: .none),
    Object(known: (9, 5, 0), found: (9, 0, second), expected: .changed),
    Object(known: (9, 0, 0), found: (9, 0, second - 1), expected: .none),
    Object(known: (9, nil, 0), found: (9, 6, second - 1), expected: .none),
    Object(known: (9, nil, 0), found: (9, 6, second), expected: .changed),
    Object(known: (9, nil, nil), found: (9, 6, 0), expected: .changed),
  ])
  func objectsAreComparedByTheirTags(_ object: Object) {
    let known = FileChange.Known(
      sizeBytes: object.known.size, modified: object.known.modified, statusChanged: nil, looked: nil)
    let found = FileStamp(
      path: "s3:/b/a.wav", device: 0, inode: object.found.tag, sizeBytes: object.found.size,
      modified: Timestamp(nanoseconds: object.found.modified))
    #expect(FileChange.betweenObjects(known, inode: object.known.tag, and: found) == object.expected)
  }

  // MARK: - Sets and counts

  @Test func seenFilesAreASet() {
    var random = SplitMix64.fresh()
    var seen = SeenFiles()
    var expected: Set<Int64> = []
    // Ids on both sides of each word, first in order and then at random.
    var ids: [Int64] = [0, 1, 63, 64, 65, 127, 128, 191, 192, 256, 320, 383, 384, 768, 1_536, 3_135]
    for _ in 0..<200 { ids.append(Int64.random(in: 0..<5_000, using: &random)) }
    for id in ids {
      #expect(!seen.contains(id) == !expected.contains(id))
      let isNew = seen.insert(id)
      #expect(isNew == expected.insert(id).inserted)
      #expect(seen.contains(id))
      let isNewAgain = seen.insert(id)
      #expect(!isNewAgain)
    }
    for id in Int64(0)..<5_100 { #expect(seen.contains(id) == expected.contains(id)) }
  }

  @Test func emptySetHasNothing() {
    let seen = SeenFiles()
    for id in [0, 1, 63, 64, 1 << 40] as [Int64] { #expect(!seen.contains(id)) }
    var first = SeenFiles()
    first.insert(0)
    for id in [1, 63, 64, 65, 128] as [Int64] { #expect(!first.contains(id)) }
  }

  /// Each verdict counts in one place, and the waiting ones in the total as well.
  @Test func verdictsAreCounted() {
    let places: [(ScanVerdict, WritableKeyPath<ScanCounts, Int>)] = [
      (.cached, \.cached), (.knownFailure, \.knownFailures), (.pending(.new), \.new), (.pending(.changed), \.changed),
      (.pending(.touched), \.touched), (.pending(.outdated), \.outdated), (.pending(.retry), \.retried),
    ]
    var all = ScanCounts()
    for (power, (verdict, place)) in places.enumerated() {
      var (counts, expected) = (ScanCounts(), ScanCounts())
      counts.add(verdict)
      expected[keyPath: place] = 1
      #expect(counts == expected)
      #expect(counts.pending == (verdict.pendingReason == nil ? 0 : 1))
      for _ in 0..<(1 << power) { all.add(verdict) }
    }
    // 4 new, 8 changed, 16 touched, 32 outdated, 64 to be tried again.
    #expect(all.pending == 124)
    #expect(ScanCounts().pending == 0 && ScanCounts().cached == 0 && ScanCounts().retried == 0)
  }

  @Test(arguments: [false, true], [false, true]) func skippedFilesAreCounted(isFailure: Bool, failedBefore: Bool) {
    var (counts, expected) = (ScanCounts(), ScanCounts())
    counts.add(
      SkippedFile(path: "/a", code: "odd", message: "Odd.", isFailure: isFailure), failedBefore: failedBefore)
    if !isFailure {
      expected.skipped = 1
    } else if failedBefore {
      expected.knownFailures = 1
    } else {
      expected.newFailures = 1
    }
    #expect(counts == expected)
  }

  // MARK: - Waiting files

  @Test(arguments: PendingReason.allCases) func reasonAndDeathsDoNotDisturbEachOther(reason: PendingReason) {
    #expect(PendingState().with(reason).rawValue == Int64(reason.rawValue))
    #expect(PendingState().reason == nil && PendingState().rawValue == 0)
    for deaths in 0..<20 {
      let state = PendingState().with(reason, deaths: deaths)
      #expect(state.reason == reason)
      #expect(state.with(nil) == PendingState())
      // Files that cost a process come after all others.
      #expect((state.rawValue > PendingState().with(.touched).rawValue) == (deaths > 0))
      // The larger number of deaths counts.
      #expect(state.with(.retry, deaths: 3) == PendingState().with(.retry, deaths: max(deaths, 3)))
      #expect(state.with(.new) == PendingState().with(.new, deaths: deaths))
    }
  }

  // MARK: - Moves and disks

  private func key(_ inode: UInt64) -> ScanSession.MoveSearches.Key {
    ScanSession.MoveSearches.Key(
      FileStamp(path: "/a", device: 1, inode: inode, sizeBytes: 9, modified: Timestamp(nanoseconds: 5)))
  }

  /// Only long searches are remembered; once remembered, each goes on where the last one ended.
  @Test func longSearchesAreRemembered() {
    var searches = ScanSession.MoveSearches()
    #expect(searches.start(key(1)) == 0)
    searches.end(key(1), at: 40, rowCount: 15)
    #expect(searches.start(key(1)) == 0)
    searches.end(key(1), at: 50, rowCount: 16)
    #expect(searches.start(key(1)) == 50 && searches.start(key(2)) == 0)
    searches.end(key(1), at: 51, rowCount: 1)
    #expect(searches.start(key(1)) == 51)
    searches.end(key(2), at: 60, rowCount: 100)
    #expect(searches.start(key(2)) == 60 && searches.start(key(1)) == 51)
  }

  /// The state of each folder is looked up once, whether there is such a folder or not.
  @Test func foldersOfMissingDisksAreLookedUpOnce() {
    var disks = MissingDisks()
    var looks: [FilePath: Int] = [:]
    for name in ["a/1", "b/1", "a/2", "b/2"] {
      let isMissing = disks.holds(
        FilePath("/music/usb/\(name)"), 9, below: "/music",
        status: { folder in
          looks[folder, default: 0] += 1
          return folder == "/music/usb" ? (device: 7, isEmpty: true) : nil
        }, exists: { _ in false })
      #expect(isMissing)
    }
    #expect(looks == ["/music/usb/a": 1, "/music/usb/b": 1, "/music/usb": 1])
    #expect(disks.counts == ["/music/usb": 4])
  }

  /// A file whose device is unknown, and one below a root of which nothing is left, are gone.
  @Test func unknownDevicesAndMissingRootsAreNoMissingDisks() {
    let empty = { (_: FilePath) -> (device: Int64, isEmpty: Bool)? in (7, true) }
    var disks = MissingDisks()
    func isMissing(
      _ device: Int64?, status: (FilePath) -> (device: Int64, isEmpty: Bool)?, exists: (FilePath) -> Bool
    ) -> Bool {
      disks.holds("/music/usb/a", device, below: "/music", status: status, exists: exists)
    }
    #expect(!isMissing(nil, status: empty, exists: { _ in false }))
    #expect(!isMissing(9, status: { _ in nil }, exists: { _ in false }))
    #expect(disks.counts.isEmpty)
    disks = MissingDisks()
    disks.meet(9, "/elsewhere/b")
    #expect(!isMissing(9, status: empty, exists: { $0 == "/elsewhere/b" }))
    #expect(isMissing(9, status: empty, exists: { _ in false }))
  }
}
