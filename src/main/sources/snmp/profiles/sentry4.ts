import { outletCodes } from '../outlet-codes.ts';
import {
  type Column,
  code,
  dynamic,
  KILOWATT_HOUR,
  type Limits,
  own,
  type Profile,
  type Row,
  reading,
  type Table,
  WATT_HOUR,
} from '../profile.ts';

/** Sentry4-MIB, FORMATS 2.1.5: monitor tables, indexed by unit, input cord and item; `n.2` configures, `n.3` measures. */
const B = '1.3.6.1.4.1.1718.4.1';

const deviceStates = { 0: 'unknown', 1: 'on', 2: 'off' };
const statusCodes = {
  0: 'normal',
  1: 'disabled',
  2: 'purged',
  5: 'reading',
  6: 'settle',
  7: 'notFound',
  8: 'lost',
  9: 'readError',
  10: 'noComm',
  11: 'pwrError',
  12: 'breakerTripped',
  13: 'fuseBlown',
  14: 'lowAlarm',
  15: 'lowWarning',
  16: 'highWarning',
  17: 'highAlarm',
  18: 'alarm',
  19: 'underLimit',
  20: 'overLimit',
  21: 'nvmFail',
  22: 'profileError',
  23: 'conflict',
};
/** Codes about the limits, as codes of `hw.sensor.state`. */
const threshold = { metric: 'hw.sensor.state' as const, map: { 0: 4, 14: 2, 15: 3, 16: 5, 17: 6 } };
const state = (object: string): Column => code(object, deviceStates);
const status = (object: string): Column => code(object, statusCodes, threshold);

/** Low alarm, low warning, high warning, high alarm: four columns of an event configuration. */
const events = (group: number, first: number, scale: number): Limits => ({
  lower_critical: { at: `${B}.${group}.4.1.${first}`, scale },
  lower_warning: { at: `${B}.${group}.4.1.${first + 1}`, scale },
  upper_warning: { at: `${B}.${group}.4.1.${first + 2}`, scale },
  upper_critical: { at: `${B}.${group}.4.1.${first + 3}`, scale },
});

/** The scale of all temperatures: 0 Celsius, 1 Fahrenheit. */
const temperature = (row: Row) => {
  const scale = row.walk.number(`${B}.9.1.10.0`);
  if (scale !== 0 && scale !== 1) return 'st4TempSensorValue: the walk lacks the temperature scale';
  return reading('st4TempSensorValue', 'hw.temperature', 0.1, {
    // A socket without a probe answers this.
    missing: [-410, -420],
    limits: events(9, 2, 1),
    ...(scale === 1 && { fahrenheit: true }),
  });
};
const found = (row: Row): boolean => ![1, 2, 7, 8, 9, 10].includes(row.number(2));

const monitor = (group: number, item: string, columns: Table['columns'], more: Partial<Table> = {}): Table => ({
  at: `${B}.${group}.3.1`,
  index: ['unit', '*', item],
  label: `${B}.${group}.2.1.4`,
  columns,
  ...more,
});

