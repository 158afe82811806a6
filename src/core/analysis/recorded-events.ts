import type { CorrelateOptions } from '../../model/incident.ts';
import type { EdgeFact, EntityFact, EventFact, Reader } from '../store/reader.ts';
import type { Background } from './background.ts';
import { lookBack } from './candidates.ts';
import type { ClockEstimate } from './clocks/clock-estimate.ts';
import { correctTimes } from './clocks/correct-times.ts';
import { readClocks } from './clocks/read-clocks.ts';
import { EntityGraph } from './entity-graph.ts';
import type { ImpactWindow } from './impact.ts';
import type { Mechanisms } from './mechanisms.ts';

/** Up to so many events all are read at once, wrong zones included; of more, those around each window. */
const FEW_EVENTS = 100_000;
/** Where there are more, causes are looked for no further back than the option says, and no later than this, seconds. */
const CROWDED_LATE_NS = 15_000_000_000n;

interface Case {
  readonly entities: readonly EntityFact[];
  readonly edges: readonly EdgeFact[];
  readonly mechanisms: Mechanisms;
  readonly background: Background;
  readonly windows: readonly ImpactWindow[];
  readonly options: CorrelateOptions;
}

/** The events of a case on one clock. */
export class RecordedEvents {
  readonly clocks: readonly ClockEstimate[];
  private readonly reader: Reader;
  private readonly options: CorrelateOptions;
  /** All of them; undefined when they are too many. */
  private readonly all: readonly EventFact[] | undefined;

  private constructor(
    reader: Reader,
    { options }: Case,
    found: Pick<RecordedEvents, 'clocks'> & { readonly all: readonly EventFact[] | undefined },
  ) {
    this.reader = reader;
    this.options = options;
    this.clocks = found.clocks;
    this.all = found.all;
  }

  static async read(reader: Reader, about: Case): Promise<RecordedEvents> {
    const { windows, options, background, entities, edges, mechanisms } = about;
    const [first] = windows;
    if (!first || background.eventsInCase === 0) return new RecordedEvents(reader, about, { clocks: [], all: [] });
    const bounds = windows.map((window) => lookBack(window, options));
    const from = bounds.reduce((least, [start]) => (start < least ? start : least), bounds[0]?.[0] as bigint);
    const to = bounds.reduce((most, [, end]) => (end > most ? end : most), bounds[0]?.[1] as bigint);
    const few = background.eventsInCase <= FEW_EVENTS;
    if (!few) return new RecordedEvents(reader, about, { clocks: [], all: undefined });
    const graph = new EntityGraph(entities, edges, first.onset_ns);
    const { estimates } = await readClocks(reader, graph, [from, to], mechanisms);
    const margin = estimates.reduce(
      (most, { correction_ns }) => (abs(correction_ns) > most ? abs(correction_ns) : most),
      0n,
    );
    const all = correctTimes(await reader.events(from - margin, to + margin), estimates);
    return new RecordedEvents(reader, about, { clocks: estimates, all });
  }

  /** Those in which causes of a window are looked for, and their effects. */
  async around(window: ImpactWindow): Promise<readonly EventFact[]> {
    const [from, to] = lookBack(window, this.options);
    if (this.all) return this.all.filter(({ time_ns }) => time_ns >= from && time_ns <= to);
    const lag = BigInt(Math.round(this.options.lag * 1e9));
    return this.reader.events(window.onset_ns - lag, window.onset_ns + CROWDED_LATE_NS);
  }

  /** What people should know of the clocks before they believe an order. */
  warnings(): string[] {
    const wrong = this.clocks.filter(({ error }) => error === 'shift' || error === 'zone');
    const told = wrong.map(({ name, remark }) => `clock of ${name}: ${remark}`);
    if (this.all === undefined) told.push('clocks were taken as they are: too many events to compare the sources');
    return told;
  }
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);
