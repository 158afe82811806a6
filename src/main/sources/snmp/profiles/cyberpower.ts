import { outletCodes } from '../outlet-codes.ts';
import { code, KILOWATT_HOUR, type Meaning, type Profile, reading, TICK } from '../profile.ts';

/** CPS-MIB, FORMATS 2.1.8. One agent serves PDUs and UPSs; not sysObjectID but their tables distinguish them. */
const B = '1.3.6.1.4.1.3808.1.1';
const outletState = { 1: 'outletStatusOn', 2: 'outletStatusOff' };
const battery: Meaning = { metric: 'hw.battery.state', map: { 1: 1, 2: 2, 3: 3 } };
const output: Meaning = { metric: 'hw.ups.output_source', map: { 2: 3, 3: 5, 4: 6, 5: 2, 6: 2, 7: 2 } };
const input = { side: 'input' };

export const cyberPowerPdu: Profile = {
  vendor: 'CyberPower',
  mib: 'CPS-MIB',
  kind: 'pdu',
  objectIds: ['3808.1.1.3', '3808.1.1.6'],
  identity: { model: [`${B}.3.1.5`], serial: [`${B}.3.1.6`] },
  tables: [
    {
      at: `${B}.3.2.3.1.1`,
      index: ['-'],
      objects: { ePDULoadStatusPhaseNumber: '4', ePDULoadStatusBankNumber: '5' },
      attributes: (row) =>
        row.number(5) > 0 ? { bank: row.text(5) } : { phase: `L${row.number(4) > 0 ? row.text(4) : row.index}` },
      columns: {
        2: reading('ePDULoadStatusLoad', 'hw.current', 0.1),
        6: reading('ePDULoadStatusVoltage', 'hw.voltage', 0.1),
        7: reading('ePDULoadStatusActivePower', 'hw.power'),
        8: reading('ePDULoadStatusApparentPower', 'hw.power.apparent'),
        9: reading('ePDULoadStatusPowerFactor', 'hw.power.factor', 0.01),
        10: reading('ePDULoadStatusEnergy', 'hw.energy', KILOWATT_HOUR / 10),
      },
    },
    {
      at: `${B}.3.5.1.1`,
      index: ['outlet'],
      name: 2,
      objects: { ePDUOutletStatusOutletName: '2' },
      columns: {
        4: code('ePDUOutletStatusOutletState', outletState, outletCodes.cyberPower),
        7: reading('ePDUOutletStatusLoad', 'hw.current', 0.1),
        8: reading('ePDUOutletStatusActivePower', 'hw.power'),
      },
    },
    {
      // ePDU2: only the table of switched outlets is documented well enough.
      at: `${B}.6.6.1.4.1`,
      index: ['outlet'],
      name: 4,
      objects: { ePDU2OutletSwitchedStatusName: '4' },
      columns: { 5: code('ePDU2OutletSwitchedStatusState', outletState, outletCodes.cyberPower) },
    },
  ],
};

export const cyberPowerUps: Profile = {
  vendor: 'CyberPower',
  mib: 'CPS-MIB',
  kind: 'ups',
  objectIds: ['3808.1.1.1'],
  identity: { model: [`${B}.1.1.1.1`], serial: [`${B}.1.1.2.3`] },
  tables: [
    {
      at: `${B}.1`,
      index: [],
      columns: {
        '2.1.1': code('upsBaseBatteryStatus', { 1: 'unknown', 2: 'batteryNormal', 3: 'batteryLow' }, battery),
        '2.1.2': reading('upsBaseBatteryTimeOnBattery', 'hw.battery.time_on', TICK),
        '2.2.1': reading('upsAdvanceBatteryCapacity', 'hw.battery.charge'),
        '2.2.2': reading('upsAdvanceBatteryVoltage', 'hw.battery.voltage', 0.1),
        '2.2.3': reading('upsAdvanceBatteryTemperature', 'hw.battery.temperature'),
        '2.2.4': reading('upsAdvanceBatteryRunTimeRemaining', 'hw.battery.time_left', TICK),
        '2.2.5': code('upsAdvanceBatteryReplaceIndicator', {
          1: 'noBatteryNeedsReplacing',
          2: 'batteryNeedsReplacing',
        }),
        '3.2.1': reading('upsAdvanceInputLineVoltage', 'hw.voltage', 0.1, { attributes: input }),
        '3.2.4': reading('upsAdvanceInputFrequency', 'hw.frequency', 0.1, { attributes: input }),
        '3.2.5': code('upsAdvanceInputLineFailCause', {
          1: 'noTransfer',
          2: 'highLineVoltage',
          3: 'brownout',
          4: 'selfTest',
        }),
        '3.2.6': code('upsAdvanceInputStatus', {
          1: 'normal',
          2: 'overVoltage',
          3: 'underVoltage',
          4: 'frequencyFailure',
          5: 'blackout',
        }),
        '4.1.1': code(
          'upsBaseOutputStatus',
          { 1: 'unknown', 2: 'onLine', 3: 'onBattery', 4: 'onBoost', 5: 'onSleep', 6: 'off', 7: 'rebooting' },
          output,
        ),
        '4.2.1': reading('upsAdvanceOutputVoltage', 'hw.voltage', 0.1, { attributes: { side: 'output' } }),
        '4.2.2': reading('upsAdvanceOutputFrequency', 'hw.frequency', 0.1, { attributes: { side: 'output' } }),
        '4.2.3': reading('upsAdvanceOutputLoad', 'hw.load'),
        '4.2.4': reading('upsAdvanceOutputCurrent', 'hw.current', 0.1, { attributes: { side: 'output' } }),
        '4.2.5': reading('upsAdvanceOutputPower', 'hw.power.output'),
      },
    },
    {
      // A probe on the card: tenths of a degree Fahrenheit.
      at: `${B}.4`,
      index: [],
      attributes: { sensor: 'environment' },
      columns: {
        '2.1': reading('envirTemperature', 'hw.temperature', 0.1, { fahrenheit: true, missing: [-1, 0] }),
        '3.1': reading('envirHumidity', 'hw.humidity'),
      },
    },
    {
      at: `${B}.4.4.2.1`,
      index: ['contact'],
      label: 2,
      objects: { envirContactName: '2' },
      columns: { 3: code('envirContactStatus', { 1: 'contactNormal', 2: 'contactAbnormal' }) },
    },
  ],
};
