internal import CChromaprint

/// Functions of libchromaprint.
var libchromaprint: CChromaprintFunctions { unsafe cchromaprint().pointee }
