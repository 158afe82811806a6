import { withEither } from '../../../base/with-either.ts';
import { ProblemError } from '../../../model/problem.ts';
import { isOfResource, whyNot } from './why-not.ts';

/** A controller that is silent so often in a row is not asked for the rest. */
const MOST_SILENCES = 3;
/** So many wait for their turn, whatever the number of links: plans allow no more requests at once. */
const WORKERS = 16;

/** Many requests of which some may fail: one resource that cannot be had is a gap, a silent controller ends the round. */
export class Round {
  private readonly remark: (text: string) => void;
  private silences = 0;
  private last: unknown;
  private readonly known: Set<string>;
  private readonly missed: string[] = [];

  /** @param known what was missing before, and is from now on */
  constructor(remark: (text: string) => void, known: Set<string>) {
    this.remark = remark;
    this.known = known;
  }

  /** @param work is told to stop, also where it waits for its turn, once the controller has been silent too often */
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
        if (!isOfResource(error) && (isRefused(error) || ++this.silences >= MOST_SILENCES)) stop.abort();
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

  /** Says what is missing that was not missing before. @throws what went wrong when nothing was answered at all */
  end(answered: number): void {
    if (answered === 0 && this.last !== undefined) throw this.last;
    // That something linked is not there is common, and says less than that it fails.
    const [first, ...others] = this.missed.sort((a, b) => Number(/ 404\b/.test(a)) - Number(/ 404\b/.test(b)));
    if (first === undefined) return;
    const rest = others.length === 0 ? '' : `, and ${others.length} more that are linked`;
    this.remark(`what could not be read is missing: ${first}${rest}`);
  }
}

const isRefused = (error: unknown): boolean => error instanceof ProblemError && error.problem.code === 'feed.refused';
