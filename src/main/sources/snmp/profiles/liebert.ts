import { outletCodes } from '../outlet-codes.ts';
import { code, KILOWATT_HOUR, own, type Profile, type Reading, type Row, reading } from '../profile.ts';

/**
 * LIEBERT-GP MIBs (base 476.1.42.3): the MPH2 PDU (8.*, FORMATS 2.1.8; object names, labels and states as the MIB has
 * them), the environment of cooling units (4.*) and the measuring points of power units (5.2.*).
 */
const B = '1.3.6.1.4.1.476.1.42.3';
const onOff = { 1: 'on', 2: 'off' };

export const liebertPdu: Profile = {
  vendor: 'Vertiv Liebert',
  mib: 'LIEBERT-GP-PDU-MIB',
  kind: 'pdu',
  objectIds: ['476.1.42'],
  identity: { model: [`${B}.8.20.1.15`], serial: [`${B}.8.20.1.45`] },
  tables: [
    {
      at: `${B}.8.30.20.1`,
      index: ['unit', 'inlet'],
      columns: {
        50: reading('lgpPduPsEntryEnergyAccum', 'hw.energy', KILOWATT_HOUR / 10),
        65: reading('lgpPduPsEntryPwrTotal', 'hw.power'),
      },
    },
    {
      at: `${B}.8.30.40.1`,
      index: ['unit', 'inlet', 'phase'],
      columns: {
        19: reading('lgpPduPsLineEntryEpLNTenths', 'hw.voltage', 0.1),
        22: reading('lgpPduPsLineEntryEcHundredths', 'hw.current', 0.01),
      },
    },
    {
      at: `${B}.8.40.20.1`,
      index: ['unit', 'branch'],
      label: 8,
      objects: { lgpPduRbEntryUsrLabel: '8' },
      columns: {
        85: reading('lgpPduRbEntryEnergyAccum', 'hw.energy', KILOWATT_HOUR / 10),
        100: reading('lgpPduRbEntryEpLNTenths', 'hw.voltage', 0.1),
        115: reading('lgpPduRbEntryPwr', 'hw.power'),
        120: reading('lgpPduRbEntryAp', 'hw.power.apparent'),
        130: reading('lgpPduRbEntryEcHundredths', 'hw.current', 0.01),
      },
    },
    {
      at: `${B}.8.50.20.1`,
      // Unit, branch, receptacle of that branch.
      index: ['unit', 'outlet'],
      label: 25,
      name: 10,
      objects: { lgpPduRcpEntryUsrLabel: '10', lgpPduRcpEntrySysAssignLabel: '25' },
      columns: {
        55: reading('lgpPduRcpEntryEp', 'hw.voltage'),
        60: reading('lgpPduRcpEntryEcTenths', 'hw.current', 0.1),
        65: reading('lgpPduRcpEntryPwrOut', 'hw.power'),
        70: reading('lgpPduRcpEntryApOut', 'hw.power.apparent'),
        75: reading('lgpPduRcpEntryPf', 'hw.power.factor', 0.01),
        80: reading('lgpPduRcpEntryFreq', 'hw.frequency', 0.1),
        85: reading('lgpPduRcpEntryEnergyAccum', 'hw.energy', KILOWATT_HOUR / 10),
        95: code(
          'lgpPduRcpEntryPwrState',
          { 0: 'unknown', 1: 'off', 2: 'on', 3: 'off-pending-on-delay' },
          outletCodes.liebert,
        ),
      },
    },
  ],
};

/** Rows name their quantity by an OID; only its last two numbers are relevant. */
const places: Readonly<Record<string, string>> = {
  '4.1.1.1': 'control',
  '4.1.1.2': 'return air',
  '4.1.1.3': 'supply air',
  '4.2.1.1': 'control',
  '4.2.1.2': 'return air',
  '4.2.1.3': 'supply air',
  '5.2.1.1': 'source 1 input',
  '5.2.1.2': 'source 2 input',
  '5.2.1.3': 'system input',
  '5.2.1.7': 'bypass',
  '5.2.1.9': 'system output',
};
const place = (oid: string): string => places[oid.split('.').slice(-4).join('.')] ?? oid;
const sensor = (row: Row) => ({ sensor: place(row.text(2)) || row.index });
const percent = (object: string): Reading => own(object, '%');

export const liebertEnvironment: Profile = {
  vendor: 'Vertiv Liebert',
  mib: 'LIEBERT-GP-ENVIRONMENTAL-MIB',
  kind: 'cooling',
  objectIds: ['476.1.42.4'],
  tables: [
    {
      at: `${B}.4.1.3.3.1`,
      index: ['-'],
      attributes: sensor,
      columns: {
        3: reading('lgpEnvTemperatureMeasurementDegC', 'hw.temperature', 1, {
          limits: { upper_warning: 4, lower_warning: 5 },
        }),
        6: own('lgpEnvTemperatureSetPointDegC', 'Cel'),
      },
    },
    {
      at: `${B}.4.2.2.3.1`,
      index: ['-'],
      attributes: sensor,
      columns: {
        3: reading('lgpEnvHumidityMeasurementRel', 'hw.humidity', 1, {
          limits: { upper_warning: 4, lower_warning: 5 },
        }),
        6: own('lgpEnvHumiditySetPointRel', '%'),
      },
    },
    {
      at: `${B}.4.3`,
      index: [],
      columns: {
        1: code('lgpEnvStateSystem', { ...onOff, 3: 'standby' }),
        2: code('lgpEnvStateCooling', onOff),
        4: code('lgpEnvStateHumidifying', onOff),
        5: code('lgpEnvStateDehumidifying', onOff),
        7: code('lgpEnvStateFan', onOff),
        8: code('lgpEnvStateGeneralAlarmOutput', onOff),
        9: percent('lgpEnvStateCoolingCapacity'),
        11: code('lgpEnvStateAudibleAlarm', onOff),
        14: code('lgpEnvStateOperatingReason', {
          1: 'none',
          2: 'localUser',
          3: 'alarm',
          4: 'schedule',
          5: 'remoteUser',
          6: 'externalDevice',
          7: 'localDisplay',
        }),
        15: code('lgpEnvStateOperatingMode', { 1: 'auto', 2: 'manual' }),
        16: percent('lgpEnvStateFanCapacity'),
        17: percent('lgpEnvStateFreeCoolingCapacity'),
        18: percent('lgpEnvStateDehumidifyingCapacity'),
        19: percent('lgpEnvStateHumidifyingCapacity'),
        21: code('lgpEnvStateElectricHeater', onOff),
        22: code('lgpEnvStateHotWater', onOff),
      },
    },
    {
      at: `${B}.4.4.32.1`,
      index: ['component'],
      columns: { 5: own('lgpEnvStatisticsComponentRunHours', 'h') },
    },
    {
      at: `${B}.5.2.3.1`,
      index: ['-', '-'],
      attributes: (row) => ({ side: place(row.text(3)) || row.part(0), phase: `L${row.part(1)}` }),
      columns: {
        4: reading('lgpPwrMeasurementPtVoltsLL', 'hw.voltage', 1, { attributes: { between: 'lines' } }),
        5: reading('lgpPwrMeasurementPtVoltsLN', 'hw.voltage', 1, { attributes: { between: 'line and neutral' } }),
        6: reading('lgpPwrMeasurementPtAmps', 'hw.current'),
        14: reading('lgpPwrMeasurementPtPowerFactor', 'hw.power.factor', 0.01),
      },
    },
  ],
};
