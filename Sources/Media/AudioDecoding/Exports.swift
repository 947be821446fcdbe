// One import is enough for programs that only decode: formats and errors are words of `Analysis`.
@_exported public import Analysis

@_exported public import struct SystemPackage.FilePath
