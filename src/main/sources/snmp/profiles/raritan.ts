import type { MetricName } from '../../../../model/telemetry/metric.ts';
import { outletCodes } from '../outlet-codes.ts';
import {
  type Code,
  code,
  dynamic,
  type Limits,
  type Lookup,
  own,
  type Profile,
  type Reading,
  type Row,
  reading,
  type Table,
  WATT_HOUR,
} from '../profile.ts';

/**
 * PDU2-MIB (PX2, PX3, PX4), FORMATS 2.1.4: one generic sensor table per kind of place. The meaning of a number is in
 * the index (the sensor's type) and in the configuration table of the same index (its unit and decimal digits).
 */
const B = '1.3.6.1.4.1.13742.6';

/** PDU2-MIB SensorTypeEnumeration. */
const types: Readonly<Record<number, string>> = {
  1: 'rmsCurrent',
  2: 'peakCurrent',
  3: 'unbalancedCurrent',
  4: 'rmsVoltage',
  5: 'activePower',
  6: 'apparentPower',
  7: 'powerFactor',
  8: 'activeEnergy',
  9: 'apparentEnergy',
  10: 'temperature',
  11: 'humidity',
  12: 'airFlow',
  13: 'airPressure',
  14: 'onOff',
  15: 'trip',
  16: 'vibration',
  17: 'waterDetection',
  18: 'smokeDetection',
  19: 'binary',
  20: 'contact',
  23: 'frequency',
  24: 'phaseAngle',
  25: 'rmsVoltageLN',
  26: 'residualCurrent',
  27: 'rcmState',
  29: 'reactivePower',
  46: 'i1smpsStatus',
  47: 'i2smpsStatus',
  57: 'voltageThd',
  58: 'currentThd',
};
/** Types whose value is a code, not a quantity. */
const discrete = new Set([14, 15, 16, 17, 18, 19, 20, 27, 46, 47]);

const metricOf: Readonly<Record<number, MetricName>> = {
  1: 'hw.current',
  4: 'hw.voltage',
  5: 'hw.power',
  6: 'hw.power.apparent',
  7: 'hw.power.factor',
  8: 'hw.energy',
  10: 'hw.temperature',
  11: 'hw.humidity',
  13: 'hw.pressure',
  23: 'hw.frequency',
  25: 'hw.voltage',
  29: 'hw.power.reactive',
};

/** PDU2-MIB SensorUnitsEnumeration, and what one of them is in the unit of the metric. */
const units: Readonly<Record<number, readonly [unit: string, scale?: number]>> = {
  1: ['V'],
  2: ['A'],
  3: ['W'],
  4: ['VA'],
  5: ['Wh', WATT_HOUR],
  6: ['VA.h'],
  7: ['Cel'],
  8: ['Hz'],
  9: ['%'],
  10: ['m/s'],
  11: ['Pa'],
  12: ['[psi]', 6894.757],
  14: ['[degF]'],
  23: ['var'],
};

/** SensorStateEnumeration; the first seven are `hw.sensor.state` itself. */
const stateCodes = {
  [-1]: 'unavailable',
  0: 'open',
  1: 'closed',
  2: 'belowLowerCritical',
  3: 'belowLowerWarning',
  4: 'normal',
  5: 'aboveUpperWarning',
  6: 'aboveUpperCritical',
  7: 'on',
  8: 'off',
  9: 'detected',
  10: 'notDetected',
  11: 'alarmed',
  12: 'ok',
  14: 'fail',
  15: 'yes',
  16: 'no',
  17: 'standby',
  26: 'fault',
  27: 'warning',
  28: 'critical',
};
const sensorState = {
  metric: 'hw.sensor.state' as const,
  map: { 0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6 },
  same: true,
};

interface Place {
  readonly object: string;
  /** Entry of the measurements, and of the configuration with the same index. */
  readonly at: string;
  readonly configured: string;
  /** Columns of the configuration: type (when it is not in the index), unit, digits, first of the four thresholds. */
  readonly columns: { readonly type?: number; readonly unit: number; readonly digits: number; readonly limits: number };
  readonly signed?: boolean;
  readonly index: readonly string[];
  readonly label?: Lookup;
  readonly name?: Lookup;
}

const typeOf = (row: Row, { columns, configured }: Place): number =>
  columns.type === undefined ? Number(row.part(-1)) : row.walk.number(`${configured}.${columns.type}.${row.index}`);

/** Lower critical, lower warning, upper critical, upper warning are adjacent; bits state which are enabled. */
function limitsOf(row: Row, { configured, columns }: Place): Limits {
  const bits = row.walk.text(`${configured}.${columns.limits + 4}.${row.index}`);
  const enabled = /^[0-9a-f]{2}( |$)/i.test(bits)
    ? Number.parseInt(bits.slice(0, 2), 16)
    : bits === ''
      ? 0xf0
      : bits.charCodeAt(0);
  const at = (offset: number) => ({ at: `${configured}.${columns.limits + offset}` });
  return {
    ...(enabled & 0x80 && { lower_critical: at(0) }),
    ...(enabled & 0x40 && { lower_warning: at(1) }),
    ...(enabled & 0x20 && { upper_warning: at(3) }),
    ...(enabled & 0x10 && { upper_critical: at(2) }),
  };
}

