/**
 * A stream holds the lock until it has ended or is abandoned.
 * @param runExclusive runs work under the lock; the next one waits until the work has settled
 */
export async function* lockedStream<T>(
  runExclusive: (work: () => Promise<void>) => Promise<void>,
  read: () => AsyncIterable<T>,
): AsyncGenerator<T> {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const exclusiveRun = runExclusive(() => {
    begun.resolve();
    return ended.promise;
  });
  await begun.promise;
  try {
    yield* read();
  } finally {
    ended.resolve();
    await exclusiveRun;
  }
}
