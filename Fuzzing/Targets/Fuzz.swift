import Foundation
import Glibc
import SystemPackage

/// The entry points that libFuzzer calls. Arguments that begin with two dashes are ours:
///
/// - `--target=NAME` chooses what is fuzzed
/// - `--seeds=FOLDER` writes the seeds of that target there and ends
/// - `--list` prints the names of all targets and ends
enum Fuzz {
  static var targets: [Entry] {
    [
      Entry(TagTarget.self), Entry(DecodingTarget.self), Entry(SndfileTarget.self), Entry(DefinitionTarget.self),
      Entry(SettingTarget.self), Entry(PathTarget.self), Entry(JSONTarget.self), Entry(MessageTarget.self),
      Entry(StoreFileTarget.self), Entry(StoreRowTarget.self), Entry(SearchTarget.self), Entry(SignatureTarget.self),
      Entry(SegmentTarget.self), Entry(TableTarget.self), Entry(FeedTarget.self), Entry(ClipTarget.self),
      Entry(RequestTarget.self), Entry(ParquetTarget.self), Entry(CatalogPartTarget.self),
    ]
  }

  struct Entry {
    var name: String
    var seeds: () throws -> [[UInt8]]
    /// The function that takes an input.
    var start: () throws -> ([UInt8]) throws -> Void

    init<Target: FuzzTarget>(_ type: Target.Type) {
      name = Target.name
      seeds = { try Target.seeds() }
      start = {
        var target = try Target()
        return { try target.run($0) }
      }
    }
  }

  nonisolated(unsafe) fileprivate static var run: (([UInt8]) throws -> Void)?

  fileprivate static func start() throws {
    let arguments = CommandLine.arguments.dropFirst()
    func value(of name: String) -> String? {
      arguments.last { $0.hasPrefix("--\(name)=") }.map { String($0.dropFirst(name.count + 3)) }
    }
    if arguments.contains("--list") {
      for target in targets { print(target.name) }
      exit(0)
    }
    guard let target = targets.first(where: { $0.name == value(of: "target") }) else {
      print("which target? --target=NAME, of \(targets.map(\.name).joined(separator: ", "))")
      exit(64)
    }
    if let folder = value(of: "seeds") {
      for (index, seed) in try target.seeds().enumerated() {
        try Data(seed).write(to: URL(filePath: folder).appending(path: "\(target.name)-\(index)"))
      }
      exit(0)
    }
    run = try target.start()
  }
}

@_cdecl("LLVMFuzzerInitialize")
public func fuzzerInitialize(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
  do {
    try Fuzz.start()
  } catch {
    print("the target cannot be made ready: \(error)")
    exit(1)
  }
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzerTestOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  do {
    try Fuzz.run?(bytes)
  } catch {
    // An error that a target throws is one that the program would report to its user.
  }
  return 0
}
