import { outletCodes } from '../outlet-codes.ts';
import {
  code,
  dynamic,
  KILOWATT_HOUR,
  own,
  type Profile,
  type Reading,
  type Row,
  reading,
  type Table,
} from '../profile.ts';

/**
 * SCHLEIFENBAUER-DATABUS-MIB: PDUs on a data bus below a gateway; the unit is the address of a PDU on it. Hundredths of
 * amperes, volts, degrees and percent. Newer PDUs also report active power (10).
 */
const B = '1.3.6.1.4.1.31034.12.1.1';
const DEVICE = `${B}.2`;

/** Inputs and branches have the same columns. */
const meter = (prefix: string): Table['columns'] => ({
  2: reading(`${prefix}KWhTotal`, 'hw.energy', KILOWATT_HOUR),
  4: reading(`${prefix}PowerFactor`, 'hw.power.factor', 0.0001),
  5: reading(`${prefix}ActualCurrent`, 'hw.current', 0.01, { limits: { upper_critical: 11 } }),
  7: reading(`${prefix}ActualVoltage`, 'hw.voltage', 0.01),
  9: reading(`${prefix}PowerVoltAmpere`, 'hw.power.apparent'),
  10: reading(`${prefix}PowerWatt`, 'hw.power'),
});

const sensors: Readonly<Record<string, (object: string) => Reading>> = {
  T: (object) => reading(object, 'hw.temperature', 0.01),
  H: (object) => reading(object, 'hw.humidity', 0.01),
  I: (object) => own(object, '1', 0.01),
};
const probe = (row: Row): Reading | undefined => sensors[row.text(2)]?.('sdbDevSnsValue');

/** 0 is none; any other number identifies the phase, outlet, branch or sensor. */
const alert = (object: string) => own(object, '1');

export const schleifenbauer: Profile = {
  vendor: 'Schleifenbauer',
  mib: 'SCHLEIFENBAUER-DATABUS-MIB',
  kind: 'pdu',
  objectIds: ['31034'],
  identity: { serial: [`${DEVICE}.1.1.1.6`] },
  tables: [
    {
      at: `${B}.1.1`,
      index: [],
      columns: {
        3: own('sdbMgmtStsNewDevices', '{device}'),
        4: own('sdbMgmtStsDuplicates', '{device}'),
        5: code('sdbMgmtStsRingState', { 0: 'open', 1: 'closed' }),
      },
    },
    {
      at: `${DEVICE}.3.1.1`,
      index: ['unit'],
      columns: {
        1: alert('sdbDevSsDeviceStatusCode'),
        2: alert('sdbDevSsTemperatureAlert'),
        3: alert('sdbDevSsInputCurrentAlert'),
        4: alert('sdbDevSsOutletCurrentAlert'),
        5: alert('sdbDevSsInputVoltageAlert'),
        6: alert('sdbDevSsOutletCurrentDropAlert'),
        7: alert('sdbDevSsInputCurrentDropAlert'),
        9: alert('sdbDevSsOutletVoltageDropAlert'),
        10: alert('sdbDevSsBranchCurrentAlert'),
        11: alert('sdbDevSsBranchVoltageAlert'),
        12: alert('sdbDevSsNeutralCurrentAlert'),
        13: alert('sdbDevSsResidualCurrentAlert'),
        14: alert('sdbDevSsHardwareAlert'),
      },
    },
    {
      at: `${DEVICE}.6.1.1`,
      index: ['unit', 'phase'],
      name: 13,
      objects: { sdbDevInName: '13' },
      columns: meter('sdbDevIn'),
    },
    {
      at: `${DEVICE}.7.2.1`,
      index: ['unit', 'outlet'],
      name: `${DEVICE}.7.1.1.2`,
      columns: {
        2: reading('sdbDevOutMtKWhTotal', 'hw.energy', KILOWATT_HOUR),
        4: reading('sdbDevOutMtPowerFactor', 'hw.power.factor', 0.0001),
        5: reading('sdbDevOutMtActualCurrent', 'hw.current', 0.01, { limits: { upper_critical: 8 } }),
        7: reading('sdbDevOutMtActualVoltage', 'hw.voltage', 0.01),
        10: reading('sdbDevOutMtPowerVoltAmpere', 'hw.power.apparent'),
        11: reading('sdbDevOutMtPowerWatt', 'hw.power'),
      },
    },
    {
      at: `${DEVICE}.7.3.1`,
      index: ['unit', 'outlet'],
      name: `${DEVICE}.7.1.1.2`,
      columns: { 2: code('sdbDevOutSwCurrentState', { 0: 'off', 1: 'on' }, outletCodes.schleifenbauer) },
    },
    {
      at: `${DEVICE}.8.1.1`,
      index: ['unit'],
      columns: {
        1: reading('sdbDevMsIntTemperature', 'hw.temperature', 0.01, { attributes: { sensor: 'internal' } }),
        // Without an external probe it reports zero.
        2: reading('sdbDevMsExtTemperature', 'hw.temperature', 0.01, {
          attributes: { sensor: 'external' },
          missing: [0],
        }),
        5: own('sdbDevMsResidualCurrent', 'A', 0.01),
      },
    },
    {
      at: `${DEVICE}.8.2.1`,
      index: ['unit', 'sensor'],
      label: 4,
      objects: { sdbDevSnsType: '2', sdbDevSnsName: '4' },
      columns: { 3: dynamic('sdbDevSnsValue', probe) },
    },
    {
      at: `${DEVICE}.10.1.1`,
      index: ['unit', 'branch'],
      name: 13,
      objects: { sdbDevBranchName: '13' },
      columns: meter('sdbDevBranch'),
    },
    {
      at: `${DEVICE}.11.1.1`,
      index: ['unit', 'total'],
      columns: {
        2: reading('sdbDevTotalsKWhTotal', 'hw.energy', KILOWATT_HOUR),
        3: reading('sdbDevTotalsPowerFactor', 'hw.power.factor', 0.0001),
        4: reading('sdbDevTotalsActualCurrent', 'hw.current', 0.01),
        6: reading('sdbDevTotalsPowerVoltAmpere', 'hw.power.apparent'),
        7: reading('sdbDevTotalsPowerWatt', 'hw.power'),
        8: own('sdbDevTotalsNeutralCurrent', 'A', 0.01),
      },
    },
  ],
};
