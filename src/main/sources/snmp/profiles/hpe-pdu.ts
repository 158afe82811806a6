import { outletCodes } from '../outlet-codes.ts';
import { code, type Limits, type Profile, reading, type Table, WATT_HOUR } from '../profile.ts';

/**
 * CPQPOWER-MIB (base 232.165), FORMATS 2.1.8: three generations, three scales. Object names of the second and third
 * are descriptive.
 */
const B = '1.3.6.1.4.1.232.165';
const signedFactor = { signed: true };
const thresholds = (first: number): Limits => ({
  lower_warning: first,
  lower_critical: first + 1,
  upper_warning: first + 2,
  upper_critical: first + 3,
});

/** Temperature and humidity of a probe, where column 3 is 2 if it is connected. */
const probes = (at: string, columns: Table['columns']): Table => ({
  at,
  index: ['unit', 'sensor'],
  name: 2,
  when: (row) => row.number(3) === 2,
  columns,
});

export const hpePdu: Profile = {
  vendor: 'HPE',
  mib: 'CPQPOWER-MIB',
  kind: 'pdu',
  objectIds: ['232.165'],
  identity: { model: [`${B}.2.1.2.1.3`], serial: [`${B}.2.1.2.1.7`] },
  tables: [
    {
      at: `${B}.2.1.2.1`,
      index: ['unit'],
      columns: { 8: code('pduStatus', { 1: 'other', 2: 'ok', 3: 'degraded', 4: 'failed' }) },
    },
    {
      at: `${B}.2.3.1.1`,
      index: ['unit'],
      columns: { 2: reading('pduOutputLoad', 'hw.load'), 4: reading('pduOutputPower', 'hw.power') },
    },
    {
      at: `${B}.2.3.2.1`,
      index: ['unit', 'segment'],
      columns: {
        2: reading('breakerVoltage', 'hw.voltage'),
        3: reading('breakerCurrent', 'hw.current'),
        4: reading('breakerPercentLoad', 'hw.load'),
      },
    },
    {
      at: `${B}.7.2.1.1`,
      index: ['unit'],
      columns: {
        2: reading('pdu2InputFrequency', 'hw.frequency', 0.1),
        4: reading('pdu2InputPowerVA', 'hw.power.apparent'),
        5: reading('pdu2InputPowerWatts', 'hw.power'),
        6: reading('pdu2InputPowerWattHour', 'hw.energy', WATT_HOUR),
        8: reading('pdu2InputPowerFactor', 'hw.power.factor', 0.001, signedFactor),
      },
    },
    {
      at: `${B}.7.2.2.1`,
      index: ['unit', 'phase'],
      columns: {
        3: reading('pdu2InputPhaseVoltage', 'hw.voltage', 0.001, { limits: thresholds(5) }),
        11: reading('pdu2InputPhaseCurrent', 'hw.current', 0.001, { limits: thresholds(13) }),
        18: reading('pdu2InputPhaseCurrentPercentLoad', 'hw.load'),
        20: reading('pdu2InputPhasePowerVA', 'hw.power.apparent'),
        21: reading('pdu2InputPhasePowerWatts', 'hw.power'),
      },
    },
    {
      at: `${B}.7.3.1.1`,
      index: ['unit', 'breaker'],
      label: 2,
      objects: { pdu2GroupName: '2' },
      columns: {
        5: reading('pdu2GroupVoltage', 'hw.voltage', 0.001, { limits: thresholds(7) }),
        12: reading('pdu2GroupCurrent', 'hw.current', 0.001, { limits: thresholds(14) }),
        19: reading('pdu2GroupCurrentPercentLoad', 'hw.load'),
        20: reading('pdu2GroupPowerVA', 'hw.power.apparent'),
        21: reading('pdu2GroupPowerWatts', 'hw.power'),
        22: reading('pdu2GroupPowerWattHour', 'hw.energy', WATT_HOUR),
        24: reading('pdu2GroupPowerFactor', 'hw.power.factor', 0.001, signedFactor),
        27: code('pdu2groupBreakerStatus', { 1: 'notApplicable', 2: 'breakerOn', 3: 'breakerOff' }),
      },
    },
    probes(`${B}.7.4.2.1`, {
      4: reading('pdu2TemperatureValue', 'hw.temperature', 0.1, { limits: thresholds(6) }),
    }),
    probes(`${B}.7.4.3.1`, { 4: reading('pdu2HumidityValue', 'hw.humidity', 0.1, { limits: thresholds(6) }) }),
    {
      at: `${B}.7.5.1.1`,
      index: ['unit', 'outlet'],
      name: 2,
      objects: { pdu2OutletName: '2' },
      columns: {
        5: reading('pdu2OutletCurrent', 'hw.current', 0.001, { limits: thresholds(7) }),
        13: reading('pdu2OutletVA', 'hw.power.apparent'),
        14: reading('pdu2OutletWatts', 'hw.power'),
        15: reading('pdu2OutletWh', 'hw.energy', WATT_HOUR),
        17: reading('pdu2OutletPowerFactor', 'hw.power.factor', 0.001, signedFactor),
      },
    },
    {
      at: `${B}.7.5.2.1`,
      index: ['unit', 'outlet'],
      name: `${B}.7.5.1.1.2`,
      columns: {
        1: code('pdu2OutletControlStatus', { 1: 'off', 2: 'on', 3: 'pendingOff', 4: 'pendingOn' }, outletCodes.hpe),
      },
    },
    {
      at: `${B}.11.2.1.1`,
      index: ['unit'],
      columns: {
        2: reading('pdu3InputFrequency', 'hw.frequency', 0.1),
        5: reading('pdu3InputPowerWatts', 'hw.power'),
        9: reading('pdu3InputPowerFactor', 'hw.power.factor', 0.01, signedFactor),
      },
    },
    {
      at: `${B}.11.2.2.1`,
      index: ['unit', 'phase'],
      columns: {
        3: reading('pdu3InputPhaseVoltage', 'hw.voltage', 0.1),
        11: reading('pdu3InputPhaseCurrent', 'hw.current', 0.01),
        17: reading('pdu3InputPhaseCurrentPercentLoad', 'hw.load', 0.1),
        20: reading('pdu3InputPhasePowerWatts', 'hw.power'),
      },
    },
    {
      at: `${B}.11.5.1.1`,
      index: ['unit', 'outlet'],
      columns: {
        5: reading('pdu3OutletCurrent', 'hw.current', 0.01),
        11: reading('pdu3OutletCurrentPercentLoad', 'hw.load', 0.1),
        13: reading('pdu3OutletWatts', 'hw.power'),
        16: reading('pdu3OutletPowerFactor', 'hw.power.factor', 0.01, signedFactor),
      },
    },
  ],
};
