// One import is enough: findings are words of `Analysis`, and the analyzers have their names in `BuiltInAnalyzers`.
@_exported public import Analysis
@_exported public import BuiltInAnalyzers

@_exported public import struct SystemPackage.FilePath
