import { outletCodes } from '../outlet-codes.ts';
import { code, type Meaning, type Profile, type Row, reading, type Table } from '../profile.ts';

/** TRIPPLITE-PRODUCTS, the UPS branch (850.1.1.3.1). Tables are indexed by device, then by item. */
const T = '1.3.6.1.4.1.850.1.1.3.1';
/** PDUs and transfer switches have the same tables. */
const PDU_TABLES = ['1.3.6.1.4.1.850.1.1.3.2.3', '1.3.6.1.4.1.850.1.1.3.4.3'];
/** TRIPPLITE-MIB: firmware 12 and before it. */
const OLD = '1.3.6.1.4.1.850.100.1';
const SENSE = '1.3.6.1.4.1.850.101.1';
const MINUTE = 60;
const onOff = { 0: 'unknown', 1: 'off', 2: 'on' };
const battery: Meaning = { metric: 'hw.battery.state', map: { 0: 1, 1: 1, 2: 2, 3: 3, 4: 4 } };
const source: Meaning = {
  metric: 'hw.ups.output_source',
  map: { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 3, 9: 3, 10: 1 },
};
const side = (name: string) => (row: Row) => ({ side: name, phase: `L${row.part(-1)}` });

const pduTables = (at: string): readonly Table[] => [
  {
    at: `${at}.1.2.1`,
    index: ['-', '-'],
    attributes: side('input'),
    columns: {
      3: reading('tlpPduInputPhaseFrequency', 'hw.frequency', 0.1),
      4: reading('tlpPduInputPhaseVoltage', 'hw.voltage', 0.1),
      7: reading('tlpPduInputPhaseCurrent', 'hw.current', 0.01, {
        limits: { upper_critical: { at: `${at}.1.1.1.10.1`, scale: 1, scalar: true } },
      }),
    },
  },
  {
    at: `${at}.2.1.1`,
    index: ['-', '-'],
    objects: { tlpPduOutputPhase: '2' },
    attributes: (row) => ({ side: 'output', phase: `L${row.number(2) > 0 ? row.text(2) : row.part(-1)}` }),
    columns: {
      4: reading('tlpPduOutputVoltage', 'hw.voltage', 0.1),
      5: reading('tlpPduOutputCurrent', 'hw.current', 0.01),
      8: reading('tlpPduOutputActivePower', 'hw.power'),
      9: reading('tlpPduOutputPowerFactor', 'hw.power.factor', 0.0001),
      10: code('tlpPduOutputSource', { 0: 'none', 1: 'normal' }),
      11: reading('tlpPduOutputFrequency', 'hw.frequency', 0.1),
      12: reading('tlpPduOutputCalculatedPowerKVA', 'hw.power.apparent', 10),
    },
  },
  {
    at: `${at}.3.1.1`,
    index: ['-', 'outlet'],
    name: 2,
    objects: { tlpPduOutletName: '2' },
    columns: {
      4: code('tlpPduOutletState', onOff, outletCodes.trippLite),
      7: reading('tlpPduOutletVoltage', 'hw.voltage', 0.1),
      8: reading('tlpPduOutletCurrent', 'hw.current', 0.01),
      9: reading('tlpPduOutletPower', 'hw.power'),
    },
  },
];

export const trippLitePdu: Profile = {
  vendor: 'Tripp Lite',
  mib: 'TRIPPLITE-PRODUCTS',
  kind: 'pdu',
  objectIds: ['850.1.1.3.2', '850.1.1.3.4'],
  identity: { model: ['1.3.6.1.4.1.850.1.1.1.2.1.5'], serial: ['1.3.6.1.4.1.850.1.1.1.2.1.7'] },
  tables: PDU_TABLES.flatMap(pduTables),
};

