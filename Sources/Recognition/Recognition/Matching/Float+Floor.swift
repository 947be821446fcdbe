extension Float {
  /// The largest integer that is not above the value. Unlike `rounded(.down)`, it does not compile to a function call
  /// if SSE 4.1 may be missing.
  @inline(__always)
  var floor: Int {
    let whole = Int(self)
    return whole &- (Float(whole) > self ? 1 : 0)
  }
}
