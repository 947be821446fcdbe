internal import Foundation
internal import Platform
internal import SystemPackage

extension TagJournal {
  /// Reads the lines of a journal in any order. Only their positions are kept in memory.
  final class Reader {
    private let path: FilePath
    private let file: FileDescriptor
    private var lines: [Range<Int64>] = []

    private static let blockSize = 1 << 16

    /// - Throws: `TagJournalError`.
    init(_ path: FilePath) throws {
      self.path = path
      do {
        file = try FileDescriptor.openWithoutWaiting(path)
        guard try FileStatus(of: file).kind == .regular else { throw Errno.notSupported }
      } catch {
        throw TagJournalError("The journal \(path) cannot be read: \(error).")
      }
      do {
        try findLines()
        guard !isEmpty else { return }
        guard let first = lines.first, let header = try? Self.decoder.decode(Header.self, from: Data(bytes(first))),
          header.journal == Header.name
        else { throw TagJournalError("\(path) is not a journal of tag changes.") }
        guard header.version <= Header.version else {
          throw TagJournalError("The journal \(path) was written by a newer version of analyze.")
        }
      } catch let error as TagJournalError {
        throw error
      } catch {
        throw TagJournalError("The journal \(path) cannot be read: \(error).")
      }
    }

    deinit { try? file.close() }

    /// `true` if the program that created the journal ended before it had written the header.
    private(set) var isEmpty = false

    /// Number of lines after the header.
    var count: Int { max(0, lines.count - 1) }

    /// Returns an entry by its number, counted from 0; `nil` if the line is invalid, for example the last line, written
    /// by a program that was killed.
    /// - Throws: `TagJournalError`.
    func entry(_ number: Int) throws -> Entry? {
      let line = lines[number + 1]
      guard line.count <= TagJournal.maxLineLength else { return nil }
      do {
        let text = Data(try bytes(line))
        return try? Self.decoder.decode(Entry.self, from: text)
      } catch {
        throw TagJournalError("The journal \(path) cannot be read: \(error).")
      }
    }

    private static var decoder: JSONDecoder {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      return decoder
    }

    private func findLines() throws {
      var start: Int64 = 0
      var position: Int64 = 0
      while true {
        let block = try bytes(position..<position + Int64(Self.blockSize))
        if position == 0 {
          isEmpty = block.count < Self.blockSize && TagJournal.isCutHeader(block)
          if isEmpty { return }
        }
        for (index, byte) in block.enumerated() where byte == 0x0A {
          lines.append(start..<position + Int64(index))
          start = position + Int64(index) + 1
        }
        position += Int64(block.count)
        guard !block.isEmpty else { break }
      }
      if start < position { lines.append(start..<position) }
    }

    private func bytes(_ range: Range<Int64>) throws -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: range.count)
      var filled = 0
      while filled < bytes.count {
        let got = try bytes.withUnsafeMutableBytes { buffer in
          try file.read(
            fromAbsoluteOffset: range.lowerBound + Int64(filled),
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
        }
        if got == 0 { break }
        filled += got
      }
      return Array(bytes[..<filled])
    }
  }
}
