// Findings are declared in `Analysis`. With this re-export, programs that only need the tempo get by with one import.
@_exported public import Analysis
