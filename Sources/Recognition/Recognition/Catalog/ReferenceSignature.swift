public import Landmarks

/// A signature with its name in a catalog and what it stands for.
public struct ReferenceSignature: Hashable, Sendable {
  /// Unique within a catalog; adding another reference of this name replaces the first. The content id of a track does.
  public var identifier: String
  public var signature: Signature
  public var items: [MediaItem]

  public init(identifier: String, signature: Signature, items: [MediaItem]) {
    self.identifier = identifier
    self.signature = signature
    self.items = items
  }
}
