import { type Code, code, type Meaning, own, type Profile, type Row, reading, type Table } from '../profile.ts';

/**
 * UPSs that answer vendor tables in addition to UPS-MIB or instead of it. Meanings and enumerations are those of the MIBs
 * (NETVISION, PPC-MIB, DELL-SNMP-UPS-MIB); names of Dell's objects are descriptive.
 */
const S = '1.3.6.1.4.1.4555.1.1.7.1';
const S5 = '1.3.6.1.4.1.4555.1.1.1.1';
const P = '1.3.6.1.4.1.935.10.1.1';
const D = '1.3.6.1.4.1.674.10902.2';
const MINUTE = 60;

const side = (name: string) => (row: Row) => ({ side: name, phase: `L${row.part(-1)}` });
/** 16 bits of ones, also in tenths. */
const ABSENT = { missing: [65534, 65535, 655350] };
const alarm = { 0: 'ok', 1: 'alarm' };
const source = (map: Meaning['map']): Meaning => ({ metric: 'hw.ups.output_source', map });
const battery = (map: Meaning['map']): Meaning => ({ metric: 'hw.battery.state', map });

/** SOCOMECUPS7-MIB (Net Vision 6 and 7) and SOCOMECUPS-MIB before it have the same layout; newer ones have more battery states. */
const socomecBatteries = {
  new: {
    codes: {
      1: 'unknown',
      2: 'batteryNormal',
      3: 'batteryCharging',
      4: 'batteryTest',
      5: 'batteryDischarging',
      6: 'batteryLow',
      7: 'batteryDepleted',
      8: 'batteryFailure',
      9: 'batteryDisconnected',
    },
    as: battery({ 1: 1, 2: 2, 3: 2, 4: 2, 5: 2, 6: 3, 7: 4, 8: 5, 9: 6 }),
  },
  old: {
    codes: {
      1: 'unknown',
      2: 'batteryNormal',
      3: 'batteryLow',
      4: 'batteryDepleted',
      5: 'batteryDischarging',
      6: 'batteryFailure',
    },
    as: battery({ 1: 1, 2: 2, 3: 3, 4: 4, 5: 2, 6: 5 }),
  },
};

const socomecTables = (
  S: string,
  { codes, as }: { readonly codes: Code['codes']; readonly as: Meaning },
): readonly Table[] => [
  {
    at: S,
    index: [],
    columns: {
      '2.1': code('upsBatteryStatus', codes, as),
      '2.2': reading('upsSecondsonBattery', 'hw.battery.time_on', 1, ABSENT),
      '2.3': reading('upsEstimatedMinutesRemaining', 'hw.battery.time_left', MINUTE, ABSENT),
      '2.4': reading('upsEstimatedChargeRemaining', 'hw.battery.charge', 1, ABSENT),
      '2.5': reading('upsBatteryVoltage', 'hw.battery.voltage', 0.1, ABSENT),
      // Zero if there is no probe.
      '2.6': reading('upsBatteryTemperature', 'hw.battery.temperature', 0.1, { missing: [0, ...ABSENT.missing] }),
      '2.8': reading('upsBatteryCurrent', 'hw.battery.current', 0.1, ABSENT),
      '2.7': reading('upsTemperature', 'hw.temperature', 0.1, { ...ABSENT, attributes: { sensor: 'ambient' } }),
      '3.2': reading('upsInputFrequency', 'hw.frequency', 0.1, { ...ABSENT, attributes: { side: 'input' } }),
      '4.1': code(
        'upsOutputSource',
        {
          1: 'unknown',
          2: 'onMaintenBypass',
          3: 'onInverter',
          4: 'normalMode',
          5: 'ecoMode',
          6: 'onBypass',
          7: 'standby',
          8: 'upsOff',
          9: 'lineInteractive',
        },
        source({ 1: 1, 2: 4, 3: 3, 4: 3, 5: 3, 6: 4, 7: 2, 8: 2, 9: 3 }),
      ),
      '4.2': reading('upsOutputFrequency', 'hw.frequency', 0.1, { ...ABSENT, attributes: { side: 'output' } }),
      '5.1': reading('upsBypassFrequency', 'hw.frequency', 0.1, { ...ABSENT, attributes: { side: 'bypass' } }),
      '6.1': own('upsAlarmsPresent', '{alarm}', 1, ABSENT),
      '6.3.2': code('upsAlarmOverload', alarm),
      '6.3.3': code('upsAlarmTemperature', alarm),
      '6.3.11': code('upsAlarmGeneralFault', alarm),
      '6.3.21': code('upsAlarmRectifierAlarm', alarm),
      '6.3.32': code('upsAlarmFansFailure', alarm),
    },
  },
  {
    at: `${S}.3.3.1`,
    index: ['-'],
    attributes: side('input'),
    columns: {
      2: reading('upsInputVoltage', 'hw.voltage', 0.1, ABSENT),
      3: reading('upsInputCurrent', 'hw.current', 0.1, ABSENT),
    },
  },
  {
    at: `${S}.4.4.1`,
    index: ['-'],
    attributes: side('output'),
    columns: {
      2: reading('upsOutputVoltage', 'hw.voltage', 0.1, ABSENT),
      3: reading('upsOutputCurrent', 'hw.current', 0.1, ABSENT),
      4: reading('upsOutputPercentLoad', 'hw.load', 1, ABSENT),
      5: reading('upsOutputPower', 'hw.power.output', 1, ABSENT),
    },
  },
  {
    at: `${S}.5.3.1`,
    index: ['-'],
    attributes: side('bypass'),
    columns: {
      2: reading('upsBypassVoltage', 'hw.voltage', 0.1, ABSENT),
      3: reading('upsBypassCurrent', 'hw.current', 0.1, ABSENT),
    },
  },
];

