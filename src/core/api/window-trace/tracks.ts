import { type EntityKind, entityKey, layerOf, layers } from '../../../model/entity.ts';
import { Lanes } from './lanes.ts';

interface TrackEntity {
  readonly kind: EntityKind;
  readonly id: string;
}

export interface Resource {
  readonly entity: number;
  /** JSON text; null: none. */
  readonly attributes: string | null;
  readonly schema_url: string | null;
  /** Pod, machine or instance, to distinguish instances of a service. */
  readonly place: string | null;
}

interface Process {
  readonly pid: number;
  readonly lanes: Lanes;
  /** Thread ids: of lanes by their number, of events. */
  readonly threads: number[];
  events: number;
}

/** Beyond what pids are given: some readers take the thread whose id is the process' for the main one. */
const FIRST_THREAD = 1_000_001;

const json = (value: unknown): string => JSON.stringify(value);

/** Processes and threads of the trace: one process per service and instance, and one per other entity. */
export class Tracks {
  private readonly entities: ReadonlyMap<number, TrackEntity>;
  private readonly resources: ReadonlyMap<number, Resource>;
  private readonly processes = new Map<string, Process>();
  private threads = FIRST_THREAD;
  /** Metadata events that have to be written before what comes next. */
  private written: string[] = [];

  constructor(entities: ReadonlyMap<number, TrackEntity>, resources: ReadonlyMap<number, Resource>) {
    this.entities = entities;
    this.resources = resources;
  }

  /** Hands over the metadata events of tracks that are new. */
  take(): string[] {
    const { written } = this;
    this.written = [];
    return written;
  }

  process(entity: number, resource: number): Process {
    const key = `${entity} ${resource}`;
    const known = this.processes.get(key);
    if (known) return known;
    const process: Process = { pid: this.processes.size + 1, lanes: new Lanes(), threads: [], events: 0 };
    this.processes.set(key, process);
    this.introduce(process.pid, entity, resource);
    return process;
  }

  thread(process: Process, lane: number): number {
    let thread = process.threads[lane];
    if (thread === undefined) {
      thread = this.threads++;
      process.threads[lane] = thread;
      this.name(process.pid, thread, lane === 0 ? 'spans' : `spans ${lane + 1}`, lane + 1);
    }
    return thread;
  }

  eventThread(process: Process): number {
    if (process.events === 0) {
      process.events = this.threads++;
      this.name(process.pid, process.events, 'events', 0);
    }
    return process.events;
  }

  /** A line of metadata that Faultline reads and others pass over. */
  writeMetadata(pid: number, name: string, args: object): void {
    this.written.push(`{"ph":"M","pid":${pid},"name":${json(name)},"args":${json(args)}}`);
  }

  keyOf(entity: number): string | undefined {
    const trackEntity = this.entities.get(entity);
    return trackEntity && entityKey(trackEntity.kind, trackEntity.id);
  }

  private introduce(pid: number, entity: number, resource: number): void {
    const node = this.entities.get(entity);
    const from = this.resources.get(resource);
    const place = from?.place && from.place !== node?.id ? ` on ${from.place}` : '';
    this.writeMetadata(pid, 'process_name', {
      name: `${node ? `${node.kind} ${node.id}` : 'spans of unknown origin'}${place}`,
    });
    this.writeMetadata(pid, 'process_sort_index', {
      sort_index: node ? layers.indexOf(layerOf(node.kind)) : layers.length,
    });
    const stated = from && {
      entity: this.keyOf(from.entity),
      attributes: from.attributes ?? undefined,
      schema_url: from.schema_url ?? undefined,
    };
    this.writeMetadata(pid, 'faultline_process', { entity: this.keyOf(entity), resource: stated });
  }

  private name(pid: number, thread: number, name: string, order: number): void {
    const head = `{"ph":"M","pid":${pid},"tid":${thread}`;
    this.written.push(`${head},"name":"thread_name","args":{"name":${json(name)}}}`);
    this.written.push(`${head},"name":"thread_sort_index","args":{"sort_index":${order}}}`);
  }
}
