/** Mean recorded hours for each failure, with the interval in which it lies with 95 % probability. */
export interface FailureRate {
  readonly mean_hours: number | null;
  readonly low_hours: number | null;
  readonly high_hours: number | null;
}

const OUTSIDE = 0.025;

/**
 * Exact interval of a constant rate (Garwood, 1936): the rates for which as many failures as were counted, or fewer, and as many or
 * more, are no less probable than 2.5 %. Without failures it has only a lower bound (one-sided, 5 %).
 */
export function failureRate(faults: number, hours: number): FailureRate {
  if (hours <= 0) return { mean_hours: null, low_hours: null, high_hours: null };
  if (faults === 0) return { mean_hours: null, low_hours: hours / -Math.log(2 * OUTSIDE), high_hours: null };
  const most = expectedAt(faults, OUTSIDE);
  const least = expectedAt(faults - 1, 1 - OUTSIDE);
  return { mean_hours: hours / faults, low_hours: hours / most, high_hours: hours / least };
}

/** The expectation at which at most `count` failures have that probability: it falls as the expectation grows. */
function expectedAt(count: number, probability: number): number {
  let low = 0;
  let high = 10 * (count + 5);
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (atMost(count, middle) > probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Poisson: the probability of at most `count` when `expected` are. */
function atMost(count: number, expected: number): number {
  let term = Math.exp(-expected);
  let sum = term;
  for (let i = 1; i <= count; i++) {
    term *= expected / i;
    sum += term;
  }
  return sum;
}
