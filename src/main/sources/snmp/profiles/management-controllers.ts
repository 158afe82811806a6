import { code, dynamic, type Meaning, own, type Profile, type Reading, type Row, reading } from '../profile.ts';

/** Management controllers of servers: Dell iDRAC (IDRAC-MIB-SMIv2), HPE iLO (CPQHLTH, CPQIDA), Supermicro (ATEN). */
const D = '1.3.6.1.4.1.674.10892';
const H = '1.3.6.1.4.1.232';
const S = '1.3.6.1.4.1.21317.1';

const dellStatus = { 1: 'other', 2: 'unknown', 3: 'ok', 4: 'nonCritical', 5: 'critical', 6: 'nonRecoverable' };
const dellHealth: Meaning = { metric: 'hw.status', map: { 3: 0, 4: 1, 5: 2, 6: 2 } };
const probeStatus = {
  1: 'other',
  2: 'unknown',
  3: 'ok',
  4: 'nonCriticalUpper',
  5: 'criticalUpper',
  6: 'nonRecoverableUpper',
  7: 'nonCriticalLower',
  8: 'criticalLower',
  9: 'nonRecoverableLower',
  10: 'failed',
};
const probe: Meaning = { metric: 'hw.sensor.state', map: { 3: 4, 4: 5, 5: 6, 6: 6, 7: 3, 8: 2, 9: 2 } };
const probeLimits = { upper_critical: 10, upper_warning: 11, lower_warning: 12, lower_critical: 13 };

/** amperageProbeType: supplies and systems in amperes (tenths) or watts. */
const amperage = (row: Row): Reading | string => {
  const type = row.number(7);
  if (type === 23 || type === 25) return reading('amperageProbeReading', 'hw.current', 0.1, { limits: probeLimits });
  if (type === 24 || type === 26) return reading('amperageProbeReading', 'hw.power', 1, { limits: probeLimits });
  return Number.isNaN(type)
    ? "amperageProbeReading: the walk lacks the probes' types"
    : own('amperageProbeReading', '', 1);
};

export const dellIdrac: Profile = {
  vendor: 'Dell',
  mib: 'IDRAC-MIB-SMIv2',
  kind: 'server',
  objectIds: ['674.10892'],
  identity: {
    model: [`${D}.5.1.3.12`],
    serial: [`${D}.5.1.3.2`, `${D}.2.1.1.11`],
    name: [`${D}.5.1.3.1`],
  },
  tables: [
    { at: `${D}.2.2`, index: [], columns: { 1: code('drsGlobalSystemStatus', dellStatus, dellHealth) } },
    { at: `${D}.5.2`, index: [], columns: { 1: code('globalSystemStatus', dellStatus, dellHealth) } },
    {
      at: `${D}.5.4.300.70.1`,
      index: ['-', 'sensor'],
      label: 8,
      columns: {
        5: code('intrusionStatus', dellStatus, dellHealth),
        6: code('intrusionReading', {
          1: 'chassisNotBreached',
          2: 'chassisBreached',
          3: 'chassisBreachedPrior',
          4: 'chassisBreachSensorFailure',
        }),
      },
    },
    {
      at: `${D}.5.4.600.12.1`,
      index: ['-', 'psu'],
      name: 8,
      objects: { powerSupplyLocationName: '8' },
      columns: {
        5: code('powerSupplyStatus', dellStatus, dellHealth),
        16: reading('powerSupplyCurrentInputVoltage', 'hw.voltage', 1, { attributes: { side: 'input' } }),
      },
    },
    {
      at: `${D}.5.4.600.20.1`,
      index: ['-', 'sensor'],
      label: 8,
      objects: { voltageProbeLocationName: '8' },
      columns: {
        5: code('voltageProbeStatus', probeStatus, probe),
        6: reading('voltageProbeReading', 'hw.voltage', 0.001, { limits: probeLimits }),
      },
    },
    {
      at: `${D}.5.4.600.30.1`,
      index: ['-', 'sensor'],
      label: 8,
      objects: { amperageProbeLocationName: '8', amperageProbeType: '7' },
      columns: {
        5: code('amperageProbeStatus', probeStatus, probe),
        6: dynamic('amperageProbeReading', amperage),
      },
    },
    {
      at: `${D}.5.4.600.50.1`,
      index: ['-', 'sensor'],
      label: 7,
      objects: { systemBatteryLocationName: '7' },
      columns: { 5: code('systemBatteryStatus', dellStatus, dellHealth) },
    },
    {
      at: `${D}.5.4.700.12.1`,
      index: ['-', 'sensor'],
      label: 8,
      objects: { coolingDeviceLocationName: '8' },
      columns: {
        5: code('coolingDeviceStatus', probeStatus, probe),
        6: reading('coolingDeviceReading', 'hw.fan.speed', 1, { limits: probeLimits }),
      },
    },
    {
      at: `${D}.5.4.700.20.1`,
      index: ['-', 'sensor'],
      label: 8,
      objects: { temperatureProbeLocationName: '8' },
      columns: {
        5: code('temperatureProbeStatus', probeStatus, probe),
        6: reading('temperatureProbeReading', 'hw.temperature', 0.1, { signed: true, limits: probeLimits }),
      },
    },
    {
      at: `${D}.5.4.1100.30.1`,
      index: ['-', 'processor'],
      label: 26,
      columns: { 5: code('processorDeviceStatus', dellStatus, dellHealth) },
    },
    {
      at: `${D}.5.4.1100.50.1`,
      index: ['-', 'memory'],
      label: 8,
      columns: { 5: code('memoryDeviceStatus', dellStatus, dellHealth) },
    },
    {
      at: `${D}.5.5.1.20.130.4.1`,
      index: ['disk'],
      label: 2,
      columns: {
        4: code('physicalDiskState', {
          1: 'unknown',
          2: 'ready',
          3: 'online',
          4: 'foreign',
          5: 'offline',
          6: 'blocked',
          7: 'failed',
          8: 'nonraid',
          9: 'removed',
          10: 'readonly',
        }),
      },
    },
    {
      at: `${D}.5.5.1.20.140.1.1`,
      index: ['volume'],
      label: 2,
      columns: { 4: code('virtualDiskState', { 1: 'unknown', 2: 'online', 3: 'failed', 4: 'degraded' }) },
    },
  ],
};

