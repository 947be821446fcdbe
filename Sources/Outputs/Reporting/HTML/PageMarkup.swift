internal import Foundation
internal import Mustache
internal import Resources
internal import Text

/// The markup of the page around its data: `Sources/Outputs/Pages/report/page.mustache` with its style and script.
struct PageMarkup {
  /// Placeholders for the data, which is written later. They cannot occur in text, because text never contains control
  /// characters; see `PageText`.
  enum Data: String, CaseIterable {
    case library, columns, details

    var marker: String { "\u{1}\(rawValue)\u{1}" }
  }

  private let template: MustacheTemplate

  init() throws {
    MustacheContentTypes.register(PageText(), named: "PAGE")
    template = try MustacheTemplate(string: "{{% CONTENT_TYPE:PAGE}}" + cresources_report_page().text)
  }

  /// Returns the page in pieces. Each consists of a text and the placeholder that follows it; the last one has none.
  func pieces(_ values: [String: Any]) -> [(text: String, data: Data?)] {
    var values = values
    values["style"] = cresources_report_style().text
    values["script"] = cresources_report_script().text
    values["style_hash"] = cresources_report_style_hash().text
    values["script_hash"] = cresources_report_script_hash().text
    for data in Data.allCases { values[data.rawValue] = data.marker }
    var rest = Substring(template.render(values))
    var pieces: [(text: String, data: Data?)] = []
    while let start = rest.firstIndex(of: "\u{1}") {
      let after = rest[start...].dropFirst()
      let end = after.firstIndex(of: "\u{1}") ?? after.endIndex
      pieces.append((String(rest[..<start]), Data(rawValue: String(after[..<end]))))
      rest = after[end...].dropFirst()
    }
    return pieces + [(String(rest), nil)]
  }
}

/// Escapes untrusted text, so that it can be used in the content of elements and in quoted attributes.
///
/// Mustache's own escaping works on grapheme clusters, so a quotation mark followed by a combining accent would not be
/// escaped.
struct PageText: MustacheContentType {
  func escapeText(_ text: String) -> String {
    MarkupText.escaped(text) { scalar in
      switch scalar {
      case "'": "&#39;"
      // HTML does not allow control characters.
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": "\u{FFFD}"
      default: nil
      }
    }
  }
}
