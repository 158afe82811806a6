import { outletCodes } from '../outlet-codes.ts';
import { code, KILOWATT_HOUR, type Limits, type Meaning, own, type Profile, reading, WATT_HOUR } from '../profile.ts';

/** PowerNet-MIB, FORMATS 2.1.3. -1 is "this model does not support it" everywhere. */
const B = '1.3.6.1.4.1.318.1.1';

const outletIs = { 1: 'off', 2: 'on' };
/** rPDU2 counts 1 low, 2 normal; the old rPDU 1 normal, 2 low. */
const loadState = { 1: 'lowLoad', 2: 'normal', 3: 'nearOverload', 4: 'overload', 5: 'notsupported' };
const newLoad: Meaning = { metric: 'hw.load.state', map: { 1: 1, 2: 2, 3: 3, 4: 4 } };
const oldLoad: Meaning = { metric: 'hw.load.state', map: { 1: 2, 2: 1, 3: 3, 4: 4 } };
const supply = { 1: 'powerSupplyOneOk', 2: 'powerSupplyOneFailed', 3: 'powerSupplyNotPresent' };

/** rPDU2PhaseConfig and rPDU2BankConfig: low, near overload and overload in whole amperes. */
const ampereLimits = (at: string): Limits => ({
  lower_warning: { at: `${at}.5`, scale: 1 },
  upper_warning: { at: `${at}.6`, scale: 1 },
  upper_critical: { at: `${at}.7`, scale: 1 },
});

