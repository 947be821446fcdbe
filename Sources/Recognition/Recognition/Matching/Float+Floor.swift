extension Float {
  /// The largest whole number that is not above; without the call that `rounded(.down)` is where SSE 4.1 may be missing.
  @inline(__always)
  var floor: Int {
    let whole = Int(self)
    return whole &- (Float(whole) > self ? 1 : 0)
  }
}
