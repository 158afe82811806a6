import { code, dynamic, type Limits, own, type Profile, type Reading, type Row, reading } from '../profile.ts';

/** UPS-MIB, RFC 1628, FORMATS 2.1.9. Some agents answer strings instead of integers. */
const B = '1.3.6.1.2.1.33.1';
const MINUTE = 60;

/** Tenths of a hertz by the RFC; some agents send hundredths or whole hertz, seen by the range. */
const frequency = (object: string, column: number, side: string) =>
  dynamic(object, (row: Row): Reading => {
    const raw = row.number(column);
    const scale = raw >= 4000 && raw <= 7000 ? 0.01 : raw >= 40 && raw <= 70 ? 1 : 0.1;
    return reading(object, 'hw.frequency', scale, { attributes: { side } });
  });

const transferLimits: Limits = {
  lower_critical: { at: `${B}.9.9.0`, scalar: true },
  upper_critical: { at: `${B}.9.10.0`, scalar: true },
};
const side = (name: string) => (row: Row) => ({ side: name, phase: `L${row.index}` });

export const upsMib: Profile = {
  vendor: '',
  mib: 'UPS-MIB',
  kind: 'ups',
  objectIds: ['534.1', '705', '2254.2', '2011.6.174', '5491', '4555', '935', '850.1.1.1', '674.10902', '476.1.42.2'],
  identity: { model: [`${B}.1.2`] },
  tables: [
    {
      at: `${B}.2`,
      index: [],
      columns: {
        1: code(
          'upsBatteryStatus',
          { 1: 'unknown', 2: 'batteryNormal', 3: 'batteryLow', 4: 'batteryDepleted' },
          { metric: 'hw.battery.state', map: { 1: 1, 2: 2, 3: 3, 4: 4 }, same: true },
        ),
        2: reading('upsSecondsOnBattery', 'hw.battery.time_on'),
        3: reading('upsEstimatedMinutesRemaining', 'hw.battery.time_left', MINUTE),
        4: reading('upsEstimatedChargeRemaining', 'hw.battery.charge'),
        5: reading('upsBatteryVoltage', 'hw.battery.voltage', 0.1),
        6: reading('upsBatteryCurrent', 'hw.battery.current', 0.1, { signed: true, missing: [-1] }),
        7: reading('upsBatteryTemperature', 'hw.battery.temperature'),
      },
    },
    { at: `${B}.3`, index: [], columns: { 1: own('upsInputLineBads', '{event}') } },
    {
      at: `${B}.3.3.1`,
      index: ['-'],
      attributes: side('input'),
      columns: {
        2: frequency('upsInputFrequency', 2, 'input'),
        3: reading('upsInputVoltage', 'hw.voltage', 1, { limits: transferLimits }),
        4: reading('upsInputCurrent', 'hw.current', 0.1),
        5: reading('upsInputTruePower', 'hw.power.input'),
      },
    },
    {
      at: `${B}.4`,
      index: [],
      columns: {
        1: code(
          'upsOutputSource',
          { 1: 'other', 2: 'none', 3: 'normal', 4: 'bypass', 5: 'battery', 6: 'booster', 7: 'reducer' },
          { metric: 'hw.ups.output_source', map: { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7 }, same: true },
        ),
        2: frequency('upsOutputFrequency', 2, 'output'),
      },
    },
    {
      at: `${B}.4.4.1`,
      index: ['-'],
      attributes: side('output'),
      columns: {
        2: reading('upsOutputVoltage', 'hw.voltage'),
        3: reading('upsOutputCurrent', 'hw.current', 0.1),
        4: reading('upsOutputPower', 'hw.power.output'),
        5: reading('upsOutputPercentLoad', 'hw.load'),
      },
    },
    { at: `${B}.5`, index: [], columns: { 1: frequency('upsBypassFrequency', 1, 'bypass') } },
    {
      at: `${B}.5.3.1`,
      index: ['-'],
      attributes: side('bypass'),
      columns: {
        2: reading('upsBypassVoltage', 'hw.voltage'),
        3: reading('upsBypassCurrent', 'hw.current', 0.1),
        4: reading('upsBypassPower', 'hw.power'),
      },
    },
    { at: `${B}.6`, index: [], columns: { 1: own('upsAlarmsPresent', '{alarm}') } },
    { at: `${B}.6.2.1`, index: ['-'], objects: { upsAlarmDescr: '2', upsAlarmTime: '3' }, columns: {} },
    {
      at: `${B}.7`,
      index: [],
      columns: {
        3: code('upsTestResultsSummary', {
          1: 'donePass',
          2: 'doneWarning',
          3: 'doneError',
          4: 'aborted',
          5: 'inProgress',
          6: 'noTestsInitiated',
        }),
      },
    },
    {
      at: `${B}.9`,
      index: [],
      objects: { upsConfigLowVoltageTransferPoint: '9', upsConfigHighVoltageTransferPoint: '10' },
      columns: { 6: reading('upsConfigOutputPower', 'hw.power.capacity') },
    },
  ],
};
