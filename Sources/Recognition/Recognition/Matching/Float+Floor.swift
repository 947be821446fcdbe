extension Float {
  /// The largest integer that is not above the value. Avoids the function call that `rounded(.down)` compiles to where
  /// SSE 4.1 may be missing.
  @inline(__always)
  var floor: Int {
    let whole = Int(self)
    return whole &- (Float(whole) > self ? 1 : 0)
  }
}
