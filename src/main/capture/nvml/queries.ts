import { type DriverLibrary, isDriverGone, isGpuGone, isNotOffered, SUCCESS } from './driver-library.ts';
import type { LinkReading, Value } from './readings.ts';

/** A function `(device, numbers…, output)`, and the name of its value in `nvidia-smi --query-gpu`. */
interface Query {
  /** Newest first. */
  readonly names: readonly string[];
  readonly numbers: readonly number[];
  readonly property: string;
  readonly unit: string;
  readonly bits: 32 | 64;
}
const query = (name: string, property: string, unit: string, ...numbers: number[]): Query => ({
  names: [`nvmlDeviceGet${name}`],
  numbers,
  property,
  unit,
  bits: 32,
});
const long = (one: Query, ...older: string[]): Query => ({
  ...one,
  names: [...one.names, ...older.map((name) => `nvmlDeviceGet${name}`)],
  bits: 64,
});
/** nvmlMemoryErrorType_t, nvmlEccCounterType_t */
const ecc = (kind: 0 | 1, lifetime: 0 | 1): Query[] => {
  const property = `ecc.errors.${kind === 0 ? 'corrected' : 'uncorrected'}.${lifetime === 0 ? 'volatile' : 'aggregate'}`;
  return [
    long(query('TotalEccErrors', `${property}.total`, '{error}', kind, lifetime)),
    // nvmlMemoryLocation_t
    long(query('MemoryErrorCounter', `${property}.dram`, '{error}', kind, lifetime, 2)),
    long(query('MemoryErrorCounter', `${property}.sram`, '{error}', kind, lifetime, 7)),
  ];
};

/** Queried at every poll, in this order. Units are those of nvml.h. */
const scalars: readonly Query[] = [
  long(query('CurrentClocksEventReasons', 'clocks_event_reasons.active', '1'), 'CurrentClocksThrottleReasons'),
  query('ClockInfo', 'clocks.current.graphics', 'MHz', 0),
  query('ClockInfo', 'clocks.current.sm', 'MHz', 1),
  query('ClockInfo', 'clocks.current.memory', 'MHz', 2),
  query('ClockInfo', 'clocks.current.video', 'MHz', 3),
  query('PowerUsage', 'power.draw', 'mW'),
  query('EnforcedPowerLimit', 'enforced.power.limit', 'mW'),
  long(query('TotalEnergyConsumption', 'energy', 'mJ')),
  query('PerformanceState', 'pstate', '1'),
  query('Temperature', 'temperature.gpu', 'Cel', 0),
  query('FanSpeed', 'fan.speed', '%'),
  query('PcieReplayCounter', 'pcie.replay.counter', '{error}'),
  query('CurrPcieLinkGeneration', 'pcie.link.gen.current', '1'),
  query('CurrPcieLinkWidth', 'pcie.link.width.current', '{lane}'),
  ...ecc(0, 0),
  ...ecc(1, 0),
  ...ecc(0, 1),
  ...ecc(1, 1),
];
/** What is queried after the driver reported a change of clocks, P-state or power source. */
export const changing: readonly Query[] = scalars.slice(0, 9);
/** Queried last: the driver samples for 20 ms before it answers (nvmlDeviceGetPcieThroughput). */
const throughput: readonly Query[] = [
  query('PcieThroughput', 'pcie.throughput.tx', 'KB/s', 0),
  query('PcieThroughput', 'pcie.throughput.rx', 'KB/s', 1),
];

/** Field ids (nvml.h, NVML_FI_*), which the driver answers in one call. */
const fields: readonly (readonly [id: number, property: string, unit: string])[] = [
  [82, 'temperature.memory', 'Cel'],
  [185, 'power.draw.average', 'mW'],
  [186, 'power.draw.instant', 'mW'],
  [142, 'remapped_rows.correctable', '{row}'],
  [143, 'remapped_rows.uncorrectable', '{row}'],
  [144, 'remapped_rows.pending', '1'],
  [145, 'remapped_rows.failure', '1'],
  [74, 'clocks_event_reasons_counters.sw_power_cap', 'ns'],
  [269, 'clocks_event_reasons_counters.sw_thermal_slowdown', 'ns'],
  [270, 'clocks_event_reasons_counters.hw_thermal_slowdown', 'ns'],
  [271, 'clocks_event_reasons_counters.hw_power_brake_slowdown', 'ns'],
  [230, 'gpu_recovery_action', '1'],
];
/** Data over all NVLinks since they came up, in KiB: a rate is computed from it. */
const NVLINK_DATA: readonly (readonly [id: number, property: string])[] = [
  [138, 'nvlink.transmitted'],
  [139, 'nvlink.received'],
];
const ALL_LINKS = 0xffffffff;
/** Margins to the limits instead of the limits themselves, on Hopper and newer. */
const margins: readonly (readonly [id: number, limit: string])[] = [
  [193, 'lower_fatal'],
  [194, 'lower_critical'],
  [196, 'lower_warning'],
];
/** nvmlTemperatureThresholds_t */
const thresholds: readonly (readonly [code: number, property: string, limit: string])[] = [
  [0, 'temperature.gpu', 'upper_fatal'],
  [1, 'temperature.gpu', 'upper_critical'],
  [2, 'temperature.memory', 'upper_critical'],
  [3, 'temperature.gpu', 'upper_warning'],
];

