import type { EntityKind } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, attributesText } from '../../../model/rows/records.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';

const PROVENANCE = 'dcgmi';
/** DCGM's groups of entities in small letters, and what they are called inside their machine. */
const groups: ReadonlyMap<string, readonly [kind: EntityKind, name: string]> = new Map([
  ['gpu-i', ['gpu', 'gpu-instance']],
  ['gpu_i', ['gpu', 'gpu-instance']],
  ['gpu-ci', ['gpu', 'gpu-compute-instance']],
  ['gpu_ci', ['gpu', 'gpu-compute-instance']],
  ['vgpu', ['gpu', 'vgpu']],
  ['switch', ['switch', 'nvswitch']],
  ['nvswitch', ['switch', 'nvswitch']],
  ['link', ['nvlink', 'link']],
  ['cpu', ['cpu', 'cpu']],
]);

/** The machine that dcgmi ran on, which it never names, and what is in it. */
export class Machine {
  private readonly builder: BatchBuilder;
  private readonly host: string;
  private readonly emitted = new Set<string>();

  constructor(builder: BatchBuilder, host: string) {
    this.builder = builder;
    this.host = host;
  }

  get server(): number {
    return this.builder.entity('server', this.host, [{ kind: 'host_name', name: this.host }]);
  }

  /** DCGM counts GPUs as the driver does. */
  part(group: string, number: string, attributes: Readonly<Record<string, unknown>> = {}): number {
    const known = groups.get(group.toLowerCase());
    const kind = /^gpu$/i.test(group) ? 'gpu' : (known?.[0] ?? 'device');
    const identity = kind === 'gpu' && !known ? identifyGpu({ host: this.host, index: number }) : undefined;
    const id = identity?.id ?? `${this.host}/${known?.[1] ?? group.toLowerCase()}${number}`;
    const entity = this.builder.entity(kind, id, identity?.aliases ?? [], attributesText(attributes));
    if (!this.emitted.has(`${kind}:${id}`)) {
      this.emitted.add(`${kind}:${id}`);
      appendEdge(this.builder, { from: this.server, kind: 'contains', to: entity, provenance: PROVENANCE });
    }
    return entity;
  }
}
