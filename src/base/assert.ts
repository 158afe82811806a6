/** A bug, not an expected failure: the message is for the engineer who reads the stack. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`bug: ${message}`);
}

/** Ends every exhaustive `switch`: the compiler refuses a case that was forgotten. */
export function unreachable(value: never): never {
  throw new Error(`bug: unreachable value ${String(value)}`);
}

/** For look-ups that a previous line has already made certain. */
export function present<T>(value: T | null | undefined, what: string): T {
  assert(value !== null && value !== undefined, `${what} is absent`);
  return value;
}
