import AnalysisTesting
import Foundation
import Testing
import Text

@Suite(.bounded) struct JSONCodingTests {
  private static let value: JSONValue = [
    "null": .null, "yes": true, "no": false, "integer": -7, "number": 1.5, "text": "é",
    "list": [.null, 1, [], "x", [true]], "object": ["a": ["b": .null]],
  ]

  @Test func valuesPassThroughFoundation() throws {
    let data = try JSONEncoder().encode(Self.value)
    #expect(try JSONValue(parsing: data) == Self.value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: data) == Self.value)
  }

  @Test func valuesPassThroughTheirOwnCoder() throws {
    #expect(try JSONValue(encoding: Self.value) == Self.value)
    #expect(try JSONValue(encoding: ["a": [Self.value]]) == ["a": [Self.value]])
    #expect(try Self.value.decoded(as: JSONValue.self) == Self.value)
    #expect(try JSONValue.array([Self.value]).decoded(as: [JSONValue].self) == [Self.value])
  }

  @Test func numbersKeepTheirKinds() throws {
    #expect(try JSONValue(encoding: Float(0.5)) == .number(0.5))
    #expect(try JSONValue(encoding: Double(3)) == .number(3))
    #expect(try JSONValue(encoding: UInt64(1) << 63) == .number(9_223_372_036_854_775_808))
    #expect(try JSONValue(encoding: [Int8(-1), nil]) == [-1, .null])
    #expect(try JSONValue.integer(3).decoded(as: Double.self) == 3)
    #expect(try JSONValue.number(0.5).decoded(as: Float.self) == 0.5)
    #expect(try JSONValue.integer(2).decoded(as: Float.self) == 2)
    #expect(try JSONValue.number(255).decoded(as: UInt8.self) == 255)
    #expect(try JSONValue.integer(-128).decoded(as: Int8.self) == -128)
    #expect(try JSONValue.bool(true).decoded(as: Bool.self))
  }

  private struct Nested: Codable, Equatable {
    struct Part: Codable, Equatable {
      var names: [String]
      var flag: Bool?
    }
    var parts: [Part]
    var optional: Part?
    var matrix: [[Int]]
  }

  @Test func nestedTypesAreReadBack() throws {
    let nested = Nested(
      parts: [Nested.Part(names: ["a", "b"], flag: nil), Nested.Part(names: [], flag: false)], optional: nil,
      matrix: [[1, 2], [], [3]])
    let value = try JSONValue(encoding: nested)
    #expect(
      value == [
        "parts": [["names": ["a", "b"]], ["names": [], "flag": false]], "matrix": [[1, 2], [], [3]],
      ])
    #expect(try value.decoded(as: Nested.self) == nested)
    let explicit: JSONValue = ["parts": [["names": [], "flag": .null]], "optional": .null, "matrix": []]
    #expect(
      try explicit.decoded(as: Nested.self)
        == Nested(parts: [Nested.Part(names: [], flag: nil)], optional: nil, matrix: []))
  }

  private func failure<T: Decodable>(_ value: JSONValue, as type: T.Type) -> String? {
    do {
      _ = try value.decoded(as: type)
      return nil
    } catch let DecodingError.typeMismatch(_, context), let DecodingError.dataCorrupted(context),
      let DecodingError.keyNotFound(_, context), let DecodingError.valueNotFound(_, context)
    {
      return "\(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
    } catch {
      return "\(error)"
    }
  }

  @Test func mistakesAreNamedWithTheirPlace() {
    #expect(failure(["parts": [["names": [1]]], "matrix": []], as: Nested.self) == "parts.0.names.0: found a number")
    #expect(failure(["parts": [["names": ["a", .null]]]], as: Nested.self) == "parts.0.names.1: found null")
    #expect(failure(["parts": [], "matrix": [1]], as: Nested.self) == "matrix.0: found a number")
    #expect(failure(["parts": []], as: Nested.self) == ": the key matrix is missing")
    #expect(failure(["parts": [true]], as: Nested.self) == "parts.0: found true or false")
    #expect(failure(["parts": "x"], as: Nested.self) == "parts: found text")
    #expect(failure([1], as: Nested.self) == ": found a list")
    #expect(failure(["a": 1], as: String.self) == ": found a mapping")
    #expect(failure(256, as: UInt8.self) == ": the number does not fit into UInt8")
    #expect(failure(1.5, as: Int.self) == ": the number does not fit into Int")
  }

  /// Reads a list by hand, past its end.
  private struct Pair: Decodable {
    var count: Int?
    var positions: [Int] = []
    var isNull: [Bool] = []

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      count = list.count
      positions.append(list.currentIndex)
      isNull.append(try list.decodeNil())
      positions.append(list.currentIndex)
      _ = try list.decode(Int.self)
      positions.append(list.currentIndex)
      isNull.append(try list.decodeNil())
      positions.append(list.currentIndex)
      _ = try list.decode(Int.self)
    }
  }

  @Test func listsAreReadInOrder() throws {
    let pair = try ([.null, 1, 2] as JSONValue).decoded(as: Pair.self)
    #expect(pair.count == 3 && pair.positions == [0, 1, 2, 2] && pair.isNull == [true, false])
    #expect(failure([.null, 1], as: Pair.self) == "2: the list ends there")
  }

  @Test func numbersThatJSONLacksAreErrors() throws {
    do {
      _ = try JSONValue(encoding: ["a": [1, Double.infinity]])
      Issue.record("no error")
    } catch let EncodingError.invalidValue(_, context) {
      #expect(context.codingPath.map(\.stringValue) == ["a", "1"])
      #expect(context.debugDescription == "JSON cannot represent inf")
    }
    #expect(throws: EncodingError.self) { try JSONValue(encoding: -Float.infinity) }
  }
}