function measured(row: Row, place: Place): Reading | Code | string | undefined {
  const type = typeOf(row, place);
  const sensor_type = types[type] ?? `type ${type}`;
  if (discrete.has(type)) return code(`${place.object}Value`, {}, undefined, { sensor_type });
  const digits = row.walk.number(`${place.configured}.${place.columns.digits}.${row.index}`);
  if (!(digits >= 0 && digits <= 12))
    return `${place.object}Value: the walk lacks the decimal digits, so its numbers cannot be decoded`;
  const [unit, factor = 1] = units[row.walk.number(`${place.configured}.${place.columns.unit}.${row.index}`)] ?? [''];
  const metric = metricOf[type];
  const scale = factor === 1 ? 10 ** -digits : factor / 10 ** digits;
  const limits = limitsOf(row, place);
  const attributes = type === 25 ? { between: 'line and neutral' } : undefined;
  if (metric === 'hw.energy' && unit === '') return reading(`${place.object}Value`, metric, WATT_HOUR / 10 ** digits);
  if (metric)
    return reading(`${place.object}Value`, metric, scale, {
      limits,
      ...(unit === '[degF]' && { fahrenheit: true }),
      ...(place.signed && { signed: true }),
      ...(attributes && { attributes }),
    });
  return { ...own(sensor_type, unit, scale, { limits, signed: true }), object: `${place.object}Value` };
}

function stateOf(row: Row, place: Place): Code {
  const type = typeOf(row, place);
  const onOff = place.index.includes('outlet') && type === 14;
  return code(`${place.object}State`, stateCodes, onOff ? outletCodes.raritan : sensorState, {
    sensor_type: types[type] ?? `type ${type}`,
  });
}

const sensors = (place: Place): Table => ({
  at: place.at,
  index: place.index,
  ...(place.label && { label: place.label }),
  ...(place.name && { name: place.name }),
  when: (row) => row.number(2) !== 2,
  objects: { [`${place.object}IsAvailable`]: '2' },
  columns: {
    3: dynamic(`${place.object}State`, (row) => stateOf(row, place)),
    4: dynamic(`${place.object}Value`, (row) => measured(row, place)),
  },
});

const without = (drop: number, at: string) => (row: Row) => row.walk.text(`${at}.${row.head(drop)}`);

/** Names of the configuration columns, for walks that were written with names. */
const configuration = (at: string, objects: Readonly<Record<string, string>>): Table => ({
  at,
  index: ['-'],
  objects,
  columns: {},
});

export const raritan: Profile = {
  vendor: 'Raritan',
  mib: 'PDU2-MIB',
  kind: 'pdu',
  objectIds: ['13742.6', '13742.1', '13742.8', '13742.9'],
  identity: { model: [`${B}.3.2.1.1.3`], serial: [`${B}.3.2.1.1.4`], name: [`${B}.3.2.2.1.13`] },
  tables: [
    sensors({
      object: 'measurementsInletSensor',
      at: `${B}.5.2.3.1`,
      configured: `${B}.3.3.4.1`,
      columns: { unit: 6, digits: 7, limits: 21 },
      index: ['unit', 'inlet', '-'],
      label: without(1, `${B}.3.3.3.1.2`),
    }),
    sensors({
      object: 'measurementsInletPoleSensor',
      at: `${B}.5.2.4.1`,
      configured: `${B}.3.3.6.1`,
      columns: { unit: 6, digits: 7, limits: 21 },
      index: ['unit', 'inlet', 'phase', '-'],
    }),
    sensors({
      object: 'measurementsOverCurrentProtectorSensor',
      at: `${B}.5.3.3.1`,
      configured: `${B}.3.4.4.1`,
      columns: { unit: 6, digits: 7, limits: 21 },
      index: ['unit', 'breaker', '-'],
      label: without(1, `${B}.3.4.3.1.2`),
    }),
    sensors({
      object: 'measurementsOutletSensor',
      at: `${B}.5.4.3.1`,
      configured: `${B}.3.5.4.1`,
      columns: { unit: 6, digits: 7, limits: 21 },
      index: ['unit', 'outlet', '-'],
      label: without(1, `${B}.3.5.3.1.2`),
      name: without(1, `${B}.3.5.3.1.3`),
    }),
    sensors({
      object: 'measurementsExternalSensor',
      at: `${B}.5.5.3.1`,
      configured: `${B}.3.6.3.1`,
      columns: { type: 2, unit: 16, digits: 17, limits: 31 },
      signed: true,
      index: ['unit', 'sensor'],
      label: `${B}.3.6.3.1.4`,
    }),
    {
      at: `${B}.4.1.2.1`,
      index: ['unit', 'outlet'],
      label: `${B}.3.5.3.1.2`,
      name: `${B}.3.5.3.1.3`,
      columns: { 3: code('outletSwitchingState', stateCodes, outletCodes.raritan) },
    },
    configuration(`${B}.3.3.3.1`, { inletLabel: '2' }),
    configuration(`${B}.3.3.4.1`, { inletSensorUnits: '6', inletSensorDecimalDigits: '7' }),
    configuration(`${B}.3.3.6.1`, { inletPoleSensorUnits: '6', inletPoleSensorDecimalDigits: '7' }),
    configuration(`${B}.3.4.4.1`, {
      overCurrentProtectorSensorUnits: '6',
      overCurrentProtectorSensorDecimalDigits: '7',
    }),
    configuration(`${B}.3.5.3.1`, { outletLabel: '2', outletName: '3' }),
    configuration(`${B}.3.5.4.1`, { outletSensorUnits: '6', outletSensorDecimalDigits: '7' }),
    configuration(`${B}.3.6.3.1`, {
      externalSensorType: '2',
      externalSensorName: '4',
      externalSensorUnits: '16',
      externalSensorDecimalDigits: '17',
    }),
  ],
};
