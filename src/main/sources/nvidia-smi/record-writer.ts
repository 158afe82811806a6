import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, appendSample, attributesText } from '../../../model/rows/records.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import { appendEvent } from '../event-details/append-event.ts';
import { maskOfReasons } from '../nvidia/clocks-event-reasons.ts';
import { gpuUuid, migSliceId } from '../nvidia/gpu-uuid.ts';
import { measured } from '../nvidia/measured.ts';
import { queryField } from '../nvidia/query-fields.ts';
import {
  type GpuRecord,
  isLost,
  type ProcessRecord,
  type Property,
  printedValue,
  type SliceRecord,
} from './gpu-record.ts';

const PROVENANCE = 'nvidia-smi';

/** A GPU that rows can be written about. */
export interface KnownGpu {
  readonly id: string;
  readonly entity: number;
}

const versionNames = [
  ['vbios_version', 'VBIOS'],
  ['driver_version', 'driver'],
] as const;

const definedOf = (attributes: GpuRecord['attributes']): GpuRecord['attributes'] =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));

/** Writes the records of nvidia-smi about GPUs, their slices and processes. */
export class RecordWriter {
  private readonly builder: BatchBuilder;
  private readonly emitted = new Set<string>();
  private readonly lost = new Set<string>();
  /** Versions of firmware and driver by GPU, as the record before stated them. */
  private readonly versions = new Map<string, GpuRecord['attributes']>();
  private readonly host: string | undefined;

  constructor(builder: BatchBuilder, host: string | undefined) {
    this.builder = builder;
    this.host = host;
  }

  /** Names the GPU, and the server that it is in when that is known; undefined when the record names none. */
  gpu({ names, attributes }: Pick<GpuRecord, 'names' | 'attributes'>): KnownGpu | undefined {
    const host = names.host || this.host;
    const identity = identifyGpu({ ...names, host });
    if (!identity) return undefined;
    const entity = this.builder.entity('gpu', identity.id, identity.aliases, attributesText(attributes));
    if (host) {
      const server = this.builder.entity('server', host, [{ kind: 'host_name', name: host }]);
      this.relate(`${host} contains ${identity.id}`, server, 'contains', entity);
    }
    return { id: identity.id, entity };
  }

  record(gpu: KnownGpu, record: GpuRecord, raw: string): void {
    const { time_ns, properties, reasons, limits } = record;
    this.noticeLoss(gpu, record, raw);
    this.noticeVersions(gpu, record, raw);
    const shown = new Set(properties.filter(({ name, text }) => printedValue(name, text)).map(({ name }) => name));
    for (const property of properties) {
      // The only power that a record gives, and the only limit, is the one that counts.
      const alone = property.name === 'power.draw.average' && !shown.has('power.draw');
      const limit = property.name === 'power.limit' && !shown.has('enforced.power.limit');
      const name = alone ? 'power.draw' : limit ? 'enforced.power.limit' : property.name;
      this.sample(gpu.entity, { ...property, name }, time_ns, limits.get(property.name));
    }
    if (reasons !== undefined && !shown.has('clocks_event_reasons.active')) {
      const { mask, unnamed } = maskOfReasons(reasons);
      const attributes = unnamed.length > 0 ? { hw: unnamed.join() } : {};
      const metric = 'hw.gpu.clocks_event_reasons';
      appendSample(this.builder, { entity: gpu.entity, metric, time_ns, value: mask, attributes });
    }
  }

  slice(gpu: KnownGpu, { instance, uuid, properties }: SliceRecord, time_ns: bigint): void {
    const entity = this.sliceEntity(gpu, instance, uuid);
    for (const property of properties) this.sample(entity, property, time_ns);
  }

  process(gpu: KnownGpu, { pid, name, instance, used, unit }: ProcessRecord, time_ns: bigint): void {
    const home = instance === '' ? gpu.entity : this.sliceEntity(gpu, instance, undefined);
    const id = `${this.host ?? gpu.id}/pid-${pid}`;
    const entity = this.builder.entity('process', id, [], attributesText({ name }));
    this.relate(`${id} runs_on ${gpu.id} ${instance}`, entity, 'runs_on', home);
    this.sample(entity, { name: 'memory.used', text: used, unit }, time_ns);
  }

  private sliceEntity(gpu: KnownGpu, instance: string, uuid: string | undefined): number {
    const id = migSliceId(gpu.id, instance);
    const mig = gpuUuid(uuid);
    const entity = this.builder.entity('gpu', id, mig ? [{ kind: 'gpu_uuid', name: mig }] : []);
    this.relate(`${gpu.id} contains ${id}`, gpu.entity, 'contains', entity);
    return entity;
  }

  private relate(key: string, from: number, kind: 'contains' | 'runs_on', to: number): void {
    if (this.emitted.has(key)) return;
    this.emitted.add(key);
    appendEdge(this.builder, { from, kind, to, provenance: PROVENANCE });
  }

  private sample(
    entity: number,
    { name, text, unit }: Property,
    time_ns: bigint,
    limits: Readonly<Record<string, number>> = {},
  ): void {
    const printed = printedValue(name, text);
    const reading = queryField(name, unit || printed?.unit || '1');
    if (!printed || !reading) return;
    const recorded = printed.unit || unit || reading.unit;
    const attributes = { ...reading.attributes, ...limits };
    appendSample(this.builder, { entity, time_ns, attributes, ...measured(reading, printed.value, recorded) });
  }

  /** A GPU states its versions with each record: what differs from the record before was changed between them. */
  private noticeVersions(gpu: KnownGpu, { attributes, time_ns }: GpuRecord, raw: string): void {
    const before = this.versions.get(gpu.id);
    this.versions.set(gpu.id, { ...before, ...definedOf(attributes) });
    if (!before) return;
    for (const [key, what] of versionNames) {
      const [was, now] = [before[key], attributes[key]];
      if (was === undefined || now === undefined || was === now) continue;
      appendEvent(this.builder, {
        entity: gpu.entity,
        time_ns,
        type: 'firmware_changed',
        severity: 'low',
        message: `${what} ${was} to ${now}`,
        origin: 'nvidia-smi',
        raw,
      });
    }
  }

  /** Written once when a GPU falls off the bus, and again only after it came back. */
  private noticeLoss(gpu: KnownGpu, { time_ns, properties }: GpuRecord, raw: string): void {
    if (!properties.some(({ text }) => isLost(text))) {
      this.lost.delete(gpu.id);
      return;
    }
    if (this.lost.has(gpu.id)) return;
    this.lost.add(gpu.id);
    const message = 'nvidia-smi: GPU is lost';
    appendEvent(this.builder, {
      entity: gpu.entity,
      time_ns,
      type: 'gpu_lost',
      severity: 'critical',
      message,
      origin: 'nvidia-smi',
      raw,
    });
  }
}
