import type { Severity } from '../../../model/entity.ts';
import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { appendEdge, appendSample, attributesText } from '../../../model/rows/records.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { identifyGpu } from '../../../model/telemetry/gpu-identity.ts';
import { xidMeaning, xidSeverity } from '../../../model/telemetry/xid-catalog.ts';
import { appendEvent } from '../../sources/event-details/append-event.ts';
import { gpuUuid, migSliceId } from '../../sources/nvidia/gpu-uuid.ts';
import { measured } from '../../sources/nvidia/measured.ts';
import { queryField } from '../../sources/nvidia/query-fields.ts';
import type { GpuIdentity, GpuReading, SliceReading, ThreadMessage, Value } from './readings.ts';

const NVLINK_RATES = { 'nvlink.transmitted': 'hw.nvlink.transmit', 'nvlink.received': 'hw.nvlink.receive' } as const;
const nanosOf = (time_ms: number): bigint => BigInt(Math.round(time_ms * 1000)) * 1000n;

interface DriverEvent {
  readonly type: EventType;
  readonly severity: Severity;
  readonly message: string;
}
/** By nvmlEventType*. Xids have their own catalogue; clock changes are in the values. */
const driverEvents: Readonly<Record<number, DriverEvent>> = {
  1: { type: 'ecc_error', severity: 'low', message: 'the driver reported a corrected memory error' },
  2: { type: 'ecc_error', severity: 'high', message: 'the driver reported an uncorrected memory error' },
  512: { type: 'ecc_error', severity: 'medium', message: 'the driver reported a storm of corrected memory errors' },
  1024: { type: 'row_remap', severity: 'medium', message: 'the driver took a part of the GPU memory out of use' },
  2048: {
    type: 'row_remap',
    severity: 'high',
    message: 'the driver could not take a bad part of the GPU memory out of use',
  },
  4096: { type: 'ecc_error', severity: 'medium', message: 'poisoned data was found and contained' },
  8192: { type: 'ecc_error', severity: 'high', message: 'poisoned data was found and could not be contained' },
  16384: { type: 'gpu_lost', severity: 'critical', message: 'the GPU is unavailable' },
};

/**
 * Converts driver readings to the names that the decoders of nvidia-smi and DCGM use, so that each GPU is one entity.
 */
export class ReadingRows {
  private readonly builder: BatchBuilder;
  private readonly host: string;
  private contained = new Set<string>();
  /** GPU and direction -> bytes over all NVLinks, and their time. */
  private readonly carried = new Map<string, { readonly bytes: number; readonly time_ms: number }>();

  constructor(builder: BatchBuilder, host: string) {
    this.builder = builder;
    this.host = host;
  }

  /** Call it if rows were not stored: they are emitted again. */
  forget(): void {
    this.contained = new Set();
  }

  reading({ gpu, time_ms, values, links, slices, limits }: GpuReading, driver: string): void {
    const { entity, id } = this.gpu(gpu, driver);
    const time_ns = nanosOf(time_ms);
    for (const value of values) this.value(entity, { id, time_ms }, value, limits[value[0]]);
    for (const slice of slices) this.slice({ entity, id, time_ms }, slice);
    for (const { link, up, errors } of links) {
      const wire = this.builder.entity('nvlink', `${id}/link${link}`);
      this.contains(`${id} link ${link}`, entity, wire);
      appendSample(this.builder, { entity: wire, metric: 'hw.link.state', time_ns, value: up ? 1 : 0 });
      for (const [error, count] of errors)
        appendSample(this.builder, {
          entity: wire,
          metric: 'hw.nvlink.errors',
          time_ns,
          value: count,
          attributes: { error },
        });
    }
  }

