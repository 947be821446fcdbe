public import Glibc

// The mathematical functions that analyzers and recognition use, from the C library. This is the one place to replace
// them, or to make their results the same on every system: modules of Sound, Recognition and Model do not import Glibc.

/// The angle of the point (`x`, `y`) in radians, from −π to π.
@inlinable public func atan2(_ y: Double, _ x: Double) -> Double { Glibc.atan2(y, x) }

/// The angle of the point (`x`, `y`) in radians, from −π to π.
@inlinable public func atan2(_ y: Float, _ x: Float) -> Float { Glibc.atan2f(y, x) }

@inlinable public func cbrt(_ x: Double) -> Double { Glibc.cbrt(x) }

@inlinable public func cbrt(_ x: Float) -> Float { Glibc.cbrtf(x) }

@inlinable public func cos(_ x: Double) -> Double { Glibc.cos(x) }

@inlinable public func cos(_ x: Float) -> Float { Glibc.cosf(x) }

@inlinable public func exp(_ x: Double) -> Double { Glibc.exp(x) }

@inlinable public func exp(_ x: Float) -> Float { Glibc.expf(x) }

@inlinable public func exp2(_ x: Double) -> Double { Glibc.exp2(x) }

@inlinable public func exp2(_ x: Float) -> Float { Glibc.exp2f(x) }

/// The natural logarithm.
@inlinable public func log(_ x: Double) -> Double { Glibc.log(x) }

/// The natural logarithm.
@inlinable public func log(_ x: Float) -> Float { Glibc.logf(x) }

@inlinable public func log10(_ x: Double) -> Double { Glibc.log10(x) }

@inlinable public func log10(_ x: Float) -> Float { Glibc.log10f(x) }

/// The natural logarithm of 1 + `x`, accurate near 0.
@inlinable public func log1p(_ x: Double) -> Double { Glibc.log1p(x) }

/// The natural logarithm of 1 + `x`, accurate near 0.
@inlinable public func log1p(_ x: Float) -> Float { Glibc.log1pf(x) }

@inlinable public func log2(_ x: Double) -> Double { Glibc.log2(x) }

@inlinable public func log2(_ x: Float) -> Float { Glibc.log2f(x) }

@inlinable public func pow(_ x: Double, _ y: Double) -> Double { Glibc.pow(x, y) }

@inlinable public func pow(_ x: Float, _ y: Float) -> Float { Glibc.powf(x, y) }

@inlinable public func sin(_ x: Double) -> Double { Glibc.sin(x) }

@inlinable public func sin(_ x: Float) -> Float { Glibc.sinf(x) }

@inlinable public func tan(_ x: Double) -> Double { Glibc.tan(x) }

@inlinable public func tan(_ x: Float) -> Float { Glibc.tanf(x) }

@inlinable public func tanh(_ x: Double) -> Double { Glibc.tanh(x) }

@inlinable public func tanh(_ x: Float) -> Float { Glibc.tanhf(x) }

public let log2OfE = 1.4426950408889634
