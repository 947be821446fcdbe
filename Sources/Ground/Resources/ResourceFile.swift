// This is re-exported because the functions that return the files are in `CResources`.
@_exported public import CResources

/// A file compiled into the program.
extension cresources_file {
  /// The bytes, which are valid for the lifetime of the process.
  public var contents: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: bytes, count: count) }

  public var text: String { String(decoding: contents, as: UTF8.self) }
}
