import { outletCodes } from '../outlet-codes.ts';
import { code, own, type Profile, reading, type Table, WATT_HOUR } from '../profile.ts';

/**
 * GUDEADS-*-MIB: one module per model, all with the same layout below the model number. Names are those of the modules
 * without the leading model name.
 */
const GUDE = '1.3.6.1.4.1.28507';
/** EPC 1100, PDU 8110, 8210, 822x, ETS, EPC 1202, EPC 8226, and models between and after them. */
const MODELS = Array.from({ length: 130 }, (_, index) => index + 1);

const MISSING = { missing: [-9999] };
/** A channel or port that is not active measures nothing. */
const isActive = (row: { number(column: number): number }): boolean => row.number(2) !== 0;

/** Of the whole device and its banks (5.1), and of single outlets (5.5). */
const powerColumns = (prefix: string): Table['columns'] => ({
  3: reading(`${prefix}AbsEnergyActive`, 'hw.energy', WATT_HOUR),
  4: reading(`${prefix}PowerActive`, 'hw.power', 1),
  5: reading(`${prefix}Current`, 'hw.current', 0.001),
  6: reading(`${prefix}Voltage`, 'hw.voltage'),
  7: reading(`${prefix}Frequency`, 'hw.frequency', 0.01),
  8: reading(`${prefix}PowerFactor`, 'hw.power.factor', 0.001, { signed: true }),
  9: own(`${prefix}Pangle`, 'deg', 1, { signed: true }),
  10: reading(`${prefix}PowerApparent`, 'hw.power.apparent'),
  11: reading(`${prefix}PowerReactive`, 'hw.power.reactive', 1, { signed: true }),
});

const tablesOf = (model: number): readonly Table[] => {
  const at = `${GUDE}.${model}.1`;
  return [
    {
      at: `${at}.3.1.2.1`,
      index: ['outlet'],
      name: 2,
      objects: { PortName: '2' },
      columns: { 3: code('PortState', { 0: 'off', 1: 'on' }, outletCodes.gude) },
    },
    { at: `${at}.5.1.2.1`, index: ['channel'], when: isActive, columns: powerColumns('') },
    {
      at: `${at}.5.5.2.1`,
      index: ['outlet'],
      name: `${at}.3.1.2.1.2`,
      when: isActive,
      columns: powerColumns('sp'),
    },
    {
      at: `${at}.5.2.1`,
      index: ['channel'],
      columns: {
        2: code(
          'OVPStatus',
          { 0: 'failure', 1: 'ok', 2: 'unknown' },
          { metric: 'hw.status', map: { 0: 2, 1: 0 } },
          { part: 'overvoltage protection' },
        ),
      },
    },
    {
      at: `${at}.6.1.1`,
      index: ['sensor'],
      label: 32,
      columns: {
        2: reading('TempSensor', 'hw.temperature', 0.1, MISSING),
        3: reading('HygroSensor', 'hw.humidity', 0.1),
        5: own('AirPressure', 'hPa', 1, MISSING),
        6: reading('DewPoint', 'hw.dew_point', 0.1, { ...MISSING, signed: true }),
        7: own('DewPointDiff', 'Cel', 0.1, { ...MISSING, signed: true }),
      },
    },
    { at: `${at}.5`, index: [], columns: { 10: code('POE', { 0: 'no', 1: 'yes' }) } },
    {
      // A transfer switch: its inputs, and which of the two is used.
      at: `${at}.5.11`,
      index: [],
      columns: {
        1: code('PrimPowAvail', { 0: 'no', 1: 'yes' }),
        2: code('SecPowAvail', { 0: 'no', 1: 'yes' }),
        4: code('CurrChannel', { 1: 'primary', 2: 'secondary' }),
      },
    },
  ];
};

/** PDUs have outlets or power channels; a unit with only sensors is a device. */
const isPdu = ({ at }: Table): boolean => !/\.(6\.1\.1|5)$/.test(at);

export const gudePower: Profile = {
  vendor: 'Gude',
  mib: 'GUDEADS-EPC-MIB',
  kind: 'pdu',
  objectIds: [],
  tables: MODELS.flatMap(tablesOf).filter(isPdu),
};

export const gude: Profile = {
  vendor: 'Gude',
  mib: 'GUDEADS-ESB-MIB',
  kind: 'device',
  objectIds: [],
  tables: MODELS.flatMap(tablesOf).filter((table) => !isPdu(table)),
};
