// Findings are declared in `Analysis` and analyzers in `BuiltInAnalyzers`; the re-exports make one import enough.
@_exported public import Analysis
@_exported public import BuiltInAnalyzers

@_exported public import struct SystemPackage.FilePath