export const sentry4: Profile = {
  vendor: 'Server Technology',
  mib: 'Sentry4-MIB',
  kind: 'pdu',
  objectIds: ['1718.4'],
  identity: { model: [`${B}.2.2.1.5`], serial: [`${B}.2.2.1.4`] },
  tables: [
    { at: `${B}.2.3.1`, index: ['unit'], columns: { 1: status('st4UnitStatus') } },
    { at: `${B}.9.1`, index: ['-'], objects: { st4TempSensorScale: '10' }, columns: {} },
    {
      at: `${B}.3.3.1`,
      index: ['unit', 'inlet'],
      label: `${B}.3.2.1.2`,
      columns: {
        1: state('st4InputCordState'),
        2: status('st4InputCordStatus'),
        3: reading('st4InputCordActivePower', 'hw.power', 1, { limits: events(3, 2, 1) }),
        4: status('st4InputCordActivePowerStatus'),
        5: reading('st4InputCordApparentPower', 'hw.power.apparent', 1, { limits: events(3, 6, 1) }),
        6: status('st4InputCordApparentPowerStatus'),
        7: reading('st4InputCordPowerUtilized', 'hw.load', 0.1),
        8: reading('st4InputCordPowerFactor', 'hw.power.factor', 0.01),
        9: status('st4InputCordPowerFactorStatus'),
        10: reading('st4InputCordEnergy', 'hw.energy', KILOWATT_HOUR / 10),
        11: reading('st4InputCordFrequency', 'hw.frequency', 0.1),
        12: own('st4InputCordOutOfBalance', '%', 0.1),
        13: status('st4InputCordOutOfBalanceStatus'),
      },
    },
    monitor(4, 'line', {
      1: state('st4LineState'),
      2: status('st4LineStatus'),
      3: reading('st4LineCurrent', 'hw.current', 0.01),
      4: status('st4LineCurrentStatus'),
      5: reading('st4LineCurrentUtilized', 'hw.load', 0.1),
    }),
    monitor(5, 'phase', {
      1: state('st4PhaseState'),
      2: status('st4PhaseStatus'),
      3: reading('st4PhaseVoltage', 'hw.voltage', 0.1),
      4: status('st4PhaseVoltageStatus'),
      5: own('st4PhaseVoltageDeviation', '%', 0.1, { signed: true }),
      6: reading('st4PhaseCurrent', 'hw.current', 0.01),
      7: own('st4PhaseCrestFactor', '1', 0.1),
      8: reading('st4PhaseActivePower', 'hw.power'),
      9: reading('st4PhaseApparentPower', 'hw.power.apparent'),
      10: reading('st4PhasePowerFactor', 'hw.power.factor', 0.01),
      11: status('st4PhasePowerFactorStatus'),
      13: reading('st4PhaseEnergy', 'hw.energy', KILOWATT_HOUR / 10),
    }),
    monitor(6, 'breaker', { 1: status('st4OcpStatus') }),
    monitor(7, 'branch', {
      1: state('st4BranchState'),
      2: status('st4BranchStatus'),
      3: reading('st4BranchCurrent', 'hw.current', 0.01),
      4: status('st4BranchCurrentStatus'),
      5: reading('st4BranchCurrentUtilized', 'hw.load', 0.1),
    }),
    monitor(
      8,
      'outlet',
      {
        1: code('st4OutletState', deviceStates, outletCodes.sentry4),
        2: status('st4OutletStatus'),
        3: reading('st4OutletCurrent', 'hw.current', 0.01),
        4: status('st4OutletCurrentStatus'),
        5: reading('st4OutletCurrentUtilized', 'hw.load', 0.1),
        6: reading('st4OutletVoltage', 'hw.voltage', 0.1),
        7: reading('st4OutletActivePower', 'hw.power'),
        8: status('st4OutletActivePowerStatus'),
        9: reading('st4OutletApparentPower', 'hw.power.apparent'),
        10: reading('st4OutletPowerFactor', 'hw.power.factor', 0.01),
        11: status('st4OutletPowerFactorStatus'),
        14: reading('st4OutletEnergy', 'hw.energy', WATT_HOUR),
      },
      { label: `${B}.8.2.1.2`, name: `${B}.8.2.1.3` },
    ),
    {
      at: `${B}.9.3.1`,
      index: ['*', 'sensor'],
      label: `${B}.9.2.1.2`,
      when: found,
      columns: { 1: dynamic('st4TempSensorValue', temperature), 2: status('st4TempSensorStatus') },
    },
    {
      at: `${B}.10.3.1`,
      index: ['*', 'sensor'],
      label: `${B}.10.2.1.2`,
      when: found,
      columns: {
        1: reading('st4HumidSensorValue', 'hw.humidity', 1, { limits: events(10, 2, 1) }),
        2: status('st4HumidSensorStatus'),
      },
    },
    { at: `${B}.3.2.1`, index: ['-'], objects: { st4InputCordID: '2', st4InputCordName: '3' }, columns: {} },
    { at: `${B}.4.2.1`, index: ['-'], objects: { st4LineLabel: '4' }, columns: {} },
    { at: `${B}.5.2.1`, index: ['-'], objects: { st4PhaseLabel: '4' }, columns: {} },
    { at: `${B}.6.2.1`, index: ['-'], objects: { st4OcpLabel: '4' }, columns: {} },
    { at: `${B}.7.2.1`, index: ['-'], objects: { st4BranchLabel: '4' }, columns: {} },
    { at: `${B}.8.2.1`, index: ['-'], objects: { st4OutletID: '2', st4OutletName: '3' }, columns: {} },
  ],
};