/** NVML_NVLINK_MAX_LINKS, and some more for newer GPUs. */
const MOST_LINKS = 36;
/** nvmlNvLinkErrorCounter_t, up to NVLink 4. */
const linkCounters: readonly (readonly [code: number, kind: string])[] = [
  [0, 'replay'],
  [1, 'recovery'],
  [2, 'crc_flit'],
  [3, 'crc_data'],
];
/** The same for NVLink 5: fields with the link as scope. */
const linkFields: readonly (readonly [id: number, kind: string])[] = [
  [208, 'rx'],
  [214, 'recovery_failed'],
  [219, 'effective'],
  [221, 'rx_symbol'],
];

const FIELD_BYTES = 40;
interface Field {
  readonly id: number;
  readonly scope: number;
}

/** Queries of one GPU handle. */
export class GpuQueries {
  private readonly library: DriverLibrary;
  private readonly handle: bigint;
  private readonly bytes = Buffer.alloc(64);
  /** Properties that the GPU does not offer; they are not queried again. */
  readonly absent = new Set<string>();
  /** The return code with which the GPU or the driver was lost; SUCCESS while it works. */
  gone = SUCCESS;
  private links: readonly number[] | undefined;

  constructor(library: DriverLibrary, handle: bigint) {
    this.library = library;
    this.handle = handle;
  }

  all(withThroughput: boolean): Value[] {
    return [
      ...this.scalars(scalars),
      ...this.pairs(),
      ...this.fields(fields),
      ...this.temperature(),
      ...this.fields(
        NVLINK_DATA.map(([id, property]) => [id, property, 'KiB'] as const),
        ALL_LINKS,
      ),
      ...(withThroughput ? this.scalars(throughput) : []),
    ];
  }

  scalars(queries: readonly Query[]): Value[] {
    return queries.flatMap(({ names, numbers, property, unit, bits }): Value[] => {
      const form = `h${'u'.repeat(numbers.length)}p`;
      if (!this.query(property, names, form, this.handle, ...numbers, this.bytes)) return [];
      const value = bits === 64 ? Number(this.bytes.readBigUInt64LE(0)) : this.bytes.readUInt32LE(0);
      return [[property, value, unit]];
    });
  }

  limits(): Record<string, Record<string, number>> {
    const limits: Record<string, Record<string, number>> = {};
    const add = (property: string, limit: string, value: number) => {
      limits[property] = { ...limits[property], [limit]: value };
    };
    for (const [code, property, limit] of thresholds)
      if (this.library.call(['nvmlDeviceGetTemperatureThreshold'], 'hup', this.handle, code, this.bytes) === SUCCESS)
        add(property, limit, this.bytes.readUInt32LE(0));
    for (const { at, value } of this.queryFields(margins.map(([id]) => ({ id, scope: 0 }))))
      if (value !== undefined) add('temperature.gpu.tlimit', margins[at]?.[1] ?? '', value);
    return limits;
  }

  /** Existing links, and whether each is up. Missing links are queried once. */
  linkReadings(): LinkReading[] {
    const there = this.links ?? Array.from({ length: MOST_LINKS }, (_, link) => link);
    const states = there.flatMap((link) => {
      const code = this.library.call(['nvmlDeviceGetNvLinkState'], 'hup', this.handle, link, this.bytes);
      return code === SUCCESS ? [{ link, up: this.bytes.readUInt32LE(0) === 1 }] : [];
    });
    this.links ??= states.map(({ link }) => link);
    return states.map(({ link, up }) => ({ link, up, errors: up ? this.linkErrors(link) : [] }));
  }

  private linkErrors(link: number): LinkReading['errors'] {
    const counted = linkCounters.flatMap(([code, kind]) => {
      const names = ['nvmlDeviceGetNvLinkErrorCounter'];
      const counters = this.query(`nvlink.errors.${kind}`, names, 'huup', this.handle, link, code, this.bytes);
      return counters ? [[kind, Number(this.bytes.readBigUInt64LE(0))] as const] : [];
    });
    const known = linkFields.filter(([, kind]) => !this.absent.has(`nvlink.errors.${kind}`));
    const newer = this.queryFields(known.map(([id]) => ({ id, scope: link }))).flatMap(({ at, value, code }) => {
      const kind = known[at]?.[1] ?? '';
      if (value === undefined) this.refused(code, `nvlink.errors.${kind}`);
      return value === undefined ? [] : [[kind, value] as const];
    });
    return [...counted, ...newer];
  }

