import { outletCodes } from '../outlet-codes.ts';
import { type Attributes, code, dynamic, type Limits, type Profile, type Row, reading, WATT_HOUR } from '../profile.ts';

/** EATON-EPDU-MIB (ePDU G3), FORMATS 2.1.6. The first component of every index is the unit, usually 0. */
const B = '1.3.6.1.4.1.534.6.6.7';

/** Four columns beside a measurement: lower warning, lower critical, upper warning, upper critical. */
const thresholds = (first: number): Limits => ({
  lower_warning: first,
  lower_critical: first + 1,
  upper_warning: first + 2,
  upper_critical: first + 3,
});

/** Column 2 of the input tables: what the row measures. */
const voltageOf: Readonly<Record<number, Attributes>> = {
  2: { phase: 'L1', between: 'line and neutral' },
  3: { phase: 'L2', between: 'line and neutral' },
  4: { phase: 'L3', between: 'line and neutral' },
  5: { phase: 'L1-L2', between: 'lines' },
  6: { phase: 'L2-L3', between: 'lines' },
  7: { phase: 'L3-L1', between: 'lines' },
};
const currentOf: Readonly<Record<number, Attributes>> = {
  2: { line: 'neutral' },
  3: { phase: 'L1' },
  4: { phase: 'L2' },
  5: { phase: 'L3' },
};
const powerOf: Readonly<Record<number, Attributes>> = {
  2: { phase: 'L1' },
  3: { phase: 'L2' },
  4: { phase: 'L3' },
  5: { phase: 'L1-L2' },
  6: { phase: 'L2-L3' },
  7: { phase: 'L3-L1' },
  8: { phase: 'total' },
};
const measured = (kinds: Readonly<Record<number, Attributes>>) => (row: Row) => ({
  ...(kinds[row.number(2)] ?? { phase: `L${row.part(-1)}` }),
});

const temperature = (row: Row) => {
  const scale = row.walk.number(`${B}.1.2.1.9.${row.part(0)}`);
  if (scale !== 0 && scale !== 1)
    return 'temperatureValue: the walk lacks temperatureScale, so the unit of temperatures is unknown';
  return reading('temperatureValue', 'hw.temperature', 0.1, {
    signed: true,
    limits: thresholds(6),
    ...(scale === 1 && { fahrenheit: true }),
  });
};

export const eatonEpdu: Profile = {
  vendor: 'Eaton',
  mib: 'EATON-EPDU-MIB',
  kind: 'pdu',
  objectIds: ['534.6.6.7', '534.6.6.6'],
  identity: { model: [`${B}.1.2.1.2`, `${B}.1.2.1.3`], serial: [`${B}.1.2.1.4`], name: [`${B}.1.2.1.6`] },
  tables: [
    {
      at: `${B}.1.2.1`,
      index: ['-'],
      objects: { temperatureScale: '9', productName: '2', serialNumber: '4' },
      columns: {},
    },
    { at: `${B}.3.1.1`, index: ['unit', 'inlet'], columns: { 3: reading('inputFrequency', 'hw.frequency', 0.1) } },
    {
      at: `${B}.3.2.1`,
      index: ['unit', 'inlet', '-'],
      attributes: measured(voltageOf),
      objects: { inputVoltageMeasType: '2' },
      columns: { 3: reading('inputVoltage', 'hw.voltage', 0.001, { limits: thresholds(5) }) },
    },
    {
      at: `${B}.3.3.1`,
      index: ['unit', 'inlet', '-'],
      attributes: measured(currentOf),
      objects: { inputCurrentMeasType: '2', inputCurrentCapacity: '3' },
      columns: {
        4: reading('inputCurrent', 'hw.current', 0.001, { limits: thresholds(6) }),
        11: reading('inputCurrentPercentLoad', 'hw.load'),
      },
    },
    {
      at: `${B}.3.4.1`,
      index: ['unit', 'inlet', '-'],
      attributes: measured(powerOf),
      objects: { inputPowerMeasType: '2' },
      columns: {
        3: reading('inputVA', 'hw.power.apparent'),
        4: reading('inputWatts', 'hw.power'),
        5: reading('inputWh', 'hw.energy', WATT_HOUR),
        7: reading('inputPowerFactor', 'hw.power.factor', 0.001, { signed: true }),
        8: reading('inputVAR', 'hw.power.reactive', 1, { signed: true }),
      },
    },
    {
      at: `${B}.3.5.1`,
      index: ['unit', 'inlet'],
      columns: {
        3: reading('inputTotalVA', 'hw.power.apparent'),
        4: reading('inputTotalWatts', 'hw.power'),
        5: reading('inputTotalWh', 'hw.energy', WATT_HOUR),
        7: reading('inputTotalPowerFactor', 'hw.power.factor', 0.001, { signed: true }),
        8: reading('inputTotalVAR', 'hw.power.reactive', 1, { signed: true }),
      },
    },
    { at: `${B}.5.1.1`, index: ['-'], objects: { groupName: '3' }, columns: {} },
    {
      at: `${B}.5.3.1`,
      index: ['unit', 'breaker'],
      label: `${B}.5.1.1.3`,
      columns: { 3: reading('groupVoltage', 'hw.voltage', 0.001) },
    },
    {
      at: `${B}.5.4.1`,
      index: ['unit', 'breaker'],
      label: `${B}.5.1.1.3`,
      columns: { 3: reading('groupCurrent', 'hw.current', 0.001, { limits: thresholds(5) }) },
    },
    {
      at: `${B}.5.5.1`,
      index: ['unit', 'breaker'],
      label: `${B}.5.1.1.3`,
      columns: {
        2: reading('groupVA', 'hw.power.apparent'),
        3: reading('groupWatts', 'hw.power'),
        4: reading('groupWh', 'hw.energy', WATT_HOUR),
        6: reading('groupPowerFactor', 'hw.power.factor', 0.001, { signed: true }),
      },
    },
    { at: `${B}.6.1.1`, index: ['-'], objects: { outletName: '3', outletDesignator: '6' }, columns: {} },
    {
      ...outlet('6.3.1'),
      columns: { 2: reading('outletVoltage', 'hw.voltage', 0.001) },
    },
    {
      ...outlet('6.4.1'),
      columns: { 3: reading('outletCurrent', 'hw.current', 0.001, { limits: thresholds(5) }) },
    },
    {
      ...outlet('6.5.1'),
      columns: {
        2: reading('outletVA', 'hw.power.apparent'),
        3: reading('outletWatts', 'hw.power'),
        4: reading('outletWh', 'hw.energy', WATT_HOUR),
        6: reading('outletPowerFactor', 'hw.power.factor', 0.001, { signed: true }),
        7: reading('outletVAR', 'hw.power.reactive', 1, { signed: true }),
      },
    },
    {
      ...outlet('6.6.1'),
      columns: {
        2: code('outletControlStatus', { 0: 'off', 1: 'on', 2: 'pendingOff', 3: 'pendingOn' }, outletCodes.eaton),
      },
    },
    {
      at: `${B}.7.1.1`,
      index: ['*', 'sensor'],
      label: 2,
      objects: { temperatureName: '2' },
      columns: { 4: dynamic('temperatureValue', temperature) },
    },
    {
      at: `${B}.7.2.1`,
      index: ['*', 'sensor'],
      label: 2,
      objects: { humidityName: '2' },
      columns: { 4: reading('humidityValue', 'hw.humidity', 0.1) },
    },
  ],
};

function outlet(table: string) {
  return { at: `${B}.${table}`, index: ['unit', 'outlet'], label: `${B}.6.1.1.6`, name: `${B}.6.1.1.3` };
}
