extension Float {
  /// The largest integer that is not above the value. This avoids a function call to which `rounded(.down)` compiles if
  /// SSE 4.1 may be missing.
  @inline(__always)
  var floor: Int {
    let whole = Int(self)
    return whole &- (Float(whole) > self ? 1 : 0)
  }
}
