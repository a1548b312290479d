import Glibc

/// Seconds of a monotonic clock.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The durations of a number of runs.
struct Sample {
  private(set) var seconds: [Double] = []

  mutating func add(_ run: () throws -> Void) rethrows {
    let start = now()
    try run()
    seconds.append(now() - start)
  }

  var median: Double { quantile(0.5) }
  func quantile(_ part: Double) -> Double {
    let sorted = seconds.sorted()
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  /// "median (tenth to ninetieth percentile)", in milliseconds.
  var text: String {
    "\(milliseconds(median)) ms (\(milliseconds(quantile(0.1))) to \(milliseconds(quantile(0.9))))"
  }
}

func milliseconds(_ seconds: Double) -> String { decimal(seconds * 1000) }

/// A number with two decimal places.
func decimal(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}

/// Runs two bodies in turn, so that a change of the machine's speed affects both.
func alternate(
  _ runs: Int, _ first: () throws -> Void, _ second: () throws -> Void
) rethrows -> (Sample, Sample) {
  var samples = (Sample(), Sample())
  for _ in 0..<3 {
    try first()
    try second()
  }
  for _ in 0..<runs {
    try samples.0.add(first)
    try samples.1.add(second)
  }
  return samples
}

extension Sample {
  mutating func add(seconds value: Double) { seconds.append(value) }
}
