import Analysis
import Glibc
import Landmarks
import SystemPackage

@testable import Recognition

/// Signatures and catalogs of made-up pieces, computed once for all tests.
// swift-format-ignore: AmbiguousTrailingClosureOverload
enum Catalogs {
  static let seconds = 32.0
  static let seeds = Array(UInt64(1)...9)

  static func signature(of samples: [Float]) -> Signature {
    var generator = SignatureGenerator(sampleRate: Music.sampleRate)
    generator.append(samples.span)
    return generator.signature()
  }

  static func query(_ samples: [Float]) -> RecognitionQuery {
    var generator = RecognitionQueryGenerator(sampleRate: Music.sampleRate)
    generator.append(samples.span)
    return generator.query()
  }

  static let references: [ReferenceSignature] = seeds.map { seed in
    ReferenceSignature(
      identifier: "piece-\(seed)", signature: signature(of: Music.piece(seed: seed, seconds: seconds)),
      items: [MediaItem(title: "Piece \(seed)", artist: "Generator")])
  }

  static let catalog: CustomCatalog = {
    var catalog = CustomCatalog()
    for reference in references { try? catalog.add(reference) }
    return catalog
  }()

  /// Runs `body` with a temporary directory.
  static func withDirectory<Result>(_ body: (FilePath) throws -> Result) throws -> Result {
    let path = try makeDirectory()
    defer { remove(path) }
    return try body(path)
  }

  static func withDirectory<Result>(_ body: (FilePath) async throws -> Result) async throws -> Result {
    let path = try makeDirectory()
    defer { remove(path) }
    return try await body(path)
  }

  private static func makeDirectory() throws -> FilePath {
    var template = Array("/tmp/recognition-tests-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
    return FilePath(String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  private static func remove(_ path: FilePath) {
    for name in names(in: path) { unlink(path.appending(name).string) }
    rmdir(path.string)
  }

  static func names(in path: FilePath) -> [String] {
    guard let directory = opendir(path.string) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  static func read(_ path: FilePath) throws -> [UInt8] { try CatalogFile.read(path) }

  static func write(_ bytes: [UInt8], to path: FilePath) throws {
    let file = try FileDescriptor.open(path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
    defer { try? file.close() }
    _ = try file.writeAll(bytes)
  }
}

extension Catalogs {
  /// A segment of tracks with these landmarks, whose ids are their numbers.
  static func segment(_ tracks: [[Landmark]]) throws -> Segment {
    var builder = SegmentBuilder()
    for (number, landmarks) in tracks.enumerated() {
      let signature = Signature(landmarks: landmarks, columnCount: (landmarks.last?.column ?? 0) + 1)
      try builder.add(signature, identifier: ContentID(high: 0, low: UInt64(number)), items: [])
    }
    return try builder.build()
  }
}
