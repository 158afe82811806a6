import { withEither } from '../../../base/with-either.ts';
import { ProblemError } from '../../../model/problem.ts';
import { isOfResource, whyNot } from './why-not.ts';

/** After so many timeouts in a row the rest of the round is not requested. */
const MOST_TIMEOUTS = 3;
/** Most requests in the queue, whatever the number of links: plans allow no more at once. */
const WORKERS = 16;

/** A set of requests. One failed resource is a gap; an unresponsive controller ends the round. */
export class Round {
  private readonly remark: (text: string) => void;
  private silences = 0;
  private last: unknown;
  private readonly known: Set<string>;
  private readonly missed: string[] = [];

  /** @param known what was missing before; updated */
  constructor(remark: (text: string) => void, known: Set<string>) {
    this.remark = remark;
    this.known = known;
  }

  /** @param work gets a signal that aborts after too many timeouts, also while it is queued */
  async all<T>(
    items: readonly T[],
    signal: AbortSignal,
    work: (item: T, going: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const stop = new AbortController();
    const one = async (item: T, going: AbortSignal): Promise<void> => {
      try {
        await work(item, going);
        this.silences = 0;
      } catch (error) {
        if (going.aborted) return;
        this.last = error;
        this.missing(error);
        if (!isOfResource(error) && (isRefused(error) || ++this.silences >= MOST_TIMEOUTS)) stop.abort();
      }
    };
    const rest = items.values();
    const worker = async (going: AbortSignal): Promise<void> => {
      for (const item of rest) {
        if (going.aborted) return;
        await one(item, going);
      }
    };
    await withEither([signal, stop.signal], (going) =>
      Promise.all(Array.from({ length: Math.min(WORKERS, items.length) }, () => worker(going))),
    );
    signal.throwIfAborted();
    if (stop.signal.aborted) throw this.last;
  }

  private missing(error: unknown): void {
    const failure = whyNot(error, 'the controller');
    const place = error instanceof ProblemError ? (error.problem.place ?? failure) : failure;
    if (!this.known.has(place)) this.missed.push(failure);
    this.known.add(place);
  }

  /** Reports what is newly missing. @throws the failure, if nothing was answered at all */
  end(answered: number): void {
    if (answered === 0 && this.last !== undefined) throw this.last;
    // 404 for a linked resource is common and the least informative failure: it comes last.
    const [first, ...others] = this.missed.sort((a, b) => Number(/ 404\b/.test(a)) - Number(/ 404\b/.test(b)));
    if (first === undefined) return;
    const rest = others.length === 0 ? '' : `, and ${others.length} more linked resources`;
    this.remark(`could not be read: ${first}${rest}`);
  }
}

const isRefused = (error: unknown): boolean => error instanceof ProblemError && error.problem.code === 'feed.refused';
