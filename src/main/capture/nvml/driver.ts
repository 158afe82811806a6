import { normalizePciAddress } from '../../../model/telemetry/gpu-identity.ts';
import { steadyNow } from '../steady-clock.ts';
import { type DriverLibrary, isDriverGone, returnText, SUCCESS, TIMEOUT } from './driver-library.ts';
import { changing, GpuQueries } from './queries.ts';
import type { GpuIdentity, GpuReading } from './readings.ts';
import { slicesOf } from './slices.ts';

/** nvmlEventType*: all except MIG configuration; only types that the driver offers for a GPU are registered. */
const WANTED_EVENTS = 0xfe9fn;
/** nvmlEventTypePState, Clock, PowerSourceChange, GpuRecoveryAction: the current values explain them. */
export const CHANGES = 0x8094;
const NO_INSTANCE = 0xffffffff;
/** More GPUs than a machine can have; a higher count is ignored. */
const MOST_GPUS = 256;

interface KnownGpu {
  readonly handle: bigint;
  readonly identity: GpuIdentity;
  readonly queries: GpuQueries;
  readonly limits: GpuReading['limits'];
}

export interface DriverEvent {
  /** undefined: the GPU was not present when the driver was initialised. */
  readonly gpu: GpuIdentity | undefined;
  readonly type: number;
  readonly data: number;
  readonly instance: number | undefined;
}

/** The driver could not be initialised, or was unloaded. */
export class DriverGone extends Error {}

/** A driver session from its initialisation to its end; not safe to use after `DriverGone`. */
export class Driver {
  private readonly library: DriverLibrary;
  private readonly gpus: KnownGpu[] = [];
  private events: bigint | undefined;
  readonly version: string;
  /** GPU count of the driver, with those that it cannot reach. */
  readonly count: number;

  /** @throws DriverGone */
  constructor(library: DriverLibrary) {
    this.library = library;
    const code = library.call(['nvmlInit_v2', 'nvmlInit'], '');
    if (code !== SUCCESS) throw new DriverGone(returnText(code));
    this.version = library.text(64, (bytes) => library.call(['nvmlSystemGetDriverVersion'], 'pu', bytes, bytes.length));
    const count = Buffer.alloc(4);
    this.must(library.call(['nvmlDeviceGetCount_v2', 'nvmlDeviceGetCount'], 'p', count));
    this.count = Math.min(count.readUInt32LE(0), MOST_GPUS);
    for (let index = 0; index < this.count; index++) this.add(index);
    this.subscribe();
  }

  get size(): number {
    return this.gpus.length;
  }

  close(): void {
    if (this.events !== undefined) this.library.call(['nvmlEventSetFree'], 'h', this.events);
    this.library.call(['nvmlShutdown'], '');
  }

  /**
   * All values of each GPU; lost GPUs are left out.
   *
   * @throws DriverGone
   */
  poll(withThroughput: boolean): GpuReading[] {
    return this.gpus.flatMap((gpu): GpuReading[] => {
      if (gpu.queries.gone !== SUCCESS) return [];
      const time_ms = steadyNow();
      const reading = { gpu: gpu.identity, time_ms, limits: gpu.limits };
      const values = gpu.queries.all(withThroughput);
      const links = gpu.queries.linkReadings();
      const slices = gpu.queries.gone === SUCCESS ? slicesOf(this.library, gpu.handle) : [];
      return this.isThere(gpu) ? [{ ...reading, values, links, slices }] : [];
    });
  }

  /** Values that change with an event. @throws DriverGone */
  changed(uuid: string): GpuReading[] {
    const gpu = this.gpus.find(({ identity }) => identity.uuid === uuid);
    if (!gpu || gpu.queries.gone !== SUCCESS) return [];
    const time_ms = steadyNow();
    const values = gpu.queries.scalars(changing);
    return this.isThere(gpu) ? [{ gpu: gpu.identity, time_ms, values, links: [], slices: [], limits: {} }] : [];
  }

  /** Reasons by UUID why GPUs no longer answer. */
  get lost(): Map<string, string> {
    const lost = this.gpus.filter(({ queries }) => queries.gone !== SUCCESS);
    return new Map(lost.map(({ identity, queries }) => [identity.uuid, returnText(queries.gone)]));
  }

