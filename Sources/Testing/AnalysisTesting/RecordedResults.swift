internal import Foundation

/// Results of computations, each on a line of a snapshot in `Tests/Fixtures/Snapshots`.
///
/// Numbers with a fraction may differ a little from the recorded ones, because compilers and processors round
/// differently. Whole numbers, names and everything else must be the same.
public struct RecordedResults {
  /// Largest difference of a number: a share of it, plus an absolute one for numbers near zero.
  private static let (maxShare, maxRest) = (1e-3, 1e-5)

  private let name: String
  private var lines: [(name: String, result: String)] = []

  /// - Parameter name: The path of the snapshot in its folder, such as `Sound/health.txt`.
  public init(_ name: String) {
    self.name = name
  }

  /// Adds a result as Swift describes it: with the names and values of all members.
  public mutating func add<Result>(_ name: String, _ result: Result) {
    let description = String(describing: result)
    lines.append((name, description.replacing("\n", with: " ")))
  }

  /// Adds numbers, with six significant digits.
  public mutating func add(_ name: String, numbers: some Sequence<some BinaryFloatingPoint>) {
    let words = numbers.map { number -> String in
      let text = String(format: "%.6g", Double(number))
      return text.contains { ".en".contains($0) } ? text : text + ".0"
    }
    lines.append((name, words.joined(separator: " ")))
  }

  /// Compares the results with the recorded ones.
  ///
  /// - Returns: The difference as in `Snapshots`, without numbers that differ too little; `nil` if there is none.
  public func complaint() throws -> String? {
    let folder = Repository.url("Tests/Fixtures/RecordedResults").path
    let known = (try? String(contentsOf: Repository.url("Tests/Fixtures/Snapshots/" + name), encoding: .utf8)) ?? ""
    var recorded: [Substring: Substring] = [:]
    for line in known.split(separator: "\n") {
      if let end = line.firstRange(of: ": ") { recorded[line[..<end.lowerBound]] = line[end.upperBound...] }
    }
    let text = lines.map { line in
      let former = recorded[Substring(line.name)].map { String($0) }
      return "\(line.name): \(former.map { Self.isNear(line.result, $0) ? $0 : line.result } ?? line.result)\n"
    }
    return try Snapshots(beside: folder).complaint(about: text.joined(), named: name)
  }

  private static func isNear(_ result: String, _ former: String) -> Bool {
    let (found, known) = (parts(of: result), parts(of: former))
    return found.text == known.text
      && zip(found.numbers, known.numbers).allSatisfy { abs($0 - $1) <= maxShare * abs($1) + maxRest }
  }

  /// Takes the numbers that have a fraction or an exponent out of a text.
  private static func parts(of text: String) -> (text: String, numbers: [Double]) {
    var (rest, word, numbers): (String, String, [Double]) = ("", "", [])
    func end() {
      if word.contains(where: { ".e".contains($0) }), let number = Double(word) {
        numbers.append(number)
        rest += "#"
      } else {
        rest += word
      }
      word = ""
    }
    for character in text {
      if character.isLetter || character.isNumber || "+-._".contains(character) {
        word.append(character)
      } else {
        end()
        rest.append(character)
      }
    }
    end()
    return (rest, numbers)
  }
}
