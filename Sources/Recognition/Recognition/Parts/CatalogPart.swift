/// A remote recognition catalog, which is matched together with the local catalogs as if all were one.
///
/// A part searches for places that fit a query and returns the tracks of the best places. The session that asks decides
/// which track is heard, and with what confidence. See `PartQuestion`.
package protocol CatalogPart: Sendable {
  /// The address that messages show for the part, without secrets.
  var name: String { get }

  /// Sends a request without waiting for the answer.
  func ask(_ question: [UInt8]) -> PartReply
}

extension CatalogPart {
  /// Throws if the part does not answer.
  package func check() throws(PartFailure) {
    let question = PartQuestion.size.bytes
    _ = try PartAnswer.read(ask(question).get(), to: question)
  }
}

/// The pending answer of a part.
package struct PartReply: Sendable {
  private let wait: @Sendable () throws(PartFailure) -> [UInt8]

  /// - Parameter wait: Blocks until the answer has arrived.
  package init(_ wait: @escaping @Sendable () throws(PartFailure) -> [UInt8]) {
    self.wait = wait
  }

  func get() throws(PartFailure) -> [UInt8] { try wait() }
}

/// The reason a part did not answer.
package struct PartFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A clause for messages, without secrets, such as "it does not answer within 10 s".
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// A remote catalog that did not answer, or a catalog file that cannot be read; its tracks may be missing from the
/// results.
package struct MissingCatalog: Hashable, Sendable {
  package let name: String
  package let reason: String
  /// `true` for files that cannot be read; `false` for servers that do not answer.
  package let isUnreadable: Bool

  package init(name: String, reason: String, isUnreadable: Bool = false) {
    self.name = name
    self.reason = reason
    self.isUnreadable = isUnreadable
  }
}
