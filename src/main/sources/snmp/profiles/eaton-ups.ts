import { code, type Meaning, own, type Profile, type Row, reading } from '../profile.ts';

/** XUPS-MIB (534.1), FORMATS 2.1.9, and MG-SNMP-UPS-MIB (705.1). */
const X = '1.3.6.1.4.1.534.1';
const M = '1.3.6.1.4.1.705.1';

const side = (name: string) => (row: Row) => ({ side: name, phase: `L${row.index}` });
/** The first seven are RFC 1628's; the others are ways to run on the mains, or a bypass for maintenance. */
const outputSource: Meaning = {
  metric: 'hw.ups.output_source',
  map: { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 3, 9: 3, 10: 3, 11: 4, 12: 3 },
};
const battery: Meaning = { metric: 'hw.battery.state', map: { 1: 2, 2: 2, 3: 2, 4: 2, 5: 1, 6: 6, 7: 2, 8: 5 } };

export const eatonXups: Profile = {
  vendor: 'Eaton',
  mib: 'XUPS-MIB',
  kind: 'ups',
  objectIds: ['534.1', '534.2'],
  identity: { model: [`${X}.1.2`], serial: [`${X}.1.6`] },
  tables: [
    {
      at: X,
      index: [],
      columns: {
        '2.1': reading('xupsBatTimeRemaining', 'hw.battery.time_left'),
        '2.2': reading('xupsBatVoltage', 'hw.battery.voltage'),
        '2.3': reading('xupsBatCurrent', 'hw.battery.current', 1, { signed: true }),
        '2.4': reading('xupsBatCapacity', 'hw.battery.charge'),
        '2.5': code(
          'xupsBatteryAbmStatus',
          {
            1: 'batteryCharging',
            2: 'batteryDischarging',
            3: 'batteryFloating',
            4: 'batteryResting',
            5: 'unknown',
            6: 'batteryDisconnected',
            7: 'batteryUnderTest',
            8: 'checkBattery',
          },
          battery,
        ),
        '3.1': reading('xupsInputFrequency', 'hw.frequency', 0.1, { attributes: { side: 'input' } }),
        '4.1': reading('xupsOutputLoad', 'hw.load'),
        '4.2': reading('xupsOutputFrequency', 'hw.frequency', 0.1, { attributes: { side: 'output' } }),
        '4.5': code(
          'xupsOutputSource',
          {
            1: 'other',
            2: 'none',
            3: 'normal',
            4: 'bypass',
            5: 'battery',
            6: 'booster',
            7: 'reducer',
            8: 'parallelCapacity',
            9: 'parallelRedundant',
            10: 'highEfficiencyMode',
            11: 'maintenanceBypass',
            12: 'essMode',
          },
          outputSource,
        ),
        '5.1': reading('xupsBypassFrequency', 'hw.frequency', 0.1, { attributes: { side: 'bypass' } }),
        '6.1': reading('xupsEnvAmbientTemp', 'hw.temperature', 1, {
          attributes: { sensor: 'ambient' },
          limits: {
            lower_critical: { at: `${X}.6.2.0`, scalar: true },
            upper_critical: { at: `${X}.6.3.0`, scalar: true },
          },
        }),
        '6.5': reading('xupsEnvRemoteTemp', 'hw.temperature', 1, { attributes: { sensor: 'remote' } }),
        '6.6': reading('xupsEnvRemoteHumidity', 'hw.humidity', 1, { attributes: { sensor: 'remote' } }),
        '7.1': own('xupsAlarms', '{alarm}'),
        '8.2': code('xupsTestBatteryStatus', {
          1: 'unknown',
          2: 'passed',
          3: 'failed',
          4: 'inProgress',
          5: 'notSupported',
          6: 'inhibited',
          7: 'scheduled',
        }),
      },
    },
    {
      at: `${X}.3.4.1`,
      index: ['-'],
      attributes: side('input'),
      columns: {
        2: reading('xupsInputVoltage', 'hw.voltage'),
        3: reading('xupsInputCurrent', 'hw.current'),
        4: reading('xupsInputWatts', 'hw.power.input'),
      },
    },
    {
      at: `${X}.4.4.1`,
      index: ['-'],
      attributes: side('output'),
      columns: {
        2: reading('xupsOutputVoltage', 'hw.voltage'),
        3: reading('xupsOutputCurrent', 'hw.current'),
        4: reading('xupsOutputWatts', 'hw.power.output'),
      },
    },
    {
      at: `${X}.5.3.1`,
      index: ['-'],
      attributes: side('bypass'),
      columns: { 2: reading('xupsBypassVoltage', 'hw.voltage') },
    },
  ],
};

const fault = (bad: string, good: string) => ({ 1: bad, 2: good });
/** Three rows always; those of lines that the UPS lacks repeat the first. */
const lines = (count: string) => (row: Row) => !(Number(row.index) > row.walk.number(`${M}.${count}.0`));

export const eatonMge: Profile = {
  vendor: 'Eaton',
  mib: 'MG-SNMP-UPS-MIB',
  kind: 'ups',
  objectIds: ['705'],
  identity: { model: [`${M}.1.1`], serial: [`${M}.1.7`] },
  tables: [
    {
      at: M,
      index: [],
      columns: {
        '5.1': reading('upsmgBatteryRemainingTime', 'hw.battery.time_left'),
        '5.2': reading('upsmgBatteryLevel', 'hw.battery.charge'),
        '5.5': reading('upsmgBatteryVoltage', 'hw.battery.voltage', 0.1),
        '5.9': code('upsmgBatteryFaultBattery', fault('fault', 'ok')),
        '5.11': code('upsmgBatteryReplacement', fault('toBeReplaced', 'ok')),
        '5.14': code('upsmgBatteryLowBattery', fault('lowBattery', 'ok')),
        '5.15': code('upsmgBatteryChargerFault', fault('fault', 'ok')),
        '5.16': code('upsmgBatteryLowCondition', fault('lowCondition', 'ok')),
        '6.3': code('upsmgInputBadStatus', fault('badStatus', 'ok')),
        '6.4': code('upsmgInputLineFailCause', { 1: 'no', 2: 'outoftolvolt', 3: 'outoftolfreq', 4: 'utilityoff' }),
        '7.3': code('upsmgOutputOnBattery', fault('onBattery', 'onInputPower')),
        '7.4': code('upsmgOutputOnByPass', fault('onByPass', 'notActive')),
        '7.7': code('upsmgOutputUtilityOff', fault('noVoltage', 'ok')),
        '7.9': code('upsmgOutputInverterOff', fault('inverterOff', 'ok')),
        '7.10': code('upsmgOutputOverLoad', fault('overload', 'ok')),
        '7.11': code('upsmgOutputOverTemp', fault('overTemperature', 'ok')),
      },
    },
    {
      at: `${M}.6.2.1`,
      index: ['-'],
      attributes: side('input'),
      when: lines('6.1'),
      columns: {
        2: reading('upsmgInputVoltage', 'hw.voltage', 0.1),
        3: reading('upsmgInputFrequency', 'hw.frequency', 0.1),
      },
    },
    {
      at: `${M}.7.2.1`,
      index: ['-'],
      attributes: side('output'),
      when: lines('7.1'),
      columns: {
        2: reading('upsmgOutputVoltage', 'hw.voltage', 0.1),
        3: reading('upsmgOutputFrequency', 'hw.frequency', 0.1),
        4: reading('upsmgOutputLoadPerPhase', 'hw.load'),
        5: reading('upsmgOutputCurrent', 'hw.current', 0.1),
      },
    },
  ],
};
