// One import is enough for programs that only look for tempo: findings are words of `Analysis`.
@_exported public import Analysis
