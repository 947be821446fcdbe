internal import CChromaprint

/// The functions of libchromaprint.
var libchromaprint: CChromaprintFunctions { unsafe cchromaprint().pointee }
