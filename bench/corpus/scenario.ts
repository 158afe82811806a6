import type { Severity } from '../../src/model/entity.ts';
import type { EventType } from '../../src/model/telemetry/event-catalog.ts';
import type { Chance } from './chance.ts';
import type { EntityRef } from './label.ts';
import type { RecordedEdge } from './recording.ts';
import type { Machine, Service, World } from './site.ts';

/** Who writes events down; each has its own clock. */
export const sourceNames = [
  'ups',
  'pdu_snmp',
  'bms',
  'redfish',
  'rapl',
  'kernel',
  'nvml',
  'switch_snmp',
  'ufm',
  'kubernetes',
  'aws_health',
  'agent',
] as const;
export type SourceName = (typeof sourceNames)[number];

/** Something that truly happened, by the true clock in seconds after the start of the recording. */
export interface Happening {
  readonly at_s: number;
  readonly source: SourceName;
  readonly entity: EntityRef;
  readonly type: EventType;
  severity: Severity;
  readonly message: string;
  readonly cause: Happening | null;
  /** Not so when the link is lost, the layer withheld or the device silent. */
  recorded: boolean;
  /** Part of the scenario; decoys are not. */
  readonly isPartOfScenario: boolean;
}

export interface MachineEffect {
  readonly machine: Machine;
  readonly from_s: number;
  readonly to_s: number;
  /** Seconds until it bites in full. */
  readonly ramp_s: number;
  /** Work takes this many times as long. */
  readonly slow: number;
  /** Share of requests on this machine that fail, until a balancer takes it out after `ejected_s`. */
  readonly fail: number;
  readonly ejected_s: number;
}

export interface ServiceEffect {
  readonly service: string;
  readonly from_s: number;
  readonly to_s: number;
  readonly ramp_s: number;
  /** Share of requests that take `slow` times as long. */
  readonly share: number;
  readonly slow: number;
  readonly fail: number;
  /** Demand as a multiple of the usual. */
  readonly demand: number;
}

type HappeningFields = Pick<Happening, 'at_s' | 'source' | 'entity' | 'type' | 'severity' | 'message'>;

/** One world in which something happens: events with their true causes, and what machines and services feel. */
export class Scenario {
  readonly world: World;
  readonly chance: Chance;
  readonly happenings: Happening[] = [];
  readonly machineEffects: MachineEffect[] = [];
  readonly serviceEffects: ServiceEffect[] = [];
  private readonly lost: number;

  /** @param lost chance that an effect that happened was never written down */
  constructor(world: World, chance: Chance, lost: number) {
    this.world = world;
    this.chance = chance;
    this.lost = lost;
  }

  root(fields: HappeningFields): Happening {
    return this.add({ ...fields, cause: null, recorded: true, isPartOfScenario: true });
  }

  /** Something that follows from `cause`; it may go unrecorded. */
  effect(cause: Happening | null, fields: HappeningFields): Happening {
    return this.add({ ...fields, cause, recorded: !this.chance.chance(this.lost), isPartOfScenario: true });
  }

  decoy(fields: HappeningFields): Happening {
    return this.add({ ...fields, cause: null, recorded: true, isPartOfScenario: false });
  }

  private add(happening: Happening): Happening {
    this.happenings.push(happening);
    return happening;
  }

  slow(machine: Machine, effect: { from_s: number; to_s: number; slow: number; ramp_s?: number }): void {
    this.machineEffects.push({ machine, ramp_s: 1, fail: 0, ejected_s: Number.POSITIVE_INFINITY, ...effect });
  }

  /** Requests on the machine fail until the balancer notices; its share of the capacity is gone until `to_s`. */
  fail(machine: Machine, effect: { from_s: number; to_s: number; fail?: number }): void {
    // Health checks every 5 to 10 s, two or three of which must fail (Kubernetes readiness probe defaults: 10 s, 3).
    const ejected_s = effect.from_s + this.chance.between(10, 30);
    this.machineEffects.push({ machine, ramp_s: 0, slow: 1, fail: 1, ejected_s, ...effect });
  }

  service(service: string, effect: Partial<ServiceEffect> & { from_s: number; to_s: number }): void {
    this.serviceEffects.push({ service, ramp_s: 1, share: 0, slow: 1, fail: 0, demand: 1, ...effect });
  }

  servicesOn(machine: Machine): Service[] {
    return this.world.services.filter(({ machines }) => machines.includes(machine));
  }
}

interface MovedMetric {
  readonly service: string;
  readonly metric: string;
  readonly unit: string;
  readonly normal: number;
  readonly during: number;
  readonly from_s: number;
  readonly to_s: number;
}

/** What a family decided; times in seconds after the start. */
export interface Outcome {
  readonly root: EntityRef | null;
  readonly equivalents?: readonly EntityRef[];
  readonly guilty_service?: string;
  /** The event in which the root shows. */
  readonly event: Happening | null;
  /** Links that exist because of the scenario, such as where a new pod runs. */
  readonly edges?: readonly RecordedEdge[];
  /** A job that is done then: nothing of it is measured any more. */
  readonly done?: { readonly service: string; readonly at_s: number };
  /** Metrics of a service that the cause itself moves. */
  readonly moves?: readonly MovedMetric[];
  /** Log lines that only appear with the incident. */
  readonly logs?: readonly {
    readonly service: string;
    readonly from_s: number;
    readonly to_s: number;
    readonly body: string;
  }[];
}

/** @param at_s when the root happens, and how long it lasts */
export type Teller = (isPartOfScenario: Scenario, at_s: number, lasts_s: number) => Outcome;
