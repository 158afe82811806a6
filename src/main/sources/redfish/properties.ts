import { clocksEventReasons } from '../../../model/telemetry/metric.ts';
import { maskOfReasons } from '../nvidia/clocks-event-reasons.ts';
import { durationOf, isObject, type Json, numberOf, textOf } from './format.ts';
import type { Quantity } from './quantity.ts';
import type { RedfishEntity } from './redfish-entity.ts';
import { of } from './walk.ts';

/** One number inside ProcessorMetrics, MemoryMetrics or PortMetrics, as our metric. */
export interface Property {
  readonly quantity: Quantity;
  readonly value: number;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

type Meaning = readonly [path: RegExp, quantity: Quantity, attributes?: Readonly<Record<string, unknown>>];
const ecc = (kind: 'corrected' | 'uncorrected') => of(`hw.gpu.ecc.${kind}`, '{error}');
const gbps = 'Gbit/s';

/** Properties of a GPU by the end of their path. Others keep their own name. */
const gpu: readonly Meaning[] = [
  [/^GraphicsEngineActivityPercent$/, of('hw.gpu.utilization', '%')],
  [/^PowerLimitThrottleDuration$/, of('hw.gpu.throttle.power', 's')],
  [/^ThermalLimitThrottleDuration$/, of('hw.gpu.throttle.thermal', 's')],
  [/^PCIeErrors\/ReplayCount$/, of('hw.gpu.pcie.replays', '{error}')],
  [
    /^CacheMetricsTotal\/LifeTime\/CorrectableECCErrorCount$/,
    ecc('corrected'),
    { lifetime: 'aggregate', memory: 'cache' },
  ],
  [
    /^CacheMetricsTotal\/LifeTime\/UncorrectableECCErrorCount$/,
    ecc('uncorrected'),
    { lifetime: 'aggregate', memory: 'cache' },
  ],
  [
    /^CacheMetricsTotal\/CurrentPeriod\/CorrectableECCErrorCount$/,
    ecc('corrected'),
    { lifetime: 'volatile', memory: 'cache' },
  ],
  [
    /^CacheMetricsTotal\/CurrentPeriod\/UncorrectableECCErrorCount$/,
    ecc('uncorrected'),
    { lifetime: 'volatile', memory: 'cache' },
  ],
  [/^LifeTime\/CorrectableECCErrorCount$/, ecc('corrected'), { lifetime: 'aggregate', memory: 'dram' }],
  [/^LifeTime\/UncorrectableECCErrorCount$/, ecc('uncorrected'), { lifetime: 'aggregate', memory: 'dram' }],
  [/^CurrentPeriod\/CorrectableECCErrorCount$/, ecc('corrected'), { lifetime: 'volatile', memory: 'dram' }],
  [/^CurrentPeriod\/UncorrectableECCErrorCount$/, ecc('uncorrected'), { lifetime: 'volatile', memory: 'dram' }],
  [/^RowRemapping\/CorrectableRowRemappingCount$/, of('hw.gpu.rows.remapped.corrected', '{row}')],
  [/^RowRemapping\/UncorrectableRowRemappingCount$/, of('hw.gpu.rows.remapped.uncorrected', '{row}')],
  [/^RowRemappingPending$/, of('hw.gpu.rows.remap_pending', '1')],
  [/^RowRemappingFailed$/, of('hw.gpu.rows.remap_failed', '1')],
  [/^NVLinkDataRxBandwidthGbps$/, of('hw.nvlink.receive', gbps)],
  [/^NVLinkDataTxBandwidthGbps$/, of('hw.nvlink.transmit', gbps)],
  [/^PCIeRawRxBandwidthGbps$/, of('hw.pcie.receive', gbps)],
  [/^PCIeRawTxBandwidthGbps$/, of('hw.pcie.transmit', gbps)],
  [/^CoreVoltage$/, of('hw.voltage', 'V')],
];
const link: readonly Meaning[] = [
  [/^NVLinkDataRxBandwidthGbps$/, of('hw.nvlink.receive', gbps)],
  [/^NVLinkDataTxBandwidthGbps$/, of('hw.nvlink.transmit', gbps)],
  [/^RXErrors$/, of('hw.nvlink.errors', '{error}'), { error: 'rx' }],
  [/^SymbolErrors$/, of('hw.nvlink.errors', '{error}'), { error: 'rx_symbol' }],
  [/^EffectiveError$/, of('hw.nvlink.errors', '{error}'), { error: 'effective' }],
  [/^LinkErrorRecoveryCount$/, of('hw.nvlink.errors', '{error}'), { error: 'recovery' }],
];

/** Booleans that are states of hardware; all others are settings. */
const STATE = /(RowRemapping(Failed|Pending)|ThresholdExceeded|RuntimeError|TrainingError)$/;

/** Meaning of one leaf, by its path below the resource; undefined if it measures nothing. */
export function propertyOf(
  entity: RedfishEntity,
  resourceType: string,
  path: string,
  written: unknown,
): Property | undefined {
  const short = path.replace(/^\/?(Oem\/Nvidia\/)?/, '');
  if (short === 'OperatingSpeedMHz' && entity.kind === 'gpu') {
    const metric = resourceType === 'MemoryMetrics' ? 'hw.gpu.clock.memory' : 'hw.gpu.clock.sm';
    const value = numberOf(written);
    return value === undefined ? undefined : { quantity: of(metric, 'MHz'), value };
  }
  const value = /Duration$/.test(short) ? (durationOf(written) ?? numberOf(written)) : scalarOf(short, written);
  if (value === undefined) return undefined;
  const table = entity.kind === 'gpu' ? gpu : entity.kind === 'nvlink' ? link : [];
  for (const [pattern, quantity, attributes] of table)
    if (pattern.test(short)) return { quantity, value, ...(attributes ? { attributes } : {}) };
  return { quantity: own(short), value };
}

function scalarOf(path: string, written: unknown): number | undefined {
  const isTrue = written === true || written === 'true';
  if (isTrue || written === false || written === 'false') return STATE.test(path) ? Number(isTrue) : undefined;
  return numberOf(written);
}

/** `redfish.PCIeErrors.FatalErrorCount`: its own name, with the unit that it ends with. */
function own(path: string): Quantity {
  const metric = `redfish.${path.replaceAll('/', '.')}`;
  if (/Percent(\/\d+)?$/.test(path)) return of(metric, '%');
  if (/MHz$/.test(path)) return of(metric, 'MHz');
  if (/Celsius$/.test(path)) return of(metric, 'Cel');
  if (/Watts?$/.test(path)) return of(metric, 'W');
  if (/Gbps$/.test(path)) return of(metric, gbps);
  if (/Duration$/.test(path)) return of(metric, 's', true);
  if (/Bytes$/.test(path)) return of(metric, 'By', true);
  if (/(Count|Errors|Frames|Packets|Discards|Wait)$/.test(path)) return of(metric, '{count}', true);
  return of(metric, '');
}

/** Members that describe a resource instead of measuring anything. */
const DESCRIPTIVE = /^(@.*|.*@.*|Id|Name|Description|Actions|Links|Status|RelatedItem|Location|.*Settings)$/;

/** Every leaf of a metrics resource with its path; readings of a sensor come unchanged. */
export function* leavesOf(doc: Json, prefix = '', depth = 0): Generator<readonly [path: string, value: unknown]> {
  if (depth > 8) return;
  for (const [member, value] of Object.entries(doc)) {
    if (DESCRIPTIVE.test(member)) continue;
    const path = prefix === '' ? member : `${prefix}/${member}`;
    if (isObject(value) && !('DataSourceUri' in value)) yield* leavesOf(value, path, depth + 1);
    else if (Array.isArray(value) && member !== 'ThrottleReasons')
      for (const [index, one] of value.entries()) yield [`${path}/${index}`, one];
    else yield [path, value];
  }
}

/** The mask of `ThrottleReasons`, a list of words such as `SWPowerCap`; undefined when it is no list. */
export function throttleMask(
  value: unknown,
): { readonly mask: number; readonly unnamed: readonly string[] } | undefined {
  if (!Array.isArray(value)) return undefined;
  const words = value.map(textOf).filter((word) => word !== '' && !/^(NA|N\/A|None)$/i.test(word));
  const names = words.map((word) =>
    word
      .replace(/^(SW|HW|GPU)(?=[A-Z])/, '$1_')
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase(),
  );
  return maskOfReasons(names.map((name) => knownReasons.find((known) => known.startsWith(name)) ?? name));
}
const knownReasons = clocksEventReasons.map(([, name]) => name);
