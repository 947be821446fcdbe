// Clients that only decode need no other import: formats and errors are types of `Analysis`.
@_exported public import Analysis

@_exported public import struct SystemPackage.FilePath
