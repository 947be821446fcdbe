internal import Foundation

/// A descriptor of a track's sound. Tracks with similar descriptors sound alike.
public struct LikenessFinding: DeclaredFinding {
  /// The version of the descriptor; `nil` if there is no descriptor. Only descriptors of the same version can be
  /// compared.
  public var version: Int?
  /// The descriptor. It is empty if there is none, and in file records for which it was not requested.
  public var descriptor: [UInt8]
  /// A code for programs: `too_short` or `silence`; `nil` if there is a descriptor.
  public var reason: String?

  public init(version: Int?, descriptor: [UInt8], reason: String? = nil) {
    self.version = version
    self.descriptor = descriptor
    self.reason = reason
  }

  public init() { self.init(version: nil, descriptor: []) }

  public static func none(reason: String) -> LikenessFinding {
    LikenessFinding(version: nil, descriptor: [], reason: reason)
  }

  public static let declaration = FindingDeclaration<LikenessFinding>(
    "likeness", "Descriptor of the sound of a track, for finding similar ones; null if not analyzed.",
    fields: [
      .field(
        "version", \.version,
        "Version of the descriptor; only descriptors of the same version can be compared. null if there is none."),
      .stored("descriptor", \.descriptor, "128 signed bytes."),
      .derived(
        "descriptor_base64",
        "The descriptor, 128 signed bytes in base64; tracks with close descriptors sound alike. null if there is none.",
        long: "descriptor"
      ) { likeness, _ in
        likeness.descriptor.isEmpty ? nil : Data(likeness.descriptor).base64EncodedString()
      },
      .field("reason", \.reason, "Why there is no descriptor: too_short or silence; null otherwise."),
    ],
    lines: { likeness, _ in
      [
        FindingLine(
          "likeness", likeness.version.map { "version \($0)" } ?? "none (\(likeness.reason ?? "unknown reason"))")
      ]
    })
}
