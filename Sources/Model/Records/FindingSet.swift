public import Analysis

/// The declared findings of one file, each with its own type. There is at most one of each type.
///
///     record.findings[TempoFinding.self]?.bpm
public struct FindingSet: Sendable {
  private var findings: [any DeclaredFinding] = []

  public init() {}

  public subscript<Finding: DeclaredFinding>(_ type: Finding.Type) -> Finding? {
    get {
      for finding in findings { if let finding = finding as? Finding { return finding } }
      return nil
    }
    set {
      let index = findings.firstIndex { $0 is Finding }
      switch (index, newValue) {
      case (let index?, let finding?): findings[index] = finding
      case (let index?, nil): findings.remove(at: index)
      case (nil, let finding?): findings.append(finding)
      case (nil, nil): break
      }
    }
  }

  /// Adds a finding, which must be the first of its type.
  public mutating func append(_ finding: any DeclaredFinding) {
    findings.append(finding)
  }
}

extension FindingSet: Hashable {
  public static func == (first: FindingSet, second: FindingSet) -> Bool { first.elements == second.elements }
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }

  /// The findings regardless of order.
  private var elements: Set<AnyHashable> { Set(findings.map { AnyHashable($0) }) }
}
