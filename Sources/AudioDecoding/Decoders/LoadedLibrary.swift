internal import CSndfile

/// The functions of libsndfile.
var libsndfile: CSndfileFunctions { csndfile().pointee }
