public import Landmarks

/// A signature with its identifier and media items in a catalog.
public struct ReferenceSignature: Hashable, Sendable {
  /// Unique within a catalog; adding a reference with the same identifier replaces the old one. The content id of a
  /// track is suitable.
  public var identifier: String
  public var signature: Signature
  public var items: [MediaItem]

  public init(identifier: String, signature: Signature, items: [MediaItem]) {
    self.identifier = identifier
    self.signature = signature
    self.items = items
  }
}