export const apcRackPdu: Profile = {
  vendor: 'APC',
  mib: 'PowerNet-MIB',
  kind: 'pdu',
  objectIds: ['318.1.3.4', '318.1.3.15', '318.1.3.32'],
  identity: {
    model: [`${B}.26.2.1.8`, `${B}.12.1.5`, `${B}.4.1.4`, `${B}.30.2.1.1.4`],
    serial: [`${B}.26.2.1.9`, `${B}.12.1.6`, `${B}.4.1.5`, `${B}.30.2.1.1.5`],
  },
  tables: [
    {
      at: `${B}.12.1`,
      index: [],
      columns: {
        15: own('rPDUIdentDeviceLinetoLineVoltage', 'V', 1, { attributes: { nominal: true } }),
        16: reading('rPDUIdentDevicePowerWatts', 'hw.power'),
        17: reading('rPDUIdentDevicePowerFactor', 'hw.power.factor', 0.001),
        18: reading('rPDUIdentDevicePowerVA', 'hw.power.apparent'),
      },
    },
    {
      at: `${B}.12.2.3.1.1`,
      index: ['-'],
      objects: { rPDULoadStatusPhaseNumber: '4', rPDULoadStatusBankNumber: '5' },
      // A row is a bank's where it has a bank number, else a phase's.
      attributes: (row) =>
        row.number(5) > 0 ? { bank: row.text(5) } : { phase: `L${row.number(4) > 0 ? row.text(4) : row.index}` },
      columns: {
        2: reading('rPDULoadStatusLoad', 'hw.current', 0.1, {
          // Thresholds are for phases, whose rows come first here too; those of banks are in another table.
          limits: {
            upper_warning: { at: `${B}.12.2.2.1.1.3`, scale: 1 },
            upper_critical: { at: `${B}.12.2.2.1.1.4`, scale: 1 },
          },
        }),
        3: code('rPDULoadStatusLoadState', { 1: 'normal', 2: 'lowLoad', 3: 'nearOverload', 4: 'overload' }, oldLoad),
      },
    },
    {
      at: `${B}.12.3.5.1.1`,
      index: ['outlet'],
      name: 2,
      objects: { rPDUOutletStatusOutletName: '2' },
      columns: {
        4: code('rPDUOutletStatusOutletState', { 1: 'outletStatusOn', 2: 'outletStatusOff' }, outletCodes.apcRackPdu),
        7: reading('rPDUOutletStatusLoad', 'hw.current', 0.1),
      },
    },
    {
      at: `${B}.4.4.2.1`,
      index: ['outlet'],
      name: 4,
      objects: { sPDUOutletName: '4' },
      columns: {
        3: code(
          'sPDUOutletCtl',
          {
            1: 'outletOn',
            2: 'outletOff',
            3: 'outletReboot',
            4: 'outletUnknown',
            5: 'outletOnWithDelay',
            6: 'outletOffWithDelay',
            7: 'outletRebootWithDelay',
          },
          outletCodes.apcSwitched,
        ),
      },
    },
    {
      at: `${B}.26.4.3.1`,
      index: ['unit'],
      name: 3,
      objects: { rPDU2DeviceStatusName: '3' },
      columns: {
        4: code('rPDU2DeviceStatusLoadState', loadState, newLoad),
        5: reading('rPDU2DeviceStatusPower', 'hw.power', 10),
        6: own('rPDU2DeviceStatusPeakPower', 'W', 10),
        9: reading('rPDU2DeviceStatusEnergy', 'hw.energy', KILOWATT_HOUR / 10),
        12: code('rPDU2DeviceStatusPowerSupplyAlarm', { 1: 'normal', 2: 'alarm' }),
        13: code('rPDU2DeviceStatusPowerSupply1Status', { ...supply }),
        14: code('rPDU2DeviceStatusPowerSupply2Status', {
          1: 'powerSupplyTwoOk',
          2: 'powerSupplyTwoFailed',
          3: 'powerSupplyNotPresent',
        }),
        16: reading('rPDU2DeviceStatusApparentPower', 'hw.power.apparent', 10),
        17: reading('rPDU2DeviceStatusPowerFactor', 'hw.power.factor', 0.01),
      },
    },
    {
      at: `${B}.26.6.3.1`,
      index: ['-'],
      unit: 2,
      objects: { rPDU2PhaseStatusNumber: '3' },
      attributes: (row) => ({ phase: `L${row.number(3) > 0 ? row.text(3) : row.index}` }),
      columns: {
        4: code('rPDU2PhaseStatusLoadState', loadState, newLoad),
        5: reading('rPDU2PhaseStatusCurrent', 'hw.current', 0.1, { limits: ampereLimits(`${B}.26.6.1.1`) }),
        6: reading('rPDU2PhaseStatusVoltage', 'hw.voltage'),
        7: reading('rPDU2PhaseStatusPower', 'hw.power', 10),
        8: reading('rPDU2PhaseStatusApparentPower', 'hw.power.apparent', 10),
        9: reading('rPDU2PhaseStatusPowerFactor', 'hw.power.factor', 0.01),
        10: own('rPDU2PhaseStatusPeakCurrent', 'A', 0.1),
      },
    },
    {
      at: `${B}.26.8.3.1`,
      index: ['-'],
      unit: 2,
      objects: { rPDU2BankStatusNumber: '3' },
      attributes: (row) => ({ bank: row.number(3) > 0 ? row.text(3) : row.index }),
      columns: {
        4: code('rPDU2BankStatusLoadState', loadState, newLoad),
        5: reading('rPDU2BankStatusCurrent', 'hw.current', 0.1, { limits: ampereLimits(`${B}.26.8.1.1`) }),
        6: own('rPDU2BankStatusPeakCurrent', 'A', 0.1),
      },
    },
    {
      at: `${B}.26.9.2.3.1`,
      index: ['outlet'],
      unit: 2,
      label: 4,
      name: 3,
      objects: { rPDU2OutletSwitchedStatusName: '3', rPDU2OutletSwitchedStatusNumber: '4' },
      columns: { 5: code('rPDU2OutletSwitchedStatusState', outletIs, outletCodes.apcRackPdu2) },
    },
    {
      at: `${B}.26.9.4.3.1`,
      index: ['outlet'],
      unit: 2,
      label: 4,
      name: 3,
      objects: { rPDU2OutletMeteredStatusName: '3', rPDU2OutletMeteredStatusNumber: '4' },
      columns: {
        5: code('rPDU2OutletMeteredStatusState', loadState, newLoad),
        6: reading('rPDU2OutletMeteredStatusCurrent', 'hw.current', 0.1),
        7: reading('rPDU2OutletMeteredStatusPower', 'hw.power'),
        8: own('rPDU2OutletMeteredStatusPeakPower', 'W'),
        11: reading('rPDU2OutletMeteredStatusEnergy', 'hw.energy', KILOWATT_HOUR / 10),
      },
    },
    {
      at: `${B}.26.10.2.2.1`,
      index: ['sensor'],
      label: 3,
      objects: { rPDU2SensorTempHumidityStatusName: '3' },
      columns: {
        8: reading('rPDU2SensorTempHumidityStatusTempC', 'hw.temperature', 0.1, { missing: [-1] }),
        10: reading('rPDU2SensorTempHumidityStatusRelativeHumidity', 'hw.humidity'),
      },
    },
    {
      at: `${B}.30.4.2.1`,
      index: ['-'],
      // One row per phase of the PDU.
      attributes: (row) => ({ phase: `L${row.index}` }),
      columns: {
        4: reading('ePDUDeviceStatusVoltage', 'hw.voltage', 0.1),
        5: reading('ePDUDeviceStatusCurrent', 'hw.current', 0.01),
        6: reading('ePDUDeviceStatusActivePower', 'hw.power'),
        10: reading('ePDUDeviceStatusActiveEnergy', 'hw.energy', WATT_HOUR),
      },
    },
  ],
};
