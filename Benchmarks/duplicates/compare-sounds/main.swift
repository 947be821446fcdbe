// Compares the sounds of a library pair by pair: compare-sounds DATABASE
// Makes sounds of so many other tracks out of them: compare-sounds DATABASE COUNT
//
// Prints a line for each pair that the indexes name, with tabs between: both paths, votes by fingerprints and by signatures,
// relation, coverage, coverage of the longest stretch, agreement, share of dominant
// landmarks, agreement of fingerprints, share of clear landmarks where least, blocks, speed, stretches; and at the end, on standard
// error, the processor time of each step.
import BuiltInAnalyzers
import Duplicates
internal import DuplicateTasks
import Foundation
import LibraryStore
import Platform
internal import Records
import ResultStore
import SystemPackage

let store = try ResultStore(
  path: FilePath(CommandLine.arguments[1]), findings: BuiltInAnalyzers.findings, access: .readOnly)
let sounds = try LibrarySounds(in: store)
if CommandLine.arguments.count > 2, let count = Int(CommandLine.arguments[2]) {
  // A line for each: fingerprint, tab, signature in base64.
  var library = MadeLibrary(of: try (0..<sounds.count).map { try sounds.sound($0) })
  for _ in 0..<count {
    let made = library.next()
    print(made.fingerprint, Data(made.signature).base64EncodedString(), separator: "\t")
  }
  exit(0)
}
let search = PairSearch(sounds)
let clock = ContinuousClock()
let start = clock.now
let candidates = try search.candidates { _ in true }
let middle = clock.now
try StandardErrorText.write("\(sounds.count) sounds, \(candidates.count) candidates in \(middle - start)\n")
var paths: [Int64: String] = [:]
for (file, record) in try store.records(ofFiles: sounds.stored.files) { paths[file] = DisplayPath.text(of: record.path) }
let loaded = clock.now
try search.compare(candidates) { pair in
  let names = [pair.candidate.first, pair.candidate.second].map { paths[sounds.stored.files[$0]] ?? "?" }
  var cells = names + ["\(pair.candidate.fingerprintVotes)", "\(pair.candidate.signatureVotes)"]
  cells.append(pair.relation?.rawValue ?? "none")
  if let alignment = pair.alignment {
    cells += [alignment.coverage, alignment.mainCoverage, alignment.agreement].map { "\($0)" }
    cells += [alignment.dominantShare, alignment.fingerprintAgreement, alignment.weakestShare].map { $0.map { "\($0)" } ?? "" }
    cells += ["\(alignment.blockCount)", "\(alignment.speed)"]
    cells.append(
      alignment.stretches.map {
        "\($0.first.lowerBound)-\($0.first.upperBound)=\($0.second.lowerBound)-\($0.second.upperBound)"
      }.joined(separator: " "))
  }
  print(cells.joined(separator: "\t"))
}
try StandardErrorText.write(
  "compared in \(clock.now - loaded)\n")

enum StandardErrorText {
  static func write(_ text: String) throws { _ = try FileDescriptor.standardError.writeAll(text.utf8) }
}
