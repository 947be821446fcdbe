internal import Foundation

/// A landmark signature for the recognition catalog.
public struct SignatureFinding: DeclaredFinding {
  /// The format version of `data`.
  public var version: Int
  public var landmarkCount: Int
  /// The signature. It is empty in file records, which omit it.
  public var data: [UInt8]

  public init(version: Int, landmarkCount: Int, data: [UInt8]) {
    self.version = version
    self.landmarkCount = landmarkCount
    self.data = data
  }

  public init() { self.init(version: 0, landmarkCount: 0, data: []) }

  public static let declaration = FindingDeclaration<SignatureFinding>(
    "signature", "Landmark signature, by which clips of the track are recognized.",
    fields: [
      .field("version", \.version, "Version of the signature format."),
      .field("landmarks", \.landmarkCount, "Number of landmarks."),
      .stored("data", \.data, "The landmarks."),
    ],
    lines: { signature, _ in
      let landmarks = signature.landmarkCount
      let count = "\(landmarks.formatted()) \(landmarks == 1 ? "landmark" : "landmarks")"
      return [FindingLine("signature", "version \(signature.version), \(count)")]
    })
}
