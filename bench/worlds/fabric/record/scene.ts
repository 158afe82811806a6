import { Chance } from '../chance.ts';
import type { Occurrence } from '../engine.ts';
import type { Call } from '../rpc.ts';
import type { Run } from '../simulate.ts';
import { EDGE, type Site } from '../site.ts';

/** How much of a service or job was measured. */
export interface Measured {
  /** Seconds between numbers; 0: each request is there. */
  readonly interval_s: number;
  readonly sampled: number;
}

/** The files of a recording, and what they show. */
export class Scene {
  readonly run: Run;
  readonly site: Site;
  readonly files = new Map<string, string>();
  readonly recorders = new Set<string>();
  /** s by which each source's clock is ahead. */
  readonly offsets = new Map<string, number>();
  /** Events that some file reports. */
  readonly shown = new Set<number>();
  /** Kinds of measurement that some file has: `what:kind:id`. */
  readonly measurements = new Set<string>();
  readonly measured = new Map<string, Measured>();
  /** Trouble of one can reach the other, as files have it. */
  readonly links = new Map<string, Set<string>>();
  private readonly missing: ReadonlySet<string>;

  constructor(run: Run) {
    this.run = run;
    this.site = run.site;
    const chance = new Chance(run.site.seed, 'layers');
    // Whole layers are sometimes nobody's business.
    const layers = ['facility', 'servers', 'gpus', 'network', 'orchestrator', 'map'];
    const none = run.site.isCloud ? ['facility', 'network', 'controllers'] : [];
    this.missing = new Set([...layers.filter(() => chance.is(0.1)), ...none]);
  }

  chance(purpose: string): Chance {
    return new Chance(this.site.seed, `record ${purpose}`);
  }

  /** Whether a recorder of a layer is there; its clock is set then. */
  has(recorder: string, layer: string, probability: number): boolean {
    const chance = this.chance(`has ${recorder}`);
    if (this.missing.has(layer) || !chance.is(probability)) return false;
    this.recorders.add(recorder);
    this.offsets.set(recorder, chance.is(0.8) ? 0.3 * chance.normal() : chance.between(-20, 20));
    return true;
  }

  /** True ms since 1970 of a moment. */
  ms(at_s: number): number {
    return this.site.start_ms + at_s * 1000;
  }

  /** Date that a recorder's clock shows. */
  date(recorder: string, at_s: number): Date {
    return new Date(this.ms(at_s + (this.offsets.get(recorder) ?? 0)));
  }

  link(from: string, to: string): void {
    const known = this.links.get(from);
    if (known) known.add(to);
    else this.links.set(from, new Set([to]));
  }

  both(a: string, b: string): void {
    this.link(a, b);
    this.link(b, a);
  }

  /** Events of types that a recorder reports, unless it loses one. */
  reported(recorder: string, types: ReadonlySet<string> | readonly string[], loss = 0.02): readonly Occurrence[] {
    const wanted = new Set(types);
    const chance = this.chance(`loss ${recorder}`);
    const all = this.run.engine.journal.filter(({ type }) => wanted.has(type)).filter(() => !chance.is(loss));
    for (const { id } of all) this.shown.add(id);
    return all;
  }

  value(track: string, at_s: number, before = 0): number {
    return this.run.engine.tracks.get(track)?.at(at_s, before) ?? before;
  }

  add(path: string, lines: readonly string[]): void {
    if (lines.length > 0) this.files.set(path, `${lines.join('\n')}\n`);
  }
}

/** Requests from outside as the balancer before the services saw them. */
export const edgeCalls = ({ run }: Scene): Call[] =>
  run.calls
    .filter(({ caller, took_s }) => caller === '' && !Number.isNaN(took_s))
    .map((call) => ({
      ...call,
      service: EDGE,
      replica: `${EDGE}-0`,
      machine: undefined,
      served_s: call.from_s,
      served_until_s: call.from_s + call.took_s,
      servedOk: call.ok,
    }));

/** A line of text at a time, to be sorted. */
export interface Line {
  readonly at_s: number;
  readonly text: string;
}
export const sorted = (lines: readonly Line[]): string[] =>
  [...lines].sort((a, b) => a.at_s - b.at_s).map(({ text }) => text);