  /** Properties that GPUs do not offer, with the number of GPUs. */
  get absent(): Map<string, number> {
    const absent = new Map<string, number>();
    for (const { queries } of this.gpus)
      for (const property of queries.absent) absent.set(property, (absent.get(property) ?? 0) + 1);
    return absent;
  }

  get hasEvents(): boolean {
    return this.events !== undefined;
  }

  /** Waits so long for the next event; undefined: there was none, `failed`: waiting is not possible. */
  nextEvent(milliseconds: number): DriverEvent | undefined | 'failed' {
    if (this.events === undefined) return 'failed';
    const bytes = Buffer.alloc(32);
    bytes.writeUInt32LE(NO_INSTANCE, 24);
    // The older form has no MIG instance.
    const names = ['nvmlEventSetWait_v2', 'nvmlEventSetWait'];
    const code = this.library.call(names, 'hpu', this.events, bytes, milliseconds);
    if (code === TIMEOUT) return undefined;
    if (isDriverGone(code)) throw new DriverGone(returnText(code));
    if (code !== SUCCESS) return 'failed';
    const handle = bytes.readBigUInt64LE(0);
    const instance = bytes.readUInt32LE(24);
    return {
      gpu: this.gpus.find((gpu) => gpu.handle === handle)?.identity,
      type: Number(bytes.readBigUInt64LE(8)),
      data: Number(bytes.readBigUInt64LE(16)),
      instance: instance === NO_INSTANCE ? undefined : instance,
    };
  }

  private add(index: number): void {
    const { library } = this;
    const bytes = Buffer.alloc(8);
    const names = ['nvmlDeviceGetHandleByIndex_v2', 'nvmlDeviceGetHandleByIndex'];
    const code = library.call(names, 'up', index, bytes);
    if (isDriverGone(code)) this.must(code);
    if (code !== SUCCESS) return;
    const handle = bytes.readBigUInt64LE(0);
    const readText = (name: string) =>
      library.text(96, (room) => library.call([`nvmlDeviceGet${name}`], 'hpu', handle, room, room.length));
    const uuid = readText('UUID');
    // A GPU that fell off the bus earlier has no handle or no UUID: it cannot be identified.
    if (uuid === '') return;
    const queries = new GpuQueries(library, handle);
    const identity = {
      uuid,
      index,
      pci: this.address(handle),
      model: readText('Name'),
      serial: readText('Serial'),
      vbios_version: readText('VbiosVersion'),
    };
    this.gpus.push({ handle, identity, queries, limits: queries.limits() });
  }

  /** nvmlPciInfo_t: all its versions start with a short bus id, then domain, bus and device as numbers. */
  private address(handle: bigint): string {
    const bytes = Buffer.alloc(128);
    const names = ['nvmlDeviceGetPciInfo_v3', 'nvmlDeviceGetPciInfo_v2', 'nvmlDeviceGetPciInfo'];
    if (this.library.call(names, 'hp', handle, bytes) !== SUCCESS) return '';
    const [domain, bus, device] = [16, 20, 24].map((at) => bytes.readUInt32LE(at).toString(16).padStart(2, '0'));
    return normalizePciAddress(`${domain?.padStart(4, '0')}:${bus}:${device}`);
  }

  private subscribe(): void {
    const { library } = this;
    const bytes = Buffer.alloc(8);
    if (library.call(['nvmlEventSetCreate'], 'p', bytes) !== SUCCESS) return;
    const set = bytes.readBigUInt64LE(0);
    let registered = 0;
    for (const { handle } of this.gpus) {
      if (library.call(['nvmlDeviceGetSupportedEventTypes'], 'hp', handle, bytes) !== SUCCESS) continue;
      const wanted = bytes.readBigUInt64LE(0) & WANTED_EVENTS;
      if (wanted !== 0n && library.call(['nvmlDeviceRegisterEvents'], 'hqh', handle, wanted, set) === SUCCESS)
        registered++;
    }
    if (registered > 0) this.events = set;
    else library.call(['nvmlEventSetFree'], 'h', set);
  }

  private must(code: number): void {
    if (code === SUCCESS) return;
    this.library.call(['nvmlShutdown'], '');
    throw new DriverGone(returnText(code));
  }

  private isThere({ queries }: KnownGpu): boolean {
    if (isDriverGone(queries.gone)) throw new DriverGone(returnText(queries.gone));
    return queries.gone === SUCCESS;
  }
}
