import Analysis
import AnalysisTesting
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import ResultStore

/// Changes of bytes, in the audio and in the tags, as runs find them.
@Suite(.bounded) struct SilentChangeTests {
  private typealias Hit = StoredChecksum.Hit
  private static let path: FilePath = "/music/a.flac"
  private static let time = Timestamp(nanoseconds: 1_790_000_000_000_000_000)

  /// The bytes of a file: those of its audio and all.
  private struct Bytes {
    var audio = "audio"
    var tags = "tags"
    /// `false` if the checksum has no hash of the audio, so that only the content id tells.
    var hasAudioHash = true

    func analysis(of file: PendingFile) -> FileAnalysis {
      var analysis = ScannedLibrary.analysis(of: file, audio: audio)
      analysis.checksum = FileChecksum(
        whole: whole, byteCount: file.sizeBytes, audio: hasAudioHash ? 100..<900 : nil,
        audioHash: hasAudioHash ? ContentID(hashing: Array(audio.utf8)) : nil)
      return analysis
    }

    var whole: ContentID { ContentID(hashing: Array("\(tags) \(audio)".utf8)) }

    func changed(_ hit: Hit) -> Bytes {
      var bytes = self
      if hit == .audio { bytes.audio += "2" } else { bytes.tags += "2" }
      return bytes
    }
  }

  private func library(_ bytes: Bytes, statusChanged: Int64? = nil) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    library.time = Self.time
    library.put(Self.path, statusChanged: statusChanged)
    try library.night { bytes.analysis(of: $0) }
    return library
  }

  private func events(_ library: ScannedLibrary) throws -> [String] {
    try library.store.events(at: Self.path).filter { ![.firstSeen, .analyzed, .verified].contains($0.kind) }.map {
      [$0.kind.rawValue, $0.detail].compactMap(\.self).joined(separator: " ")
    }
  }

  // MARK: - Words

  @Test func wordsForBothParts() {
    #expect(
      SilentChange(hit: .audio, well: nil).message == "Bytes changed although size and times did not, in the audio.")
    #expect(
      SilentChange(hit: .tags, well: nil).message
        == "Bytes changed although size and times did not, in the tags or headers; the audio is untouched.")
    #expect(
      SilentChange(hit: .audio, well: Self.time, symptom: "Decoding it now: It is cut.", wasWritten: true).message
        == "Bytes changed although size and times did not, in the audio. It was intact on 2026-09-21. Its "
        + "status time differs: a program may have written it and restored the other times. Decoding it now: It is cut."
    )
    for unwritten in [nil, false] {
      #expect(!SilentChange(hit: .tags, well: nil, wasWritten: unwritten).message.contains("status time"))
    }
  }

  @Test func hashesTellTheParts() {
    func checksum(_ audio: String, _ range: Range<Int64>? = 100..<900, hash: Bool = true) -> FileChecksum {
      FileChecksum(
        whole: ContentID(hashing: [1]), byteCount: 1000, audio: range,
        audioHash: hash ? ContentID(hashing: Array(audio.utf8)) : nil)
    }
    let stored = StoredChecksum(checksum: checksum("a"))
    #expect(stored.hit(in: checksum("a")) == .tags)
    #expect(stored.hit(in: checksum("b")) == .audio)
    #expect(stored.hit(in: checksum("a", 100..<901)) == nil)
    #expect(stored.hit(in: checksum("a", nil)) == nil)
    #expect(stored.hit(in: checksum("a", hash: false)) == nil)
    #expect(StoredChecksum(checksum: nil).hit(in: checksum("a")) == nil)
  }

  // MARK: - Edits

  /// Edits change the time of the file, so they are no damage.
  @Test(arguments: [StoredChecksum.Hit.audio, .tags])
  func editsAreTold(hit: StoredChecksum.Hit) throws {
    let library = try library(Bytes())
    library.put(Self.path, modified: 6_000_000_000)
    let edited = Bytes().changed(hit)
    try library.night { edited.analysis(of: $0) }
    #expect(try events(library) == ["changed \(hit.rawValue)"])
    #expect(try library.store.checksum(at: Self.path)?.checksum?.whole == edited.whole)
    #expect(try library.store.record(at: Self.path)?.status == .ok)
  }

  /// Without a content id, the audio cannot be said to be the same.
  @Test func unknownAudioCountsAsChanged() throws {
    let library = try library(Bytes())
    library.put(Self.path, modified: 6_000_000_000)
    try library.night {
      var analysis = Bytes().changed(.tags).analysis(of: $0)
      analysis.contentID = nil
      return analysis
    }
    #expect(try events(library) == ["changed audio"])
  }

  /// A changed status time shows that a program has written to the file: editors may put the time back, but they do
  /// not change the audio.
  @Test(arguments: [StoredChecksum.Hit.audio, .tags])
  func aTouchExplainsTagsOnly(hit: StoredChecksum.Hit) throws {
    let library = try library(Bytes(), statusChanged: 6_500_000_000)
    library.put(Self.path, statusChanged: 7_500_000_000)
    let touched = Bytes().changed(hit)
    let night = try library.night { touched.analysis(of: $0) }
    #expect(night.pending.map(\.reason) == [.touched])
    let stored = try #require(try library.store.checksum(at: Self.path))
    let record = try library.store.record(at: Self.path)
    switch hit {
    case .tags:
      #expect(try events(library) == ["changed tags"])
      #expect(stored.state == nil && stored.checksum?.whole == touched.whole && record?.status == .ok)
    case .audio:
      #expect(try events(library) == ["changed_silently audio"])
      #expect(stored.state == .changedSilently && stored.hit == .audio && stored.found == touched.whole)
      #expect(record?.status == .partial)
    }
  }

  // MARK: - Silent changes

  /// The event, the stored part and the sentence agree, whether the hash of the audio or the content id tells.
  @Test(arguments: [StoredChecksum.Hit.audio, .tags], [true, false])
  func silentChangesAreTold(hit: StoredChecksum.Hit, hasAudioHash: Bool) throws {
    let intact = Bytes(hasAudioHash: hasAudioHash)
    let library = try library(intact)
    let damaged = intact.changed(hit)
    try library.night(ScanOptions(force: true)) { damaged.analysis(of: $0) }
    #expect(try events(library) == ["changed_silently \(hit.rawValue)"])
    let stored = try #require(try library.store.checksum(at: Self.path))
    #expect(stored.state == .changedSilently && stored.hit == hit && stored.found == damaged.whole)
    #expect(stored.checksum?.whole == intact.whole)
    let problem = try #require(try library.store.record(at: Self.path)?.problem)
    let change = SilentChange(hit: hit, well: Self.time)
    #expect(problem.code == Problem.changedSilently && problem.message == change.message)

    // The same bytes again are no news.
    try library.night(ScanOptions(force: true)) { damaged.analysis(of: $0) }
    #expect(try events(library) == ["changed_silently \(hit.rawValue)"])
    // The former bytes are.
    try library.night(ScanOptions(force: true)) { intact.analysis(of: $0) }
    #expect(try events(library).contains("restored"))
    #expect(try library.store.checksum(at: Self.path)?.state == nil)
    #expect(try library.store.record(at: Self.path)?.status == .ok)
  }
}
