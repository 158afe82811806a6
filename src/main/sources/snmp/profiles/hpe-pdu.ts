import { code, type Profile, reading } from '../profile.ts';

/**
 * CPQPOWER-MIB (base 232.165), FORMATS 2.1.8: three generations, three scales. Object names of the second and third
 * are descriptive.
 */
const B = '1.3.6.1.4.1.232.165';
const signedFactor = { signed: true };

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
        8: reading('pdu2InputPowerFactor', 'hw.power.factor', 0.001, signedFactor),
      },
    },
    {
      at: `${B}.7.2.2.1`,
      index: ['unit', 'phase'],
      columns: {
        3: reading('pdu2InputPhaseVoltage', 'hw.voltage', 0.001),
        11: reading('pdu2InputPhaseCurrent', 'hw.current', 0.001),
        18: reading('pdu2InputPhaseCurrentPercentLoad', 'hw.load'),
      },
    },
    {
      at: `${B}.7.5.1.1`,
      index: ['unit', 'outlet'],
      columns: { 17: reading('pdu2OutletPowerFactor', 'hw.power.factor', 0.001, signedFactor) },
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
