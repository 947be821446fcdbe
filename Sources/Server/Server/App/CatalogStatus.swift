internal import Recognition
internal import Serving
internal import Text

struct CatalogStatus: Sendable {
  /// Number of recordings in the catalog; `nil` if there is no readable catalog.
  let recordings: Int?
  /// The reason the catalog is not in use, or is only partly in use.
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
