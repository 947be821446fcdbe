internal import Recognition
internal import Serving
internal import Text

/// Whether there is a catalog of recordings to recognize.
struct CatalogStatus: Sendable {
  /// `nil` if there is no catalog.
  let recordings: Int?
  /// Why the catalog that is there now is not used.
  let problem: String?

  init(of catalog: ServedCatalog) {
    do {
      recordings = try catalog.current().information.referenceCount
      problem = catalog.problem
    } catch {
      recordings = nil
      problem = RequestError(error).message
    }
  }

  var exists: Bool { recordings != nil }
}

extension JSONType<CatalogStatus> {
  static var catalogStatus: Self {
    .object(
      "AppCatalogStatus",
      .required("is_there", .flag) { $0.exists }, .optional("recordings", .integer) { $0.recordings },
      .optional("problem", .text) { $0.problem })
  }
}
