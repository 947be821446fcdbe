// One import is enough: the files have their functions in `CResources`.
@_exported public import CResources

/// A file that is compiled in.
extension cresources_file {
  /// Its bytes, which are there for as long as the process.
  public var contents: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: bytes, count: count) }

  public var text: String { String(decoding: contents, as: UTF8.self) }
}
