import type { EntityRef } from './label.ts';
import type { Named, RecordedEdge } from './recording.ts';

/** A machine with its supplies and cards; `instance` in a cloud, where nothing of its power is known. */
export interface Machine {
  readonly kind: 'server' | 'instance';
  readonly id: string;
  readonly rack: string;
  /** PDUs of feed A and B; one on edge sites with power over Ethernet; none in a cloud. */
  readonly pdus: readonly string[];
  /** One per PDU, when the inventory knows power supplies. */
  readonly psus: readonly string[];
  readonly gpus: readonly string[];
  readonly nic: string;
  /** How Kubernetes calls it. */
  readonly node: string;
}

export interface Service {
  readonly name: string;
  readonly form: 'online' | 'training' | 'storage';
  readonly machines: readonly Machine[];
  /** One per machine: a pod, or a rank of a training job; none when it runs on the machine itself. */
  readonly workers: readonly EntityRef[];
  readonly calls: readonly string[];
  /** Requests per second from outside (0 when only other services call); of training, samples per second. */
  readonly rate: number;
  readonly median_ms: number;
  readonly sigma: number;
}

export interface World {
  readonly cloud: boolean;
  readonly edge: boolean;
  readonly racks: readonly string[];
  readonly upses: readonly string[];
  readonly breakers: ReadonlyMap<string, string>;
  readonly pduUps: ReadonlyMap<string, string>;
  readonly cooling: ReadonlyMap<string, string>;
  /** Top-of-rack switch by rack; on the edge site the one that powers its machines. */
  readonly switches: ReadonlyMap<string, string>;
  readonly leaves: ReadonlyMap<string, string>;
  readonly machines: readonly Machine[];
  readonly services: readonly Service[];
  readonly edges: readonly RecordedEdge[];
  readonly aliases: readonly Named[];
}

/** What a family needs of its world. */
export interface Needs {
  readonly cloud?: boolean;
  readonly edge?: boolean;
  readonly training?: boolean;
  readonly breakers?: boolean;
  readonly leaves?: boolean;
}

export const ref = (kind: EntityRef['kind'], id: string): EntityRef => ({ kind, id });
export const pad = (number: number): string => String(number).padStart(2, '0');
export const machineRef = ({ kind, id }: Machine): EntityRef => ({ kind, id });
export const EDGE_RACK = 'edge-site';
