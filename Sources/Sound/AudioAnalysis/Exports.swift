// Findings are declared in `Analysis` and analyzers in `BuiltInAnalyzers`. With these re-exports, one import is enough.
@_exported public import Analysis
@_exported public import BuiltInAnalyzers

@_exported public import struct SystemPackage.FilePath
