/**
 * What is read bit by bit keeps its turn until it has ended, or nobody wants more of it.
 * @param runExclusive runs work when it is its turn; whoever comes next waits until the work has settled
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