const condition = { 1: 'other', 2: 'ok', 3: 'degraded', 4: 'failed' };
const hpeHealth: Meaning = { metric: 'hw.status', map: { 2: 0, 3: 1, 4: 2 } };
/** cpqHeTemperatureLocale. */
const locale = [
  '',
  'other',
  'unknown',
  'system',
  'systemBoard',
  'ioBoard',
  'cpu',
  'memory',
  'storage',
  'removableMedia',
  'powerSupply',
  'ambient',
  'chassis',
  'bridgeCard',
];

export const hpeIlo: Profile = {
  vendor: 'HPE',
  mib: 'CPQHLTH-MIB',
  kind: 'server',
  objectIds: ['232.9.4'],
  identity: { model: [`${H}.2.2.4.2`], serial: [`${H}.2.2.2.1`] },
  tables: [
    { at: `${H}.1.2.2.1.1`, index: ['processor'], columns: { 6: code('cpqSeCpuStatus', condition, hpeHealth) } },
    { at: `${H}.3.2.2.1.1`, index: ['controller'], columns: { 6: code('cpqDaCntlrCondition', condition, hpeHealth) } },
    {
      at: `${H}.3.2.3.1.1`,
      index: ['controller', 'volume'],
      columns: {
        4: code('cpqDaLogDrvStatus', {
          1: 'other',
          2: 'ok',
          3: 'failed',
          4: 'unconfigured',
          5: 'recovering',
          6: 'readyRebuild',
          7: 'rebuilding',
          8: 'wrongDrive',
          9: 'badConnect',
          10: 'overheating',
          11: 'shutdown',
          12: 'expanding',
          13: 'notAvailable',
          14: 'queuedForExpansion',
        }),
        11: code('cpqDaLogDrvCondition', condition, hpeHealth),
      },
    },
    {
      at: `${H}.3.2.5.1.1`,
      index: ['controller', 'disk'],
      label: 64,
      objects: { cpqDaPhyDrvLocationString: '64' },
      columns: {
        37: code('cpqDaPhyDrvCondition', condition, hpeHealth),
        70: reading('cpqDaPhyDrvCurrentTemperature', 'hw.temperature', 1, {
          missing: [-1],
          limits: { upper_critical: 71 },
        }),
      },
    },
    {
      at: `${H}.6.2.6.7.1`,
      index: ['-', 'fan'],
      columns: {
        9: code('cpqHeFltTolFanCondition', condition, hpeHealth),
        12: reading('cpqHeFltTolFanCurrentSpeed', 'hw.fan.speed'),
      },
    },
    {
      at: `${H}.6.2.6.8.1`,
      index: ['-', 'sensor'],
      attributes: (row) => ({ location: locale[row.number(3)] ?? row.text(3) }),
      columns: {
        4: reading('cpqHeTemperatureCelsius', 'hw.temperature', 1, {
          missing: [-1, -99],
          limits: { upper_critical: 5 },
        }),
        6: code('cpqHeTemperatureCondition', condition, hpeHealth),
      },
    },
    {
      at: `${H}.6.2.9.3.1`,
      index: ['-', 'psu'],
      columns: {
        4: code('cpqHeFltTolPowerSupplyCondition', condition, hpeHealth),
        6: reading('cpqHeFltTolPowerSupplyMainVoltage', 'hw.voltage', 1, { attributes: { side: 'input' } }),
        7: reading('cpqHeFltTolPowerSupplyCapacityUsed', 'hw.power.output'),
        8: reading('cpqHeFltTolPowerSupplyCapacityMaximum', 'hw.power.capacity'),
      },
    },
    {
      at: `${H}.6.2.14.13.1`,
      index: ['memory'],
      columns: {
        20: code(
          'cpqHeResMem2ModuleCondition',
          { 1: 'other', 2: 'ok', 3: 'degraded', 4: 'degradedModuleIndexUnknown' },
          hpeHealth,
        ),
      },
    },
  ],
};

