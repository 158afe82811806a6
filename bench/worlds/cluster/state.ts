import type { EntityKind } from '../../../src/model/entity.ts';
import type { Service, Site } from './site.ts';

export interface Subject {
  readonly kind: EntityKind;
  readonly id: string;
}

/** Something that really happened, on the true clock: recorders put it in a vendor's words, or miss it. */
export interface Happening {
  readonly at_s: number;
  readonly what: string;
  readonly subject: Subject;
  /** Place in the list of servers, where a machine's own recorders can see it. */
  readonly server?: number;
  /** GPU, supply, unit or port of the subject. */
  readonly part?: number;
  readonly values?: Readonly<Record<string, string | number>>;
}

export class FeedState {
  /** Share of the nominal voltage, and below which it was for how long within this step. */
  volts = 1;
  dip_ms = 0;
  dip_volts = 1;
}

export class UpsState {
  charge = 1;
  on_battery = false;
  low = false;
  broken = false;
  can_bypass = true;
  battery_dead = false;
  output = true;
  gap_ms = 0;
  volts = 1;
  good_s = 0;
  load_w = 0;
}

export class PduState {
  heat = 0;
  tripped = false;
  overloaded = false;
  sagging = false;
  volts = 1;
  dip_ms = 0;
  load_w = 0;
}

export class SupplyState {
  broken = false;
  works = true;
  back_s = Number.NEGATIVE_INFINITY;
}

export class GpuState {
  celsius = 40;
  clock = 1;
  thermal = 1;
  /** Heat resistance against that of a clean one. */
  sick = 1;
  cap_w = Number.POSITIVE_INFINITY;
  watts = 60;
  util = 0;
  /** What a counter of busy time shows: a kernel that only waits is busy. */
  shown = 0;
  lost = false;
  throttled = false;
  capped = false;
  /** Bandwidth of its NVLinks against all lanes. */
  lanes = 1;
}

export class ServerState {
  readonly supplies: readonly SupplyState[];
  readonly gpus: readonly GpuState[];
  on = true;
  boot_s = 0;
  crashed_s = 0;
  load_w = 0;
  cpu = 0.3;
  cpu_clock = 1;
  braked = false;
  fans = 1;
  hot = false;
  cable = true;
  /** Share of the processors that somebody else uses. */
  stolen = 0;
  ready = true;
  away_s = 0;

  constructor(supplies: number, gpus: number) {
    this.supplies = Array.from({ length: supplies }, () => new SupplyState());
    this.gpus = Array.from({ length: gpus }, () => new GpuState());
  }
}

export class RowState {
  readonly running: boolean[];
  inlet_c: number;
  hot = false;

  constructor(units: number, setpoint_c: number) {
    this.running = new Array(units).fill(true);
    this.inlet_c = setpoint_c;
  }
}

export class LeafState {
  up = true;
  extra_gbps = 0;
  load = 0;
  delay_ms = 0;
  loss = 0;
}

export class StoreState {
  factor = 1;
  demand_gbps = 0;
  backlog_gb = 0;
  stalled_s = 0;
  wait_ms = 0;
}

export class ReplicaState {
  pod: string;
  server: number;
  up = true;
  ready_s = 0;
  failing_s = 0;
  balanced = true;
  queue = 0;
  memory = 0.4;
  restarts = 0;
  /** Mean milliseconds of its own work and waiting, callees left out; share of failed requests; requests per second. */
  own_ms = 0;
  errors = 0;
  rate = 0;

  constructor(pod: string, server: number) {
    this.pod = pod;
    this.server = server;
  }
}

export class ServiceState {
  readonly replicas: readonly ReplicaState[];
  work = 1;
  faulty = 0;
  demand = 1;
  leak = 0;
  rate = 0;
  total_ms = 0;
  errors = 0;
  version = 1;

  constructor({ replicas, work_ms }: Service) {
    this.replicas = replicas.map(({ pod, server }) => new ReplicaState(pod, server));
    this.total_ms = work_ms;
  }
}

export interface Step {
  readonly number: number;
  readonly from_s: number;
  readonly to_s: number;
  readonly load_s: number;
  readonly save_s: number;
}

export class JobState {
  progress = 0;
  number: number;
  begun_s = 0;
  saving_gb = 0;
  saved_s = 0;
  save_took_s = 0;
  load_took_s = 0;
  stalled_s = 0;
  restart_s = 0;
  killed = false;
  /** Seconds of loading per step that its own code adds. */
  slow_loader_s = 0;
  slow_exchange = 1;
  readonly steps: Step[] = [];

  constructor(number: number) {
    this.number = number;
  }
}

/** All that changes. Faults set members of it; the steps of power, heat, network, storage and work do the rest. */
export class State {
  readonly site: Site;
  readonly feeds: readonly FeedState[];
  readonly upses: readonly UpsState[];
  readonly pdus: readonly PduState[];
  readonly rows: readonly RowState[];
  readonly servers: readonly ServerState[];
  readonly leaves: readonly LeafState[];
  readonly stores: readonly StoreState[];
  readonly services: readonly ServiceState[];
  readonly jobs: readonly JobState[];
  readonly journal: Happening[] = [];
  at_s = 0;

  constructor(site: Site) {
    this.site = site;
    this.feeds = site.feeds.map(() => new FeedState());
    this.upses = site.upses.map(() => new UpsState());
    this.pdus = site.pdus.map(() => new PduState());
    this.rows = site.rows.map(({ units, setpoint_c }) => new RowState(units.length, setpoint_c));
    this.servers = site.servers.map(({ supplies, gpus }) => new ServerState(supplies.length, gpus.length));
    this.leaves = site.leaves.map(() => new LeafState());
    this.stores = site.stores.map(() => new StoreState());
    this.services = site.services.map((service) => new ServiceState(service));
    this.jobs = site.jobs.map((_, i) => new JobState(1000 * (i + 1) + (site.seed % 997)));
  }

  note(what: string, subject: Subject, more: Omit<Happening, 'at_s' | 'what' | 'subject'> = {}): void {
    this.journal.push({ at_s: this.at_s, what, subject, ...more });
  }

  /** What a machine's own recorders see; of a part, the part is the subject. */
  noteAt(
    what: string,
    server: number,
    part?: { readonly subject: Subject; readonly part: number },
    values?: Happening['values'],
  ): void {
    const subject = part?.subject ?? { kind: 'server' as const, id: this.site.servers[server]!.name };
    this.note(what, subject, { server, ...(part && { part: part.part }), ...(values && { values }) });
  }

  /** A machine that answers: powered, booted, and connected. */
  reachable(server: number): boolean {
    const { cable, on, crashed_s } = this.servers[server]!;
    return on && crashed_s <= 0 && cable && this.leaves[this.site.servers[server]!.leaf]!.up;
  }
}

export const gpuOf = (site: Site, server: number, part: number) => ({
  subject: { kind: 'gpu' as const, id: site.servers[server]!.gpus[part]!.uuid },
  part,
});
