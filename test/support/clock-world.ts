import { EntityGraph } from '../../src/core/analysis/topology/entity-graph.ts';
import type { ClockFact, EntityFact, EventFact } from '../../src/core/store/facts/reader.ts';
import type { EntityKind } from '../../src/model/entity.ts';
import { ALWAYS_FROM, ALWAYS_TO } from '../../src/model/rows/rows.ts';

/** A fleet whose events happen at known instants and are written down by clocks that are off by known amounts. */

export const ORIGIN_NS = 1_767_225_600_000_000_000n;

/** Mulberry32: the same numbers for a seed on every machine. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** @returns a number spread evenly over the logarithm of [low, high] */
export const logUniform = (random: () => number, low: number, high: number): number => low * (high / low) ** random();
export const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
export const pick = <T>(random: () => number, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

export interface Fleet {
  readonly graph: EntityGraph;
  readonly pdus: readonly number[];
  /** Of the PDU of the same place. */
  readonly servers: readonly (readonly number[])[];
  readonly allServers: readonly number[];
  readonly gpus: ReadonlyMap<number, readonly number[]>;
}

export function fleet(pdus: number, serversPerPdu: number, gpusPerServer = 4): Fleet {
  const entities: EntityFact[] = [];
  const edges: { from_id: number; kind: 'feeds' | 'contains'; to_id: number }[] = [];
  const add = (kind: EntityKind): number => {
    const entity_id = entities.length;
    entities.push({ entity_id, canonical_id: entity_id, kind, id: `${kind}-${entity_id}` });
    return entity_id;
  };
  const gpus = new Map<number, number[]>();
  const pduIds = Array.from({ length: pdus }, () => add('pdu'));
  const servers = pduIds.map((pdu) =>
    Array.from({ length: serversPerPdu }, () => {
      const server = add('server');
      edges.push({ from_id: pdu, kind: 'feeds', to_id: server });
      const own = Array.from({ length: gpusPerServer }, () => add('gpu'));
      for (const gpu of own) edges.push({ from_id: server, kind: 'contains', to_id: gpu });
      gpus.set(server, own);
      return server;
    }),
  );
  const always = edges.map((edge) => ({ ...edge, valid_from_ns: ALWAYS_FROM, valid_to_ns: ALWAYS_TO }));
  return {
    graph: new EntityGraph(entities, always, ORIGIN_NS),
    pdus: pduIds,
    servers,
    allServers: servers.flat(),
    gpus,
  };
}

export interface RecorderOptions {
  /** Seconds that the source's clock is ahead. */
  readonly ahead?: number;
  /** Times are cut to multiples of this many seconds. */
  readonly digits?: number;
  readonly ppm?: number;
  readonly fixed?: boolean;
  readonly offset_ns?: bigint;
  readonly uncertainty_ns?: bigint;
}

/** Writes events down as its recorders would. */
export class EventRecording {
  readonly events: EventFact[] = [];
  private readonly recorders = new Map<number, RecorderOptions>();
  private readonly seconds: number;

  /** @param seconds for which every source records */
  constructor(seconds: number) {
    this.seconds = seconds;
  }

  recorder(source_id: number, options: RecorderOptions = {}): void {
    this.recorders.set(source_id, options);
  }

  /** @param at true instant, seconds from the beginning of the recording */
  write(source_id: number, at: number, type: string, entity: number): number {
    const { ahead = 0, digits = 0, ppm = 0, offset_ns = 0n } = this.recorders.get(source_id)!;
    const shown = at + ahead + (at * ppm) / 1e6;
    const cut = digits === 0 ? shown : Math.floor(shown / digits + 1e-9) * digits;
    const event_id = this.events.length + 1;
    this.events.push({
      event_id,
      original_id: `event-${event_id}`,
      time_ns: ORIGIN_NS + BigInt(Math.round(cut * 1e9)) + offset_ns,
      clock_uncertainty_ns: 0n,
      source_id,
      entity,
      device_id: `entity-${entity}`,
      type,
      origin: `source-${source_id}`,
      severity: 1,
      message: '',
      details: {},
    });
    return event_id;
  }

  sources(): ClockFact[] {
    return [...this.recorders].map(([source_id, { ahead = 0, fixed = false, offset_ns = 0n, uncertainty_ns = 0n }]) => {
      const first_ns = ORIGIN_NS + BigInt(Math.round(ahead * 1e9));
      return {
        source_id,
        name: `source-${source_id}`,
        clock_offset_ns: offset_ns,
        clock_uncertainty_ns: uncertainty_ns,
        fixed,
        first_ns,
        last_ns: first_ns + BigInt(Math.round(this.seconds * 1e9)),
      };
    });
  }
}
