import AnalysisTesting
import MediaContainers
import TagReading
import Testing

@testable import TagWriting

/// The items of a tag, whatever its format.
@Suite(.bounded) struct EditableTagTests {
  /// A tag that renders one entry for each value, or one for all.
  private static func tag(_ entries: [EditableTag.Entry], rendersEach: Bool = true) -> EditableTag {
    EditableTag(.vorbis, entries) { key, values throws(TagWriteError) in
      (rendersEach ? values : [values.joined(separator: ",")]).map { Array("\(key)=\($0)".utf8) }
    }
  }

  private static func entry(_ key: String, _ values: [String]) -> EditableTag.Entry {
    EditableTag.Entry(key: key, values: values, isText: true, content: .original(0..<1))
  }

  @Test func valuesReplaceThoseOfTheFirstEntry() throws {
    var tag = Self.tag([
      Self.entry("A", ["1"]), Self.entry("Key", ["C"]), Self.entry("", ["?"]), Self.entry("KEY", ["D"]),
      Self.entry("B", ["2"]),
    ])
    #expect(tag.values(of: "key") == ["C", "D"] && tag.keys(of: "initialkey") == ["Key"])
    try tag.set("KEY", to: ["Am", "Em"])
    #expect(tag.keys == ["A", "Key", "Key", "", "B"] && tag.values == [["1"], ["Am"], ["Em"], ["?"], ["2"]])
    #expect(tag.entries[1].content == .bytes(Array("Key=Am".utf8)))
    #expect(tag.entries[2].content == .bytes(Array("Key=Em".utf8)))
    try tag.set("New", to: ["3"])
    #expect(tag.keys == ["A", "Key", "Key", "", "B", "New"])
    try tag.set("key", to: [])
    #expect(tag.keys == ["A", "", "B", "New"])
    // An entry without a key belongs to no key, not even the empty one.
    #expect(tag.values(of: "") == [])
    #expect(tag.others(than: ["a", "", "new"]) == [.original(0..<1), .original(0..<1)])
  }

  @Test func allValuesMayShareAnEntry() throws {
    var tag = Self.tag([], rendersEach: false)
    try tag.set("KEY", to: ["C", "D"])
    #expect(tag.values == [["C", "D"]] && tag.values(of: "KEY") == ["C", "D"])
  }

  @Test func aTagWithoutTextIsSilent() throws {
    var tag = Self.tag([EditableTag.Entry(content: .zeros(4))])
    #expect(tag.isSilent && tag.texts == [false])
    tag.append(EditableTag.Entry(content: .original(0..<9)))
    #expect(tag.isSilent && tag.content.size == 13)
    try tag.set("KEY", to: [])
    #expect(tag.isSilent)
    try tag.set("KEY", to: ["C"])
    #expect(!tag.isSilent && tag.texts == [false, false, true])
  }
}
