public import Text

/// A property type that can be declared as a field of a finding.
public protocol FieldRepresentable: Hashable, Sendable {
  static var fieldType: FieldType { get }
  /// `true` if the value can be absent.
  static var isNullable: Bool { get }
  var fieldValue: FieldValue { get }
  /// Returns `nil` if the value has another type.
  init?(fieldValue: FieldValue)
}

extension FieldRepresentable {
  public static var isNullable: Bool { false }
}

/// An element type for lists in findings.
public protocol FieldElement: Hashable, Sendable {
  static var listType: FieldType { get }
  static func listValue(_ list: [Self]) -> FieldValue
  /// Returns `nil` if the value has another type.
  static func list(_ value: FieldValue) -> [Self]?
}

extension String: FieldRepresentable, FieldElement {
  public static var fieldType: FieldType { .text }
  public var fieldValue: FieldValue { .text(self) }
  public init?(fieldValue: FieldValue) {
    guard case .text(let value) = fieldValue else { return nil }
    self = value
  }

  public static var listType: FieldType { .texts }
  public static func listValue(_ list: [String]) -> FieldValue { .texts(list) }
  public static func list(_ value: FieldValue) -> [String]? { if case .texts(let list) = value { list } else { nil } }
}

extension Int: FieldRepresentable {
  public static var fieldType: FieldType { .integer }
  public var fieldValue: FieldValue { .integer(self) }
  public init?(fieldValue: FieldValue) {
    guard case .integer(let value) = fieldValue else { return nil }
    self = value
  }
}

extension Double: FieldRepresentable, FieldElement {
  public static var fieldType: FieldType { .number }
  public var fieldValue: FieldValue { .number(self) }
  public init?(fieldValue: FieldValue) {
    guard case .number(let value) = fieldValue else { return nil }
    self = value
  }

  public static var listType: FieldType { .numbers }
  public static func listValue(_ list: [Double]) -> FieldValue { .numbers(list) }
  public static func list(_ value: FieldValue) -> [Double]? { if case .numbers(let list) = value { list } else { nil } }
}

extension Bool: FieldRepresentable {
  public static var fieldType: FieldType { .boolean }
  public var fieldValue: FieldValue { .boolean(self) }
  public init?(fieldValue: FieldValue) {
    guard case .boolean(let value) = fieldValue else { return nil }
    self = value
  }
}

extension JSONValue: FieldRepresentable {
  public static var fieldType: FieldType { .json }
  public var fieldValue: FieldValue { .json(self) }
  public init?(fieldValue: FieldValue) {
    guard case .json(let value) = fieldValue else { return nil }
    self = value
  }
}

extension UInt8: FieldElement {
  public static var listType: FieldType { .blob }
  public static func listValue(_ list: [UInt8]) -> FieldValue { .blob(list) }
  public static func list(_ value: FieldValue) -> [UInt8]? { if case .blob(let bytes) = value { bytes } else { nil } }
}

extension Array: FieldRepresentable where Element: FieldElement {
  public static var fieldType: FieldType { Element.listType }
  public var fieldValue: FieldValue { Element.listValue(self) }
  public init?(fieldValue: FieldValue) {
    guard let list = Element.list(fieldValue) else { return nil }
    self = list
  }
}

extension Dictionary: FieldRepresentable where Key == String, Value == [String] {
  public static var fieldType: FieldType { .textLists }
  public var fieldValue: FieldValue { .textLists(self) }
  public init?(fieldValue: FieldValue) {
    guard case .textLists(let lists) = fieldValue else { return nil }
    self = lists
  }
}

extension Optional: FieldRepresentable where Wrapped: FieldRepresentable {
  public static var fieldType: FieldType { Wrapped.fieldType }
  public static var isNullable: Bool { true }
  public var fieldValue: FieldValue { self?.fieldValue ?? .null }
  public init?(fieldValue: FieldValue) {
    switch fieldValue {
    case .null: self = Wrapped?.none
    default:
      guard let value = Wrapped(fieldValue: fieldValue) else { return nil }
      self = Wrapped?.some(value)
    }
  }
}
