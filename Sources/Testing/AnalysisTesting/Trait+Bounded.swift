public import Testing

extension Trait where Self == TimeLimitTrait {
  /// Time limit of the tests of every suite, for each case of a test with arguments: a test that waits for ever fails
  /// by name, and the others go on.
  ///
  /// A trait of the type and not of each test, so that new tests have it. The slowest test needs a minute by itself;
  /// twenty are for two busy cores that run four tests, and for the thread sanitizer. `Scripts/run-tests` ends tests
  /// that cannot be canceled a few minutes later.
  public static var bounded: Self { .timeLimit(.minutes(20)) }
}
