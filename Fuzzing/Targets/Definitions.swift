import Text
import BuiltInAnalyzers
import Glibc
import SystemPackage

@testable import Pipeline

/// Pipeline definitions, up to the plan of a run, and back to text as workers get it.
struct DefinitionTarget: FuzzTarget {
  static let name = "definitions"

  func run(_ bytes: [UInt8]) throws {
    let definition = try PipelineDefinition(yaml: bytes, name: "fuzz", source: "fuzz.yaml")
    let copy: PipelineDefinition
    do {
      copy = try PipelineDefinition(yaml: Array(definition.text.utf8), name: "copy", source: "copy")
    } catch {
      fatalError("\(definition.text) does not read back: \(error)")
    }
    require(Self.meaning(copy) == Self.meaning(definition), "\(definition.text) reads back as itself")
    let plan = try definition.plan(with: BuiltInAnalyzers.all)
    require(try copy.plan(with: BuiltInAnalyzers.all).digest == plan.digest, "the digest is that of the meaning")
  }

  /// The order of analyzers is that of their kinds, and else of their names.
  private static func meaning(_ definition: PipelineDefinition) -> [String] {
    let entries = definition.entries.map { entry in
      "\(entry.kind) \(entry.id) \(JSONValue.object(entry.settings).canonicalText)"
    }
    return [definition.name, definition.resampler.rawValue, definition.decoding.rawValue] + entries.sorted()
  }
}

/// Settings, in files and in the environment.
struct SettingTarget: FuzzTarget {
  static let name = "settings"
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  func run(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let context = SettingContext(folder: "/folder", home: "/home/somebody")
    for setting in Settings.all {
      guard let value = try? setting.value(text, in: context) else { continue }
      let written = value.settingText
      guard written != "none" else { continue }
      guard let again = try? setting.value(written, in: context) else {
        fatalError("\(setting.key): \(written) is shown and cannot be read")
      }
      require(again.settingText == written, "\(setting.key): \(written) stays what it is")
    }
    _ = try folder.write(bytes, as: "config.yaml")
    let settings = try Settings.load(
      environment: ["HOME": "/nonexistent"], workingFolder: "/nonexistent", systemFolder: folder.path)
    _ = settings.rows
    _ = settings.walk
  }
}
