internal import Platform
public import SystemPackage
internal import Text

/// Finds pipeline definitions by name: built-in definitions, and those in the user's folder. It also opens any file by
/// its path.
public struct NamedPipelines: Sendable {
  /// The built-in definitions by name. They are the contents of `pipelines/`.
  public static let builtIn: [String: [UInt8]] = [
    "default": PackageResources.default_yaml,
    "exec-example": PackageResources.exec_example_yaml,
    "fingerprint": PackageResources.fingerprint_yaml,
    "health": PackageResources.health_yaml,
    "tags-only": PackageResources.tags_only_yaml,
    "tempo": PackageResources.tempo_yaml,
  ]

  /// The folder of additional definitions.
  public var userFolder: FilePath?

  public init(userFolder: FilePath? = nil) {
    self.userFolder = userFolder
  }

  /// Returns the definition for `reference`. If the reference contains a slash or ends in `.yaml` or `.yml`, it is a
  /// path. Otherwise, it is the name of a built-in definition or of a file in the user's folder.
  public func definition(_ reference: String) throws(DefinitionError) -> PipelineDefinition {
    if PipelineReference(reference).isPath {
      return try PipelineDefinition(at: FilePath(reference))
    }
    if let text = Self.builtIn[reference] {
      return try PipelineDefinition(yaml: text, name: reference, source: "built-in pipeline \(reference)")
    }
    if let file = files().first(where: { $0.stem == reference }) { return try PipelineDefinition(at: file) }
    throw DefinitionError(
      source: "pipeline \(reference)",
      problem: """
        is neither built in nor in \(userFolder?.string ?? "a folder of pipelines"); to use a file, \
        give its path, such as ./\(reference).yaml; \(Suggestion.hint(for: reference, in: names()))
        """)
  }

  /// All names that `definition(_:)` accepts, sorted.
  public func names() -> [String] {
    Set(Self.builtIn.keys).union(files().compactMap(\.stem)).sorted()
  }

  private func files() -> [FilePath] {
    guard let userFolder else { return [] }
    let names = (try? FolderListing.names(in: userFolder)) ?? []
    return names.filter { $0.string.hasSuffix(".yaml") || $0.string.hasSuffix(".yml") }.map { userFolder.appending($0) }
  }
}
