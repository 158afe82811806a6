import type { CaptureEvent, LiveCaptureView, LiveFeed } from '../../../model/contract/index.ts';
import { type Problem, ProblemError } from '../../../model/problem.ts';

/** A rate is of so many seconds. */
const RATE_NS = 10_000_000_000n;

interface Counted {
  readonly at_ns: bigint;
  readonly rows: ReadonlyMap<string, number>;
}

const DISK_FULL: Problem = {
  code: 'disk.full',
  message: 'no disk space left for this case: rows are buffered in memory, and senders must wait',
  hint: 'free disk space; the rows are written then',
};

/** Events of a capture, and its abort signal. */
interface Run {
  readonly events: AsyncIterable<CaptureEvent>;
  readonly stop: AbortController;
  now(): bigint;
}

/** The capture of this host's windows: it continues while windows open and close, and all of them see its state. */
export class LiveCapture {
  private view: LiveCaptureView | null = null;
  private running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  private counted: Counted[] = [];
  private readonly listeners = new Set<() => void>();

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Settles when it records. @throws ProblemError the reason if it cannot start */
  async start({ events, stop, now }: Run): Promise<string> {
    const begun = Promise.withResolvers<string>();
    this.counted = [];
    this.view = null;
    const ended = this.consume({ events, stop, now }, begun).finally(() => {
      this.running = undefined;
    });
    this.running = { stop, ended };
    return begun.promise;
  }

  /** Settles when all is on disk. */
  async stop(): Promise<void> {
    if (!this.running) return;
    const { stop, ended } = this.running;
    if (this.view?.phase === 'running') this.show({ ...this.view, phase: 'ending' });
    stop.abort(new Error('stopped'));
    await ended;
  }

  private async consume({ events, now }: Run, begun: PromiseWithResolvers<string>): Promise<void> {
    try {
      for await (const event of events) {
        if (event.kind === 'begun') {
          this.begin(event, now());
          begun.resolve(event.case);
        } else this.apply(event, now());
      }
    } catch (error) {
      const problem = problemOf(error);
      begun.reject(new ProblemError(problem));
      if (this.view) this.show({ ...this.view, problem });
    } finally {
      if (this.view && this.view.phase !== 'ended') this.show({ ...this.view, phase: 'ended' });
    }
  }

  private begin(event: Extract<CaptureEvent, { kind: 'begun' }>, at: bigint): void {
    const waiting = { state: 'waiting', since_ns: at, reason: '', about: '', rows: 0, rate_per_s: 0, lost: 0 } as const;
    const feeds = event.feeds.map((name): LiveFeed => ({ name, ...waiting }));
    this.show({ phase: 'running', case: event.case, began_ns: at, feeds, problem: null });
  }

  private apply(event: CaptureEvent, at: bigint): void {
    if (!this.view) return;
    if (event.kind === 'feed') {
      const { state, reason, about, at_ns: since_ns } = event;
      this.change(event.feed, (feed) => ({
        ...feed,
        state,
        reason,
        about,
        since_ns: feed.state === state ? feed.since_ns : since_ns,
      }));
    } else if (event.kind === 'written') {
      this.counted.push({ at_ns: at, rows: new Map(event.feeds.map(({ name, rows }) => [name, rows])) });
      this.counted = this.counted.filter(({ at_ns }) => at - at_ns <= RATE_NS);
      for (const { name, rows, lost } of event.feeds)
        this.change(name, (feed) => ({ ...feed, rows, lost, rate_per_s: this.rateOf(feed, rows, at) }));
    } else if (event.kind === 'disk') {
      this.show({ ...this.view, problem: event.state === 'full' ? DISK_FULL : null });
    } else if (event.kind === 'ended') {
      for (const { name, rows, lost } of event.feeds)
        this.change(name, (feed) => ({ ...feed, rows, lost, rate_per_s: 0 }));
      this.show({ ...this.view, phase: 'ended' });
    }
  }

  private rateOf({ name }: LiveFeed, rows: number, at: bigint): number {
    const [first] = this.counted;
    const since = first && first.at_ns < at ? first : undefined;
    if (!since) return 0;
    return (rows - (since.rows.get(name) ?? 0)) / (Number(at - since.at_ns) / 1e9);
  }

  private change(name: string, to: (feed: LiveFeed) => LiveFeed): void {
    if (!this.view) return;
    this.show({ ...this.view, feeds: this.view.feeds.map((feed) => (feed.name === name ? to(feed) : feed)) });
  }

  private show(view: LiveCaptureView): void {
    this.view = view;
    for (const listener of this.listeners) listener();
  }

  /** Updates during a send are merged into one. */
  async *follow(
    now: () => bigint,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<{ capture: LiveCaptureView | null; now_ns: bigint }, void, void> {
    let wake: () => void = () => undefined;
    const onChange = () => wake();
    this.listeners.add(onChange);
    signal?.addEventListener('abort', onChange);
    try {
      let lastView: LiveCaptureView | null | undefined;
      while (!signal?.aborted) {
        const { view } = this;
        if (view === lastView) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        lastView = view;
        yield { capture: view, now_ns: now() };
      }
    } finally {
      this.listeners.delete(onChange);
      signal?.removeEventListener('abort', onChange);
    }
  }
}

const problemOf = (error: unknown): Problem =>
  error instanceof ProblemError
    ? error.problem
    : {
        code: 'capture.broken',
        message: `the capture ended by a mistake of Faultline's: ${error instanceof Error ? error.message : String(error)}`,
        hint: 'written rows stay in the case; please report this',
      };
