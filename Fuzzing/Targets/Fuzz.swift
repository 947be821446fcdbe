import Foundation
import Glibc
import SystemPackage

/// What libFuzzer calls. Arguments that begin with two dashes are ours:
///
/// - `--target=NAME` chooses what is fuzzed
/// - `--seeds=FOLDER` writes the seeds of that target there and ends
/// - `--list` prints the names of all targets and ends
enum Fuzz {
  static var targets: [any FuzzTarget.Type] {
    [
      TagTarget.self, DecodingTarget.self, SndfileTarget.self, DefinitionTarget.self, SettingTarget.self,
      PathTarget.self, JSONTarget.self, MessageTarget.self, StoreFileTarget.self, StoreRowTarget.self,
      SignatureTarget.self, SegmentTarget.self, TableTarget.self, FeedTarget.self, ClipTarget.self,
    ]
  }

  nonisolated(unsafe) fileprivate static var current: (any FuzzTarget)?

  fileprivate static func start() throws {
    let arguments = CommandLine.arguments.dropFirst()
    func value(of name: String) -> String? {
      arguments.last { $0.hasPrefix("--\(name)=") }.map { String($0.dropFirst(name.count + 3)) }
    }
    if arguments.contains("--list") {
      for target in targets { print(target.name) }
      exit(0)
    }
    guard let type = targets.first(where: { $0.name == value(of: "target") }) else {
      print("which target? --target=NAME, of \(targets.map(\.name).joined(separator: ", "))")
      exit(64)
    }
    if let folder = value(of: "seeds") {
      for (index, seed) in try type.seeds().enumerated() {
        try Data(seed).write(to: URL(filePath: folder).appending(path: "\(type.name)-\(index)"))
      }
      exit(0)
    }
    current = try type.make()
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
    try Fuzz.current?.run(bytes)
  } catch {
    // What targets throw is what the program would tell its user.
  }
  return 0
}
