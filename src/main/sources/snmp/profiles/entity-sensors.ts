import { code, dynamic, type Meaning, own, type Profile, type Reading, type Row, reading } from '../profile.ts';

/** ENTITY-SENSOR-MIB (RFC 3433) and Cisco's copy of it: every row has type, scale, precision and value. */
const names = '1.3.6.1.2.1.47.1.1.1.1.7';
const descriptions = '1.3.6.1.2.1.47.1.1.1.1.2';

/** RFC 3433 EntitySensorDataScale: powers of ten from yocto (1) to yotta (17); 9 is one. */
const exponent = (scale: number): number => (scale >= 1 && scale <= 17 ? (scale - 9) * 3 : 0);

const quantities: Readonly<Record<number, (object: string, scale: number) => Reading>> = {
  3: (object, scale) => reading(object, 'hw.voltage', scale),
  4: (object, scale) => reading(object, 'hw.voltage', scale),
  5: (object, scale) => reading(object, 'hw.current', scale),
  6: (object, scale) => reading(object, 'hw.power', scale),
  7: (object, scale) => reading(object, 'hw.frequency', scale),
  8: (object, scale) => reading(object, 'hw.temperature', scale, { signed: true }),
  9: (object, scale) => reading(object, 'hw.humidity', scale),
  10: (object, scale) => reading(object, 'hw.fan.speed', scale),
  // Cubic metres per minute.
  11: (object, scale) => reading(object, 'hw.airflow', scale * 60),
  // Cisco only: optical power.
  14: (object, scale) => own(object, 'dBm', scale, { signed: true }),
};

const value = (object: string) =>
  dynamic(object, (row: Row): Reading | string | undefined => {
    const type = row.number(1);
    const scale = row.number(2);
    const precision = row.number(3);
    if (Number.isNaN(type) || Number.isNaN(scale) || Number.isNaN(precision))
      return `${object}: the walk lacks type, scale or precision of the sensors`;
    const factor = 10 ** (exponent(scale) - (precision >= -8 && precision <= 9 ? precision : 0));
    return quantities[type]?.(object, factor);
  });

/** `entPhySensorOperStatus`; sensors that do not work have no usable value. */
const status = { 1: 'ok', 2: 'unavailable', 3: 'nonoperational' };

export const entitySensors: Profile = {
  vendor: '',
  mib: 'ENTITY-SENSOR-MIB',
  kind: 'switch',
  objectIds: [],
  tables: [
    {
      at: '1.3.6.1.2.1.99.1.1.1',
      index: ['sensor'],
      label: (row) => row.walk.text(`${names}.${row.index}`) || row.walk.text(`${descriptions}.${row.index}`),
      objects: { entPhySensorType: '1', entPhySensorScale: '2', entPhySensorPrecision: '3' },
      columns: {
        4: dynamic('entPhySensorValue', (row) => (row.number(5) > 1 ? undefined : value('entPhySensorValue').of(row))),
        5: code('entPhySensorOperStatus', status, { metric: 'hw.status', map: { 1: 0, 3: 2 } }),
      },
    },
    {
      mib: 'CISCO-ENTITY-SENSOR-MIB',
      at: '1.3.6.1.4.1.9.9.91.1.1.1.1',
      index: ['sensor'],
      label: (row) => row.walk.text(`${names}.${row.index}`) || row.walk.text(`${descriptions}.${row.index}`),
      objects: { entSensorType: '1', entSensorScale: '2', entSensorPrecision: '3', entSensorStatus: '5' },
      columns: {
        4: dynamic('entSensorValue', (row) => (row.number(5) > 1 ? undefined : value('entSensorValue').of(row))),
      },
    },
    ...ciscoEnvironment(),
    {
      // LM-SENSORS-MIB: thousandths of a degree, millivolts.
      mib: 'LM-SENSORS-MIB',
      at: '1.3.6.1.4.1.2021.13.16.2.1',
      index: ['sensor'],
      label: 2,
      objects: { lmTempSensorsDevice: '2' },
      columns: { 3: reading('lmTempSensorsValue', 'hw.temperature', 0.001) },
    },
    {
      mib: 'LM-SENSORS-MIB',
      at: '1.3.6.1.4.1.2021.13.16.3.1',
      index: ['sensor'],
      label: 2,
      objects: { lmFanSensorsDevice: '2' },
      columns: { 3: reading('lmFanSensorsValue', 'hw.fan.speed') },
    },
    {
      mib: 'LM-SENSORS-MIB',
      at: '1.3.6.1.4.1.2021.13.16.4.1',
      index: ['sensor'],
      label: 2,
      objects: { lmVoltSensorsDevice: '2' },
      columns: { 3: reading('lmVoltSensorsValue', 'hw.voltage', 0.001) },
    },
    ...juniper(),
  ],
};

