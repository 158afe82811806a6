/** Merges several streams, at most `most` at a time; the next starts when one ends. */
export async function* concurrently<T>(
  streams: readonly (() => AsyncGenerator<T>)[],
  most: number,
): AsyncGenerator<T, void, void> {
  const waiting = streams.values();
  const running = new Map<AsyncGenerator<T>, Promise<readonly [AsyncGenerator<T>, IteratorResult<T>]>>();
  const nextOf = (stream: AsyncGenerator<T>) =>
    running.set(
      stream,
      stream.next().then((result) => [stream, result] as const),
    );
  const begin = () => {
    const next = waiting.next();
    if (!next.done) nextOf(next.value());
  };
  for (let at = 0; at < most; at++) begin();
  try {
    while (running.size > 0) {
      const [stream, result] = await Promise.race(running.values());
      if (result.done) {
        running.delete(stream);
        begin();
      } else {
        yield result.value;
        nextOf(stream);
      }
    }
  } finally {
    await Promise.allSettled([...running.keys()].map((stream) => stream.return(undefined)));
  }
}
