import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, appendSample, attributesText } from '../../../model/rows/records.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import type { Nanos } from '../../../model/time.ts';
import { ERROR_LINE, GPU_LINE, LINK_LINE, MIG_LINE, NEAR, NVLINK } from './format.ts';
import { Matrix } from './matrix.ts';

interface Gpu {
  readonly index: string;
  readonly model: string;
  readonly uuid: string;
  readonly slices: { readonly profile: string; readonly uuid: string }[];
  readonly links: { readonly link: string; readonly up: boolean; readonly speed: number | undefined }[];
  readonly errors: { readonly link: string; readonly kind: string; readonly count: number }[];
}

/** All outputs of one file: a matrix and a list of the same machine's GPUs complement each other. */
export class Report {
  readonly matrix = new Matrix();
  private readonly gpus = new Map<string, Gpu>();
  private current: Gpu | undefined;
  /** Whether something was measured that needs a time. */
  hasStates = false;

  get isEmpty(): boolean {
    return this.gpus.size === 0 && this.matrix.rows.length === 0;
  }

  /** @returns why a line that belongs here cannot be read, or '' */
  line(text: string): string {
    if (this.gpuLine(text)) return '';
    const read = this.matrix.line(text);
    return typeof read === 'string' ? read : '';
  }

  private gpuLine(text: string): boolean {
    const gpu = GPU_LINE.exec(text);
    if (gpu) {
      const [, index = '', model = '', uuid = ''] = gpu;
      this.current = this.gpus.get(uuid) ?? { index, model, uuid, slices: [], links: [], errors: [] };
      this.gpus.set(uuid, this.current);
      return true;
    }
    if (!this.current) return false;
    const slice = MIG_LINE.exec(text);
    if (slice) this.current.slices.push({ profile: slice[1]!, uuid: slice[2]! });
    const link = LINK_LINE.exec(text);
    if (link) {
      const speed = link[2] === undefined ? undefined : Number(link[2]);
      this.current.links.push({ link: link[1]!, up: speed !== undefined, speed });
    }
    const error = ERROR_LINE.exec(text);
    if (error) {
      const [, number = '', kind = '', count = ''] = error;
      this.current.errors.push({ link: number, kind: kind.toLowerCase(), count: Number(count) });
    }
    this.hasStates ||= link !== null || error !== null;
    return slice !== null || link !== null || error !== null;
  }

  /** @param host undefined: unknown, and not needed with UUIDs */
  append(builder: BatchBuilder, host: string | undefined, time_ns: Nanos): void {
    const writer = new Writer(builder, host);
    for (const gpu of this.gpus.values()) writer.gpu(gpu, time_ns);
    writer.matrix(this.matrix, new Map([...this.gpus.values()].map(({ index, uuid }) => [index, uuid])));
  }
}

class Writer {
  private readonly builder: BatchBuilder;
  private readonly host: string | undefined;
  private readonly emitted = new Set<string>();

  constructor(builder: BatchBuilder, host: string | undefined) {
    this.builder = builder;
    this.host = host;
  }

  private relate(from: number, kind: 'contains' | 'connects', to: number, provenance: string): void {
    const key = `${from} ${kind} ${to}`;
    if (from === to || this.emitted.has(key)) return;
    this.emitted.add(key);
    appendEdge(this.builder, { from, kind, to, provenance });
  }

  /** A part of the machine, where the machine is known. */
  private inside(part: number, provenance: string): number {
    if (this.host !== undefined) this.relate(this.builder.entity('server', this.host), 'contains', part, provenance);
    return part;
  }

  gpu({ index, model, uuid, slices, links, errors }: Gpu, time_ns: Nanos): void {
    const { builder, host } = this;
    const identity = identifyGpu({ uuid, host, index });
    if (!identity) return;
    const gpu = builder.entity('gpu', identity.id, identity.aliases, attributesText({ model, index }));
    this.inside(gpu, 'nvidia-smi');
    for (const slice of slices) {
      const alias = [{ kind: 'gpu_uuid', name: slice.uuid }];
      const part = builder.entity('gpu', slice.uuid, alias, attributesText({ profile: slice.profile }));
      this.relate(gpu, 'contains', part, 'nvidia-smi -L');
    }
    const linkEntity = (link: string): number => {
      const entity = builder.entity('nvlink', `${identity.id}/link${link}`);
      this.relate(gpu, 'contains', entity, 'nvidia-smi nvlink');
      return entity;
    };
    for (const { link, up, speed } of links) {
      const entity = linkEntity(link);
      appendSample(builder, { entity, metric: 'hw.link.state', time_ns, value: up ? 1 : 0 });
      const metric = { name: 'nvidia_smi.nvlink.speed', unit: 'GB/s', description: 'Speed of an NVLink per direction' };
      if (speed !== undefined) appendSample(builder, { entity, metric, time_ns, value: speed });
    }
    for (const { link, kind, count } of errors)
      appendSample(builder, {
        entity: linkEntity(link),
        metric: 'hw.nvlink.errors',
        time_ns,
        value: count,
        attributes: { error: kind },
      });
  }

  matrix({ rows, nics }: Matrix, uuids: ReadonlyMap<string, string>): void {
    const near = new Map(rows.map((row) => [row.device, { cpu_affinity: row.cpus, numa_affinity: row.numa }]));
    const deviceOf = (name: string): number => {
      const attributes = attributesText(near.get(name) ?? {});
      const index = /^GPU(\d+)$/.exec(name)?.[1];
      const gpu = index === undefined ? undefined : identifyGpu({ uuid: uuids.get(index), host: this.host, index });
      const entity = gpu
        ? this.builder.entity('gpu', gpu.id, gpu.aliases, attributes)
        : this.builder.entity('nic', `${this.host}/${nics.get(name) ?? name}`, [], attributes);
      return this.inside(entity, 'nvidia-smi topo');
    };
    const far = new Map<string, Set<string>>();
    for (const { device, relations } of rows) {
      const from = deviceOf(device);
      for (const [other, relation] of relations) {
        const isGpu = [device, other].map((name) => /^GPU\d/.test(name));
        const provenance = `nvidia-smi topo: ${relation}`;
        if (isGpu[0] && isGpu[1] && NVLINK.test(relation)) this.relate(from, 'connects', deviceOf(other), provenance);
        else if (isGpu[0] !== isGpu[1] && NEAR.test(relation)) {
          // What befalls a network card is felt by the GPUs next to it, not the other way round.
          const [nic, gpu] = isGpu[0] ? [deviceOf(other), from] : [from, deviceOf(other)];
          this.relate(nic, 'connects', gpu, provenance);
        } else if (device !== other)
          far.set(relation, (far.get(relation) ?? new Set()).add([device, other].sort().join()));
      }
    }
    for (const [relation, pairs] of far)
      this.builder.remark(`left out: ${pairs.size} pairs of devices related by ${relation} only`);
  }
}
