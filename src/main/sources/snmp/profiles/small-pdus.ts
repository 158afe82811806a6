import { own, type Profile, reading, WATT_HOUR } from '../profile.ts';

/** PDUs with one or two tables, FORMATS 2.1.8; unknown object names are replaced by descriptive ones. */
const E = '1.3.6.1.4.1';
const ATEN = `${E}.21317.1.3.2.2.2.2`;
const IPOMAN = `${E}.2468.1.4.2.1`;
const DIGIPOWER = `${E}.17420.1.2.9.1`;

export const aten: Profile = {
  vendor: 'ATEN',
  mib: 'ATEN-PE-CFG',
  kind: 'pdu',
  objectIds: [],
  tables: [
    {
      // Integers in thousandths; outlets that the PDU lacks answer -2000000.
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
        // Configured, not measured.
        17: own('pdu01Voltage', 'V', 1, { attributes: { nominal: true } }),
      },
    },
  ],
};
