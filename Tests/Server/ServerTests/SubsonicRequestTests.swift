import AnalysisTesting
import HTTPTypes
import Serving
import Testing
import Text

@testable import Server

/// Parameters and responses of `/rest`.
@Suite(.bounded) struct SubsonicRequestTests {
  private func request(_ query: String, form: String? = nil) -> SubsonicRequest {
    SubsonicRequest("ping", address: query, form: form)
  }

  @Test func methodsMayHaveAnEnding() {
    #expect(SubsonicRequest("getSong.view", address: "").method == "getSong")
    #expect(SubsonicRequest("getSong", address: "").method == "getSong")
    #expect(SubsonicRequest("viewer", address: "").method == "viewer")
  }

  @Test func parametersComeFromTheAddressAndTheForm() throws {
    let request = request("id=1&id=2&f=json&only=a", form: "id=3&f=xml&other=b")
    #expect(request["id"] == "1" && request["only"] == "a" && request["other"] == "b" && request["none"] == nil)
    #expect(request.values("id") == ["1", "2", "3"] && request.values("none") == [])
    #expect(request.format == .xml)
    #expect(self.request("f=json", form: "id=3").format == .json && self.request("f=json").format == .json)
    #expect(try request.required("other") == "b")
    for name in ["none", "empty"] {
      let error = #expect(throws: RequestError.self) { try self.request("empty=").required(name) }
      #expect(error?.status == .badRequest && error?.apiCode == 10)
    }
  }

  @Test func numbersAreClamped() throws {
    for (text, count, offset) in [
      ("", 50, 0), ("n=", 50, 0), ("n=-1", 0, 0), ("n=0", 0, 0), ("n=1", 1, 1), ("n=500", 500, 500),
      ("n=501", 500, 501),
      ("n=1099511627776", 500, 1_099_511_627_776), ("n=1099511627777", 500, 1_099_511_627_776),
    ] {
      #expect(try request(text).count("n", else: 50) == count && request(text).offset("n") == offset, "\(text)")
    }
    #expect(
      try request("n=7").integer("n") == 7 && request("n=").integer("n") == nil && request("").integer("n") == nil)
    for text in ["n=x", "n=1.5"] {
      let error = #expect(throws: RequestError.self) { try request(text).integer("n") }
      #expect(error?.status == .badRequest)
    }
    let flags = request("a=true&b=1&c=false&d=0&e=")
    #expect(["a", "b", "c", "d", "e", "f"].map { flags.flag($0) } == [true, true, false, false, false, nil])
  }

  /// One kind of credentials, and one version of the API.
  @Test(
    arguments: [
      ("", nil), ("apiKey=a", nil), ("u=a&p=b", nil), ("u=a&t=b&s=c", nil), ("apiKey=a&s=b&c=d", nil),
      ("apiKey=a&u=b", 43), ("apiKey=a&p=b", 43), ("apiKey=a&t=b", 43), ("v=1.16.1", nil), ("v=1", nil),
      ("v=1.0.0", nil),
      ("v=0.9", 20), ("v=0", 20), ("v=-1", 20), ("v=2", 30), ("v=2.0.0", 30), ("v=x", nil), ("v=", nil),
    ] as [(String, Int?)])
  func clientsAreChecked(query: String, code: Int?) {
    var found: Int?
    do throws(RequestError) { try request(query).check() } catch { found = error.apiCode }
    #expect(found == code)
  }

  @Test func errorsHaveSubsonicsCodes() {
    for (status, code) in [(401, 40), (403, 50), (404, 70), (400, 0), (503, 0), (500, 0)] {
      #expect(SubsonicErrorCode(RequestError(.init(code: status), "Text.")).rawValue == code, "\(status)")
    }
    #expect(SubsonicErrorCode(.subsonic(.invalidKey, .notFound, "Text.")).rawValue == 44)
  }

  @Test(
    arguments: [
      ("", .xml), ("f=xml", .xml), ("f=yaml", .xml), ("f=json&callback=a", .json), ("f=jsonp", .json),
      ("f=jsonp&callback=", .json), ("f=jsonp&callback=a.b_9$Z", .jsonp(callback: "a.b_9$Z")),
      ("f=jsonp&callback=a(b)", .json), ("f=jsonp&callback=a-b", .json), ("f=jsonp&callback=%C3%A9", .json),
    ] as [(String, SubsonicAnswer.Format)])
  func formatsAreChosen(query: String, format: SubsonicAnswer.Format) {
    #expect(request(query).format == format)
  }

  @Test func answersAreXML() {
    func xml(_ value: SubsonicValue, namespace: String? = nil) -> String {
      var writer = XMLWriter()
      writer.element("e", value, namespace: namespace)
      return String(writer.text.split(separator: "\n", maxSplits: 1).last ?? "")
    }
    func object(_ fill: (inout SubsonicObject) -> Void) -> SubsonicValue { .object(.make(fill)) }
    #expect(xml(object { _ in }) == "<e/>" && xml(object { _ in }, namespace: "n") == #"<e xmlns="n"/>"#)
    #expect(
      xml(
        object {
          $0.put("a", "<&\"")
          $0.put("b", 7)
          $0.put("c", true)
          $0.put("d", false)
          $0.put("n", nil as String?)
          $0.put("x", 0.5)
        }) == #"<e a="&lt;&amp;&quot;" b="7" c="true" d="false" x="0.5"/>"#)
    #expect(
      xml(
        object {
          $0.put("name", "a")
          $0.put("value", "b<")
        }) == #"<e name="a">b&lt;</e>"#)
    #expect(
      xml(
        object {
          $0.put("inner") { $0.put("a", 1) }
          $0.put("list", ["x", "y"])
          $0.put("empty", [] as [String])
          $0.put("last", 2)
        }) == #"<e last="2"><inner a="1"/><list>x</list><list>y</list></e>"#)
    #expect(xml(.list([.integer(1), .text("b")])) == "<e>1</e><e>b</e>")
  }

  @Test func articlesAreIgnored() {
    for (name, sortName) in [
      ("The Beatles", "Beatles"), ("the beatles", "beatles"), ("Theory", "Theory"), ("A", "A"), ("A Band", "Band"),
      ("An A", "A"), ("Die Ärzte", "Ärzte"), ("Les Rita", "Rita"), ("A-ha", "A-ha"), ("", ""), ("The", "The"),
    ] {
      #expect(SubsonicLibrary.sortName(name) == sortName, "\(name)")
    }
  }

  /// Groups and their elements are sorted, without articles and accents.
  @Test func namesAreGroupedByLetter() {
    let names = ["The Beatles", "ärzte", "Abba", "bb King", "4 Hero", "!!!", "Band", "the band", "Ärzte", "Éa"]
    let groups = SubsonicLibrary.groups(Array(names.enumerated())) { $0.element }
    #expect(groups.map(\.letter) == ["#", "A", "B", "E"])
    #expect(
      groups.map { $0.elements.map(\.element) } == [
        ["!!!", "4 Hero"], ["Abba", "ärzte", "Ärzte"], ["Band", "the band", "bb King", "The Beatles"], ["Éa"],
      ])
  }
}
