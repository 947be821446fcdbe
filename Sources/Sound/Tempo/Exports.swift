// Findings are declared in `Analysis`; the re-export makes one import enough for programs that only need the tempo.
@_exported public import Analysis
