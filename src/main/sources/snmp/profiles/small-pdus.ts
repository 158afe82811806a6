import { code, KILOWATT_HOUR, own, type Profile, reading, WATT_HOUR } from '../profile.ts';

/** Strips of one or two tables, FORMATS 2.1.8; where a MIB's object names are not known they are descriptive. */
const E = '1.3.6.1.4.1';
const ATEN = `${E}.21317.1.3.2.2.2.2`;
const SCHLEIFENBAUER = `${E}.31034.12.1.1`;
const GUDE = `${E}.28507.66.1`;
const IPOMAN = `${E}.2468.1.4.2.1`;
const DIGIPOWER = `${E}.17420.1.2.9.1`;

export const aten: Profile = {
  vendor: 'ATEN',
  mib: 'ATEN-PE-CFG',
  kind: 'pdu',
  objectIds: [],
  tables: [
    {
      // Integers in thousandths; outlets that the strip lacks answer -2000000.
      at: `${ATEN}.99.1`,
      index: ['outlet'],
      name: `${ATEN}.10.1.2`,
      columns: {
        2: reading('outletIntegerCurrent', 'hw.current', 0.001),
        3: reading('outletIntegerVoltage', 'hw.voltage', 0.001),
        4: reading('outletIntegerPower', 'hw.power', 0.001),
      },
    },
  ],
};

export const schleifenbauer: Profile = {
  vendor: 'Schleifenbauer',
  mib: 'SCHLEIFENBAUER-DATABUS-MIB',
  kind: 'pdu',
  objectIds: ['31034'],
  identity: { serial: [`${SCHLEIFENBAUER}.2.1.1.1.6`] },
  tables: [
    {
      at: `${SCHLEIFENBAUER}.1.1`,
      index: [],
      columns: {
        3: own('sdbMgmtStsNewDevices', '{device}'),
        4: own('sdbMgmtStsDuplicates', '{device}'),
        5: code('sdbMgmtStsRingState', { 0: 'open', 1: 'closed' }),
      },
    },
    {
      // Strips on a data bus: the unit is the address on it. What the device calls power is apparent.
      at: `${SCHLEIFENBAUER}.2.6.1.1`,
      index: ['unit', 'phase'],
      name: 13,
      columns: {
        2: reading('sdbDevInKwh', 'hw.energy', KILOWATT_HOUR),
        4: reading('sdbDevInPowerFactor', 'hw.power.factor', 0.0001),
        5: reading('sdbDevInActualCurrent', 'hw.current', 0.01),
        7: reading('sdbDevInActualVoltage', 'hw.voltage', 0.01),
        9: reading('sdbDevInPower', 'hw.power.apparent'),
      },
    },
  ],
};

export const gude: Profile = {
  vendor: 'Gude',
  mib: 'GUDEADS-ESB7213-MIB',
  kind: 'device',
  objectIds: ['28507'],
  tables: [
    {
      at: `${GUDE}.5`,
      index: [],
      columns: { 10: code('powerOverEthernet', { 0: 'no', 1: 'yes' }) },
    },
    {
      at: `${GUDE}.6.1.1`,
      index: ['sensor'],
      label: 32,
      columns: {
        2: reading('tempSensor', 'hw.temperature', 0.1, { missing: [-9999] }),
        3: reading('hygroSensor', 'hw.humidity', 0.1),
        6: reading('dewPoint', 'hw.dew_point', 0.1, { missing: [-9999], signed: true }),
        7: own('dewPointDifference', 'Cel', 0.1, { missing: [-9999], signed: true }),
      },
    },
  ],
};

export const ipoman: Profile = {
  vendor: 'iPoMan',
  mib: 'IPOMANII-MIB',
  kind: 'pdu',
  objectIds: ['2468.1.4.2.1'],
  tables: [
    {
      at: `${IPOMAN}.3.1.3.1`,
      index: ['inlet'],
      columns: {
        2: reading('inletStatusVoltage', 'hw.voltage', 0.1),
        3: reading('inletStatusCurrent', 'hw.current', 0.001),
        4: reading('inletStatusFrequency', 'hw.frequency', 0.1),
      },
    },
    {
      at: `${IPOMAN}.3.2.3.1`,
      index: ['outlet'],
      name: `${IPOMAN}.3.2.2.1.2`,
      columns: {
        3: reading('outletStatusCurrent', 'hw.current', 0.001),
        4: reading('outletStatusWH', 'hw.energy', WATT_HOUR),
      },
    },
  ],
};

export const digipower: Profile = {
  vendor: 'Digipower',
  mib: 'PDU-MIB',
  kind: 'pdu',
  objectIds: ['17420'],
  identity: { model: [`${DIGIPOWER}.19`] },
  tables: [
    {
      at: DIGIPOWER,
      index: [],
      columns: {
        11: reading('pdu01Value', 'hw.current', 0.1, {
          limits: {
            upper_warning: { at: `${DIGIPOWER}.15.0`, scalar: true },
            upper_critical: { at: `${DIGIPOWER}.16.0`, scalar: true },
          },
        }),
        // Set by people, not measured.
        17: own('pdu01Voltage', 'V', 1, { attributes: { nominal: true } }),
      },
    },
  ],
};