/** The table has no type or unit: the naming convention of the sensors decides. */
function supermicroSensor(row: Row): Reading | ReturnType<typeof code> {
  const name = row.text(13);
  const limits = { lower_warning: 5, lower_critical: 6, upper_warning: 8, upper_critical: 9 };
  const object = 'sensorReading';
  if (/intru/i.test(name)) return code(object, { 0: 'ok', 1: 'generalChassisIntrusion' });
  if (/^vbat$/i.test(name)) return code(object, { 0: 'notPresent', 2: 'presentFailed', 4: 'presentOk' });
  if (/status$/i.test(name)) return code(object, { 0: 'notPresent', 1: 'presentOk', 3: 'presentFailed' });
  if (/temp$/i.test(name)) return reading(object, 'hw.temperature', 1, { limits, signed: true });
  if (/^fan/i.test(name)) return reading(object, 'hw.fan.speed', 1, { limits });
  if (/\d\s?v|v(cc|dimm|cpu|core|ddr|pp|sb|bat|ram|nn)|volt/i.test(name))
    return reading(object, 'hw.voltage', 1, { limits });
  return own(object, '', 1, { signed: true });
}

/** A row without a sensor has neither a reading nor limits. */
const hasLimits = (row: Row) =>
  [2, 5, 6, 8, 9].some((column) => row.number(column) !== 0 && !Number.isNaN(row.number(column)));
const isDiscrete = (row: Row) => /intru|^vbat$|status$/i.test(row.text(13));

export const supermicro: Profile = {
  vendor: 'Supermicro',
  mib: 'SUPERMICRO-HEALTH-MIB',
  kind: 'server',
  objectIds: [],
  tables: [
    {
      at: `${S}.3.1`,
      index: ['sensor'],
      label: 13,
      when: (row) => isDiscrete(row) || hasLimits(row),
      objects: { sensorName: '13' },
      columns: { 2: dynamic('sensorReading', supermicroSensor) },
    },
    { at: S, index: [], columns: { 4: code('smPowerState', { 0: 'off', 1: 'on', 2: 'reset' }) } },
    {
      at: `${S}.14.2.1`,
      index: ['psu'],
      columns: {
        2: code(
          'psuStatus',
          { 0: 'notPresent', 1: 'presentOk', 3: 'presentFailed' },
          { metric: 'hw.status', map: { 1: 0, 3: 2 } },
        ),
        3: reading('psuInputVoltage', 'hw.voltage', 1, { attributes: { side: 'input' } }),
        4: reading('psuInputCurrent', 'hw.current', 1, { attributes: { side: 'input' } }),
        5: reading('psuInputPower', 'hw.power.input'),
        9: reading('psuTemperature1', 'hw.temperature', 1, { attributes: { sensor: '1' } }),
        10: reading('psuTemperature2', 'hw.temperature', 1, { attributes: { sensor: '2' } }),
        11: reading('psuFan1Speed', 'hw.fan.speed', 1, { attributes: { fan: '1' } }),
        12: reading('psuFan2Speed', 'hw.fan.speed', 1, { attributes: { fan: '2' }, missing: [0] }),
      },
    },
  ],
};
