/// A recognition catalog that is kept elsewhere and asked together with those of this machine, as if all were one.
///
/// A part looks for places that fit a query and hands over the tracks of the best ones; which of all parts' tracks is
/// heard, and how sure that is, is decided where the query is. See `PartQuestion`.
package protocol CatalogPart: Sendable {
  /// Its address, without secrets, for messages.
  var name: String { get }

  /// Sends a question and does not wait for the answer.
  func ask(_ question: [UInt8]) -> PartReply
}

extension CatalogPart {
  /// Asks whether it answers at all.
  package func check() throws(PartFailure) { _ = try PartAnswer.read(ask(PartQuestion.size.bytes).get()) }
}

/// The answer of a part, under way.
package struct PartReply: Sendable {
  private let wait: @Sendable () throws(PartFailure) -> [UInt8]

  /// - Parameter wait: Blocks until the answer is there.
  package init(_ wait: @escaping @Sendable () throws(PartFailure) -> [UInt8]) {
    self.wait = wait
  }

  func get() throws(PartFailure) -> [UInt8] { try wait() }
}

/// Why a part has no answer.
package struct PartFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Part of a sentence, without secrets: "it does not answer within 10 s".
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// A part that did not answer, so that its tracks may be missing in what was found.
package struct MissingCatalog: Hashable, Sendable {
  package let name: String
  package let reason: String

  package init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }
}