  private query(
    property: string,
    names: readonly string[],
    form: string,
    ...values: readonly (bigint | number | Uint8Array)[]
  ): boolean {
    if (this.gone !== SUCCESS || this.absent.has(property)) return false;
    const code = this.library.call(names, form, ...values);
    if (code === SUCCESS) return true;
    this.refused(code, property);
    return false;
  }

  private refused(code: number, property: string): void {
    if (isNotOffered(code)) this.absent.add(property);
    else if (isGpuGone(code) || isDriverGone(code)) this.gone = code;
  }

  /** nvmlUtilization_t; nvmlMemory_v2_t, whose `used` excludes memory reserved by the driver, else nvmlMemory_t. */
  private pairs(): Value[] {
    const { bytes } = this;
    const values: Value[] = [];
    if (this.query('utilization.gpu', ['nvmlDeviceGetUtilizationRates'], 'hp', this.handle, bytes))
      values.push(['utilization.gpu', bytes.readUInt32LE(0), '%'], ['utilization.memory', bytes.readUInt32LE(4), '%']);
    bytes.writeUInt32LE(40 | (2 << 24), 0);
    const newer = this.library.call(['nvmlDeviceGetMemoryInfo_v2'], 'hp', this.handle, bytes) === SUCCESS;
    if (newer || this.query('memory.used', ['nvmlDeviceGetMemoryInfo'], 'hp', this.handle, bytes)) {
      const [total, used] = newer ? [8, 32] : [0, 16];
      values.push(['memory.used', Number(bytes.readBigUInt64LE(used)), 'By']);
      values.push(['memory.total', Number(bytes.readBigUInt64LE(total)), 'By']);
    }
    return values;
  }

  /** nvmlMarginTemperature_v1_t, degrees left until slowdown; nvmlTemperature_v1_t if the older form was removed. */
  private temperature(): Value[] {
    const values: Value[] = [];
    const margin = 'temperature.gpu.tlimit';
    this.bytes.writeUInt32LE(8 | (1 << 24), 0);
    if (this.query(margin, ['nvmlDeviceGetMarginTemperature'], 'hp', this.handle, this.bytes))
      values.push([margin, this.bytes.readInt32LE(4), 'Cel']);
    if (this.library.has('nvmlDeviceGetTemperature')) return values;
    this.bytes.writeUInt32LE(12 | (1 << 24), 0);
    this.bytes.writeUInt32LE(0, 4);
    if (this.query('temperature.die', ['nvmlDeviceGetTemperatureV'], 'hp', this.handle, this.bytes))
      values.push(['temperature.gpu', this.bytes.readInt32LE(8), 'Cel']);
    return values;
  }

  private fields(wanted: readonly (readonly [id: number, property: string, unit: string])[], scope = 0): Value[] {
    const known = wanted.filter(([, property]) => !this.absent.has(property));
    return this.queryFields(known.map(([id]) => ({ id, scope }))).flatMap(({ at, value, code }): Value[] => {
      const [, property = '', unit = ''] = known[at] ?? [];
      if (value === undefined) this.refused(code, property);
      return value === undefined ? [] : [[property, value, unit]];
    });
  }

  /** nvmlDeviceGetFieldValues: an array of nvmlFieldValue_t, each with its own return code and type. */
  private queryFields(
    wanted: readonly Field[],
  ): { readonly at: number; readonly code: number; readonly value: number | undefined }[] {
    if (this.gone !== SUCCESS || wanted.length === 0) return [];
    const table = Buffer.alloc(wanted.length * FIELD_BYTES);
    for (const [at, { id, scope }] of wanted.entries()) {
      table.writeUInt32LE(id, at * FIELD_BYTES);
      table.writeUInt32LE(scope, at * FIELD_BYTES + 4);
    }
    const code = this.library.call(['nvmlDeviceGetFieldValues'], 'hip', this.handle, wanted.length, table);
    return wanted.map((_, at) => {
      const own = code === SUCCESS ? table.readUInt32LE(at * FIELD_BYTES + 28) : code;
      return { at, code: own, value: own === SUCCESS ? fieldValue(table, at * FIELD_BYTES) : undefined };
    });
  }
}

/** nvmlValueType_t and nvmlValue_t; undefined for an unknown type. */
function fieldValue(table: Buffer, at: number): number | undefined {
  const value = at + 32;
  switch (table.readUInt32LE(at + 24)) {
    case 0:
      return table.readDoubleLE(value);
    case 1:
      return table.readUInt32LE(value);
    case 2:
      // unsigned long has 32 bits on Windows.
      return process.platform === 'win32' ? table.readUInt32LE(value) : Number(table.readBigUInt64LE(value));
    case 3:
      return Number(table.readBigUInt64LE(value));
    case 4:
      return Number(table.readBigInt64LE(value));
    case 5:
      return table.readInt32LE(value);
    case 6:
      return table.readUInt16LE(value);
    default:
      return undefined;
  }
}
