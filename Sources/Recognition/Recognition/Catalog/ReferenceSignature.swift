public import Landmarks

/// A signature as it is stored in a catalog, with its identifier and media items.
public struct ReferenceSignature: Hashable, Sendable {
  /// The identifier, which is unique within a catalog. Adding a reference with the same identifier replaces the old
  /// one. The content id of a track is suitable.
  public var identifier: String
  public var signature: Signature
  public var items: [MediaItem]

  public init(identifier: String, signature: Signature, items: [MediaItem]) {
    self.identifier = identifier
    self.signature = signature
    self.items = items
  }
}
