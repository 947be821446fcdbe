// One import is enough for clients that only decode: formats and errors are types of `Analysis`.
@_exported public import Analysis

@_exported public import struct SystemPackage.FilePath
