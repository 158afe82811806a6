import type { ClockFact, EventFact } from '../../store/facts/reader.ts';

/** Who wrote the file, or what its samples show: these times are the file's own. */
const OWN: ReadonlySet<string> = new Set(['', 'derived', 'otlp', 'kernel', 'syslog', 'parquet', 'chrome trace']);

/** Whether an event has the clock of its file, not that of a recorder which the file names. */
export const hasClockOfFile = ({ origin }: Pick<EventFact, 'origin'>): boolean => OWN.has(origin);

/** A file that names more of them names something else: each record, each request. */
const MOST_REPORTERS = 20;

/** A clock, with the data source that contains its records. */
export interface ReporterClock extends ClockFact {
  readonly file_id: number;
}

/**
 * The clocks of a case: one per data source, and one per reporter (`origin`) of a file that holds the events of several: the BMC and
 * the PDU whose records somebody put into one file each wrote by a clock of its own. Exported together, they mostly agree: only
 * those that are doubtful stay apart ({@link apart}).
 */
export class Reporters {
  readonly clocks: readonly ReporterClock[];
  /** By data source and reporter. */
  private readonly ids = new Map<string, number>();

  private readonly files: readonly ClockFact[];
  private readonly events: readonly EventFact[];

  /**
   * @param events as recorded: what they do not show has the clock of its file
   * @param isApart whether a reporter has a clock of its own, by its data source and name
   */
  constructor(files: readonly ClockFact[], events: readonly EventFact[], isApart = (_key: string): boolean => true) {
    this.files = files;
    this.events = events;
    const bySource = Map.groupBy(events, ({ source_id }) => source_id);
    let next = files.reduce((most, { source_id }) => Math.max(most, source_id), 0) + 1;
    this.clocks = files.flatMap((file): ReporterClock[] => {
      const { source_id: file_id, name } = file;
      const all = new Set(bySource.get(file_id)?.map(({ origin }) => origin));
      const reporters = [...all].filter((origin) => !OWN.has(origin)).sort();
      const areReporters = reporters.length > 1 && reporters.length <= MOST_REPORTERS;
      const names = areReporters ? reporters.filter((origin) => isApart(keyOf(file_id, origin))) : [];
      const whole = { ...file, file_id };
      const parts = names.map((origin) => {
        const source_id = next++;
        this.ids.set(keyOf(file_id, origin), source_id);
        return { ...whole, isReporter: true as const, source_id, name: `${name}, ${origin}` };
      });
      return names.length < all.size || all.size === 0 ? [whole, ...parts] : parts;
    });
  }

  /** Whether any reporter has a clock of its own. */
  get areSeveral(): boolean {
    return this.ids.size > 0;
  }

  /** The same with a clock of their own for these reporters alone. */
  apart(clocks: ReadonlySet<number>): Reporters {
    return new Reporters(this.files, this.events, (key) => clocks.has(this.ids.get(key) ?? -1));
  }

  /** The events with the number of their clock as `source_id`. */
  byClock(events: readonly EventFact[]): readonly EventFact[] {
    if (this.ids.size === 0) return events;
    return events.map((event) => {
      const own = this.ids.get(keyOf(event.source_id, event.origin));
      return own === undefined ? event : { ...event, source_id: own };
    });
  }

  /** What is known of data sources, by clock. */
  spread<T>(byFile: ReadonlyMap<number, T>): ReadonlyMap<number, T> {
    return new Map(
      this.clocks.flatMap(({ source_id, file_id }) => {
        const value = byFile.get(file_id);
        return value === undefined ? [] : [[source_id, value] as const];
      }),
    );
  }
}

const keyOf = (file_id: number, origin: string): string => `${file_id} ${origin}`;
