import type { MetricName } from '../../../model/telemetry/metric.ts';
import type { Code, Meaning } from './meaning.ts';
import type { Decoder, Limits } from './profile.ts';
import type { Row } from './row.ts';

type Decode = (row: Row, object: string, decoder: Decoder) => Meaning;

/** For columns whose meaning takes an algorithm, by the name that a profile uses. */
export const decoders: Readonly<Record<Decoder['name'], Decode>> = {
  raritan_state: raritanState,
  raritan_value: raritanValue,
};

const WATT_HOUR = 3600;
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
const typesByName = new Map(Object.entries(types).map(([number, name]) => [name, Number(number)]));
/** Number of a sensor's type by its name; undefined for other words. */
export const sensorType = (name: string): number | undefined => typesByName.get(name);

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
const stateCodes: Code['codes'] = {
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
const sensorState: Code['as'] = {
  metric: 'hw.sensor.state',
  map: { 0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6 },
  same: true,
};
const outletState: Code['as'] = { metric: 'hw.outlet.state', map: { 7: 1, 8: 0, 17: 2 } };
/** Whether a breaker lets power through, as an outlet does. */
const breakerState: Code['as'] = { metric: 'hw.outlet.state', map: { 0: 0, 1: 1 } };
const ON_OFF = 14;
const TRIP = 15;
const LINE_TO_NEUTRAL = 25;

/** The sensor's type is in the index, or in the configuration. */
const typeOf = (row: Row, { configured, type }: Decoder): number =>
  type === undefined ? Number(row.part(-1)) : configuredNumber(row, configured, type);

const configuredNumber = (row: Row, configured: string, column: number): number =>
  row.walk.number(row.oid({ at: `${configured}.${column}` }));

/** Lower critical, lower warning, upper critical, upper warning are adjacent; bits state which are enabled. */
function limitsOf(row: Row, { configured, limits }: Decoder): Limits {
  const bits = row.walk.text(row.oid({ at: `${configured}.${limits + 4}` }));
  const enabled = /^[0-9a-f]{2}( |$)/i.test(bits)
    ? Number.parseInt(bits.slice(0, 2), 16)
    : bits === ''
      ? 0xf0
      : bits.charCodeAt(0);
  const at = (offset: number) => ({ at: `${configured}.${limits + offset}` });
  return {
    ...(enabled & 0x80 && { lower_critical: at(0) }),
    ...(enabled & 0x40 && { lower_warning: at(1) }),
    ...(enabled & 0x20 && { upper_warning: at(3) }),
    ...(enabled & 0x10 && { upper_critical: at(2) }),
  };
}

function raritanValue(row: Row, object: string, decoder: Decoder): Meaning {
  const type = typeOf(row, decoder);
  const sensor_type = types[type] ?? `type ${type}`;
  if (discrete.has(type)) return { codes: {}, attributes: { sensor_type } };
  const digits = configuredNumber(row, decoder.configured, decoder.digits);
  if (!(digits >= 0 && digits <= 12))
    return `${object}: the walk lacks the decimal digits, so its numbers cannot be decoded`;
  const [unit, factor = 1] = units[configuredNumber(row, decoder.configured, decoder.unit)] ?? [''];
  const common = { fahrenheit: unit === '[degF]', missing: [], attributes: {} };
  const metric = metricOf[type];
  if (metric === 'hw.energy' && unit === '')
    return { ...common, metric, scale: WATT_HOUR / 10 ** digits, signed: false, limits: {} };
  const scale = factor === 1 ? 10 ** -digits : factor / 10 ** digits;
  const limits = limitsOf(row, decoder);
  if (!metric)
    return { ...common, metric: { name: sensor_type, unit }, scale, signed: true, fahrenheit: false, limits };
  const attributes = type === LINE_TO_NEUTRAL ? { between: 'line and neutral' } : {};
  return { ...common, metric, scale, signed: decoder.signed === true, limits, attributes };
}

function raritanState(row: Row, _object: string, decoder: Decoder): Meaning {
  const type = typeOf(row, decoder);
  const as = decoder.outlet && type === ON_OFF ? outletState : type === TRIP ? breakerState : sensorState;
  return { codes: stateCodes, as, attributes: { sensor_type: types[type] ?? `type ${type}` } };
}
