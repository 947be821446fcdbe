// `CResources` is re-exported because it contains the functions that return the files.
@_exported public import CResources

/// A file compiled into the program.
extension cresources_file {
  /// The bytes, which are valid for the lifetime of the process.
  public var contents: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: bytes, count: count) }

  public var text: String { String(decoding: contents, as: UTF8.self) }
}