export const socomecUps: Profile = {
  vendor: 'Socomec',
  mib: 'SOCOMECUPS7-MIB',
  kind: 'ups',
  objectIds: ['4555'],
  identity: { model: [`${S}.1.1`, `${S5}.1.1`], serial: [`${S}.1.2`, `${S5}.1.4`] },
  tables: [...socomecTables(S, socomecBatteries.new), ...socomecTables(S5, socomecBatteries.old)],
};

export const powerWalkerUps: Profile = {
  vendor: 'PowerWalker',
  mib: 'PPC-MIB',
  kind: 'ups',
  objectIds: ['935.10'],
  tables: [
    {
      at: P,
      index: [],
      columns: {
        '2.1': code(
          'upsESystemStatus',
          {
            1: 'power-on',
            2: 'stand-by',
            3: 'by-pass',
            4: 'line',
            5: 'battery',
            6: 'battery-test',
            7: 'fault',
            8: 'converter',
            9: 'eco',
            10: 'shutdown',
            11: 'on-boosters',
            12: 'on-reducer',
            13: 'other',
          },
          source({ 2: 2, 3: 4, 4: 3, 5: 5, 6: 5, 8: 3, 9: 3, 10: 2, 11: 6, 12: 7, 13: 1 }),
        ),
        '2.2': reading('upsESystemTemperature', 'hw.temperature', 0.1, { attributes: { sensor: 'ambient' } }),
        '3.1': code(
          'upsEBatteryStatus',
          {
            1: 'unknown',
            2: 'batteryNormal',
            3: 'batteryLow',
            4: 'batteryDepleted',
            5: 'batteryDischarging',
            6: 'batteryFailure',
          },
          battery({ 1: 1, 2: 2, 3: 3, 4: 4, 5: 2, 6: 5 }),
        ),
        '3.3': reading('upsEBatteryEstimatedMinutesRemaining', 'hw.battery.time_left', MINUTE),
        '3.4': reading('upsEBatteryEstimatedChargeRemaining', 'hw.battery.charge'),
        '3.5': reading('upsEPositiveBatteryVoltage', 'hw.battery.voltage', 0.1),
      },
    },
    {
      at: `${P}.2.16.1`,
      index: ['-'],
      attributes: side('input'),
      columns: {
        2: reading('upsESystemInputFrequency', 'hw.frequency', 0.1),
        3: reading('upsESystemInputVoltage', 'hw.voltage', 0.1),
      },
    },
    {
      at: `${P}.2.18.1`,
      index: ['-'],
      attributes: side('output'),
      columns: {
        2: reading('upsESystemOutputFrequency', 'hw.frequency', 0.1),
        3: reading('upsESystemOutputVoltage', 'hw.voltage', 0.1),
        7: reading('upsESystemOutputLoad', 'hw.load'),
      },
    },
  ],
};

export const dellUps: Profile = {
  vendor: 'Dell',
  mib: 'DELL-SNMP-UPS-MIB',
  kind: 'ups',
  objectIds: ['674.10902.2'],
  identity: { model: [`${D}.100.1`], serial: [`${D}.120.1.2`] },
  tables: [
    {
      at: D,
      index: [],
      columns: {
        '110.1': code(
          'productStatusGlobalStatus',
          { 1: 'other', 2: 'unknown', 3: 'ok', 4: 'non-critical', 5: 'critical', 6: 'non-recoverable' },
          { metric: 'hw.status', map: { 3: 0, 4: 1, 5: 2, 6: 2 } },
        ),
        '120.2.6': reading('physicalOutputPresentConsumption', 'hw.power.output'),
        '120.5.3': reading('physicalBatteryTimeRemaining', 'hw.battery.time_left'),
      },
    },
  ],
};