  private slice(
    { entity: whole, id: gpu, time_ms }: { readonly entity: number; readonly id: string; readonly time_ms: number },
    { instance, uuid, profile, values }: SliceReading,
  ): void {
    const id = migSliceId(gpu, String(instance));
    const mig = gpuUuid(uuid);
    const attributes = attributesText({ mig_profile: profile || undefined, gpu_instance: String(instance) });
    const entity = this.builder.entity('gpu', id, mig ? [{ kind: 'gpu_uuid', name: mig }] : [], attributes);
    this.contains(id, whole, entity);
    for (const value of values) this.value(entity, { id, time_ms }, value);
  }

  event({ gpu, time_ms, type, data, instance }: ThreadMessage & { readonly kind: 'event' }): void {
    const known = type === 8 ? xid(data) : driverEvents[type];
    const meaning = known ?? { type: 'process_event', severity: 'low', message: `the driver reported event ${type}` };
    appendEvent(this.builder, {
      entity: this.gpu(gpu, '').entity,
      time_ns: nanosOf(time_ms),
      origin: 'nvml',
      ...meaning,
      attributes: {
        ...(type === 8 ? { xid: data, ...xidMeaning(data) } : { nvml_event: type }),
        ...(instance === undefined ? {} : { gpu_instance: instance }),
      },
    });
  }

  lost({ gpu, time_ms, reason }: ThreadMessage & { readonly kind: 'lost' }): void {
    appendEvent(this.builder, {
      entity: this.gpu(gpu, '').entity,
      time_ns: nanosOf(time_ms),
      type: 'gpu_lost',
      severity: 'critical',
      message: `NVML: ${reason}`,
      origin: 'nvml',
    });
  }

  private gpu(gpu: GpuIdentity, driver_version: string): { readonly entity: number; readonly id: string } {
    const { builder, host } = this;
    const { index, model, pci, serial, uuid, vbios_version } = gpu;
    const identity = identifyGpu({ uuid: gpuUuid(uuid), host, index, pci });
    const { aliases, id } = identity ?? { id: `${host}/gpu${index}`, aliases: [] };
    const attributes = attributesText({
      model,
      driver_version,
      serial: statedText(serial),
      vbios_version: statedText(vbios_version),
    });
    const entity = builder.entity('gpu', id, aliases, attributes);
    this.contains(id, builder.entity('server', host, [{ kind: 'host_name', name: host }]), entity);
    return { entity, id };
  }

  private contains(key: string, from: number, to: number): void {
    if (this.contained.has(key)) return;
    this.contained.add(key);
    appendEdge(this.builder, { from, kind: 'contains', to, provenance: 'nvml' });
  }

  private value(
    entity: number,
    { id, time_ms }: { readonly id: string; readonly time_ms: number },
    [property, value, unit]: Value,
    limits: Readonly<Record<string, number>> = {},
  ): void {
    const time_ns = nanosOf(time_ms);
    if (property === 'nvlink.transmitted' || property === 'nvlink.received') {
      const rate = this.rate(`${id} ${property}`, value * 1024, time_ms);
      if (rate !== undefined)
        appendSample(this.builder, { entity, metric: NVLINK_RATES[property], time_ns, value: rate });
      return;
    }
    const reading = queryField(property, unit);
    if (!reading) return;
    const attributes = { ...reading.attributes, ...limits };
    appendSample(this.builder, { entity, time_ns, attributes, ...measured(reading, value, unit) });
  }

  /** Bytes per second since the previous value; undefined for the first, and after a counter reset. */
  private rate(key: string, bytes: number, time_ms: number): number | undefined {
    const before = this.carried.get(key);
    this.carried.set(key, { bytes, time_ms });
    if (!before || bytes < before.bytes || time_ms <= before.time_ms) return undefined;
    return ((bytes - before.bytes) * 1000) / (time_ms - before.time_ms);
  }
}

const statedText = (text: string): string | undefined => (/^\[?(N\/A|0)?\]?$/i.test(text) ? undefined : text);

function xid(code: number): DriverEvent {
  const known = xidMeaning(code);
  return {
    type: 'xid_error',
    severity: xidSeverity(code),
    message: `Xid ${code}${known ? `: ${known.meaning}` : ''}`,
  };
}