/** CISCO-ENVMON-MIB and the stack's own states. */
function ciscoEnvironment() {
  const E = '1.3.6.1.4.1.9.9.13.1';
  const S = '1.3.6.1.4.1.9.9.500.1';
  const state = { 1: 'normal', 2: 'warning', 3: 'critical', 4: 'shutdown', 5: 'notPresent', 6: 'notFunctioning' };
  const meaning: Meaning = { metric: 'hw.status', map: { 1: 0, 2: 1, 3: 2, 4: 2, 6: 2 } };
  return [
    {
      mib: 'CISCO-ENVMON-MIB',
      at: `${E}.3.1`,
      index: ['sensor'],
      label: 2,
      objects: { ciscoEnvMonTemperatureStatusDescr: '2' },
      columns: {
        3: reading('ciscoEnvMonTemperatureStatusValue', 'hw.temperature', 1, { limits: { upper_critical: 4 } }),
        6: code('ciscoEnvMonTemperatureState', state, meaning),
      },
    },
    {
      mib: 'CISCO-ENVMON-MIB',
      at: `${E}.4.1`,
      index: ['fan'],
      label: 2,
      objects: { ciscoEnvMonFanStatusDescr: '2' },
      columns: { 3: code('ciscoEnvMonFanState', state, meaning) },
    },
    {
      mib: 'CISCO-ENVMON-MIB',
      at: `${E}.5.1`,
      index: ['psu'],
      name: 2,
      objects: { ciscoEnvMonSupplyStatusDescr: '2' },
      columns: { 3: code('ciscoEnvMonSupplyState', state, meaning) },
    },
    {
      mib: 'CISCO-STACKWISE-MIB',
      at: `${S}.1`,
      index: [],
      columns: { 3: code('cswRingRedundant', { 1: 'true', 2: 'false' }) },
    },
    {
      mib: 'CISCO-STACKWISE-MIB',
      at: `${S}.2.1.1`,
      index: ['member'],
      columns: {
        3: code('cswSwitchRole', { 1: 'master', 2: 'member', 3: 'notMember', 4: 'standby' }),
        6: code('cswSwitchState', {
          1: 'waiting',
          2: 'progressing',
          3: 'added',
          4: 'ready',
          5: 'sdmMismatch',
          6: 'verMismatch',
          7: 'featureMismatch',
          8: 'newMasterInit',
          9: 'provisioned',
          10: 'invalid',
          11: 'removed',
        }),
      },
    },
    {
      mib: 'CISCO-STACKWISE-MIB',
      at: `${S}.2.2.1`,
      index: ['stack_port'],
      columns: { 1: code('cswStackPortOperStatus', { 1: 'up', 2: 'down', 3: 'forcedDown' }) },
    },
  ];
}

/** JUNIPER-MIB: operating table (temperature in degrees, 0 where there is no sensor), parts, alarm lamps. */
function juniper() {
  const J = '1.3.6.1.4.1.2636.3';
  const lamp = { 1: 'other', 2: 'off', 3: 'on' };
  return [
    {
      mib: 'JUNIPER-MIB',
      at: `${J}.1.13.1`,
      index: ['part'],
      label: 5,
      objects: { jnxOperatingDescr: '5' },
      columns: { 7: reading('jnxOperatingTemp', 'hw.temperature', 1, { missing: [0] }) },
    },
    {
      mib: 'JUNIPER-MIB',
      at: `${J}.1.15.1`,
      index: ['part'],
      label: 5,
      objects: { jnxFruName: '5' },
      columns: {
        8: code('jnxFruState', {
          1: 'unknown',
          2: 'empty',
          3: 'present',
          4: 'ready',
          5: 'announceOnline',
          6: 'online',
          7: 'anounceOffline',
          8: 'offline',
          9: 'diagnostic',
          10: 'standby',
        }),
      },
    },
    {
      mib: 'JUNIPER-ALARM-MIB',
      at: `${J}.4.2`,
      index: [],
      columns: { '2.1': code('jnxYellowAlarmState', lamp), '3.1': code('jnxRedAlarmState', lamp) },
    },
  ];
}
