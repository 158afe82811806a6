import type { CaseChange, ProcedureName } from '../../model/contract/index.ts';

/** Changes by each call, for the other windows. Imports emit their own, per data source. */
const changedBy: Partial<Record<ProcedureName, CaseChange['kind']>> = {
  'case.open': 'case',
  'case.open_demo': 'case',
  'case.close': 'case',
  'names.hold_apart': 'conclusions',
  'sources.remove': 'rows',
  'names.rejoin': 'conclusions',
  'rates.choose': 'conclusions',
  'rates.remove': 'conclusions',
  'annotations.change': 'annotations',
};

interface Listener {
  readonly window: string | undefined;
  onChange(kind: CaseChange['kind'], of: readonly string[] | null): void;
}

/** Emits changes to all other windows. */
export class Changes {
  private readonly listeners = new Set<Listener>();

  /** After a call has succeeded. */
  called(name: ProcedureName, window: string | undefined): void {
    const kind = changedBy[name];
    if (kind) this.notify(kind, window);
  }

  /** @param of the kinds of new live rows; null: any */
  notify(kind: CaseChange['kind'], by: string | undefined, of: readonly string[] | null = null): void {
    for (const listener of this.listeners) if (listener.window !== by || by === undefined) listener.onChange(kind, of);
  }

  /** Changes by other windows than `window`, until `signal`; changes during a send are merged. */
  async *follow(window: string | undefined, signal: AbortSignal | undefined): AsyncGenerator<CaseChange, void, void> {
    const pendingChanges = new Map<CaseChange['kind'], ReadonlySet<string> | null>();
    let wake: () => void = () => undefined;
    const listener: Listener = {
      window,
      onChange: (kind, of) => {
        const before = pendingChanges.get(kind);
        pendingChanges.set(kind, of === null || before === null ? null : new Set([...(before ?? []), ...of]));
        wake();
      },
    };
    const stop = () => wake();
    signal?.addEventListener('abort', stop);
    this.listeners.add(listener);
    try {
      yield { kind: 'following' };
      while (!signal?.aborted) {
        for (const [kind, of] of pendingChanges) {
          pendingChanges.delete(kind);
          yield of === null ? { kind } : { kind, of: [...of] };
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (pendingChanges.size > 0 || signal?.aborted) resolve();
        });
      }
    } finally {
      this.listeners.delete(listener);
      signal?.removeEventListener('abort', stop);
    }
  }
}