/** What older firmware reports besides UPS-MIB, for UPSs and PDUs. */
export const trippLiteOld: Profile = {
  vendor: 'Tripp Lite',
  mib: 'TRIPPLITE-MIB',
  kind: 'ups',
  objectIds: ['850.10', '850.100'],
  identity: { serial: [`${OLD}.1.4`] },
  tables: [
    {
      at: `${OLD}.10.2.1`,
      index: ['outlet'],
      name: 5,
      objects: { tlUpsOutletName: '5' },
      columns: { 2: code('tlUpsOutletState', onOff, outletCodes.trippLite) },
    },
    {
      at: `${OLD}.10.3.1`,
      index: ['outlet'],
      name: `${OLD}.10.2.1.5`,
      columns: { 2: reading('tlUpsOutletCurrentValue', 'hw.current', 0.1) },
    },
    {
      at: `${OLD}.10.4.1`,
      index: ['outlet'],
      name: `${OLD}.10.2.1.5`,
      columns: { 2: reading('tlUpsOutletPowerValue', 'hw.power') },
    },
    {
      at: `${SENSE}.1`,
      index: [],
      attributes: { sensor: 'EnviroSense' },
      columns: { 1: reading('tlEnvTemperatureC', 'hw.temperature') },
    },
    {
      at: `${SENSE}.2`,
      index: [],
      attributes: { sensor: 'EnviroSense' },
      columns: { 1: reading('tlEnvHumidity', 'hw.humidity') },
    },
  ],
};

export const trippLite: Profile = {
  vendor: 'Tripp Lite',
  mib: 'TRIPPLITE-PRODUCTS',
  kind: 'ups',
  objectIds: ['850.1.1.1', '850.1.1.3.1'],
  identity: { model: ['1.3.6.1.4.1.850.1.1.1.2.1.5'], serial: ['1.3.6.1.4.1.850.1.1.1.2.1.7'] },
  tables: [
    {
      at: `${T}.2.1.1`,
      index: ['-'],
      columns: {
        1: code('tlpUpsDeviceMainLoadState', onOff),
        7: reading('tlpUpsDeviceTemperatureC', 'hw.temperature', 0.1),
      },
    },
    {
      at: `${T}.3.1.1.1`,
      index: ['-'],
      columns: {
        1: code(
          'tlpUpsBatteryStatus',
          { 0: 'unknown', 1: 'unknown', 2: 'batteryNormal', 3: 'batteryLow', 4: 'batteryDepleted' },
          battery,
        ),
        2: reading('tlpUpsSecondsOnBattery', 'hw.battery.time_on'),
        3: reading('tlpUpsEstimatedMinutesRemaining', 'hw.battery.time_left', MINUTE),
        4: reading('tlpUpsEstimatedChargeRemaining', 'hw.battery.charge'),
      },
    },
    {
      at: `${T}.3.1.2.1`,
      index: ['-'],
      columns: {
        1: reading('tlpUpsBatteryDetailVoltage', 'hw.battery.voltage', 0.1),
        4: code('tlpUpsBatteryDetailCharge', {
          0: 'floating',
          1: 'charging',
          2: 'resting',
          3: 'discharging',
          4: 'normal',
        }),
      },
    },
    {
      at: `${T}.3.1.5.1`,
      index: ['-', 'pack'],
      columns: { 1: code('tlpUpsBatteryPackDetailCondition', { 0: 'unknown', 1: 'good', 2: 'weak', 3: 'bad' }) },
    },
    {
      at: `${T}.3.2.2.1`,
      index: ['-', '-'],
      attributes: side('input'),
      columns: {
        2: reading('tlpUpsInputPhaseFrequency', 'hw.frequency', 0.1),
        3: reading('tlpUpsInputPhaseVoltage', 'hw.voltage', 0.1),
      },
    },
    {
      at: `${T}.3.3.1.1`,
      index: ['-'],
      attributes: { side: 'output' },
      columns: {
        1: code(
          'tlpUpsOutputSource',
          {
            0: 'unknown',
            1: 'other',
            2: 'none',
            3: 'normal',
            4: 'bypass',
            5: 'battery',
            6: 'boosting',
            7: 'reducing',
            8: 'second',
            9: 'economy',
            10: 'testing',
          },
          source,
        ),
        3: reading('tlpUpsOutputFrequency', 'hw.frequency', 0.1),
      },
    },
    {
      at: `${T}.3.3.2.1`,
      index: ['-', '-'],
      attributes: side('output'),
      columns: {
        2: reading('tlpUpsOutputLineVoltage', 'hw.voltage', 0.1),
        3: reading('tlpUpsOutputLineCurrent', 'hw.current', 0.01),
        4: reading('tlpUpsOutputLinePower', 'hw.power.output'),
        5: reading('tlpUpsOutputLinePercentLoad', 'hw.load'),
      },
    },
    {
      at: `${T}.3.5.1.1`,
      index: ['-', 'outlet'],
      name: 2,
      objects: { tlpUpsOutletName: '2' },
      columns: { 4: code('tlpUpsOutletState', onOff, outletCodes.trippLite) },
    },
  ],
};
