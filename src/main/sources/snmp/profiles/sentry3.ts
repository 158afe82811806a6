import { outletCodes } from '../outlet-codes.ts';
import { code, dynamic, KILOWATT_HOUR, type Limits, type Profile, type Row, reading, WATT_HOUR } from '../profile.ts';

/** Sentry3-MIB, FORMATS 2.1.5. Tables are indexed by tower, infeed and outlet; -1 is "not available". */
const B = '1.3.6.1.4.1.1718.3';

const states = {
  0: 'off',
  1: 'on',
  2: 'offWait',
  3: 'onWait',
  4: 'offError',
  5: 'onError',
  6: 'noComm',
  7: 'reading',
  8: 'offFuse',
  9: 'onFuse',
};

const temperature = (row: Row) => {
  const scale = row.number(13);
  // -1: no scale, because the probe is missing.
  if (scale !== 0 && scale !== 1)
    return Number.isNaN(scale) ? 'tempHumidSensorTempValue: the walk lacks the scale' : undefined;
  const limits: Limits = {
    lower_warning: { at: `${B}.2.5.1.7`, scale: 1 },
    upper_warning: { at: `${B}.2.5.1.8`, scale: 1 },
  };
  return reading('tempHumidSensorTempValue', 'hw.temperature', 0.1, {
    missing: [-1],
    limits,
    ...(scale === 1 && { fahrenheit: true }),
  });
};

export const sentry3: Profile = {
  vendor: 'Server Technology',
  mib: 'Sentry3-MIB',
  kind: 'pdu',
  objectIds: ['1718.3'],
  identity: { model: [`${B}.2.1.1.7`, `${B}.1.1`], serial: [`${B}.2.1.1.6`, `${B}.1.2`] },
  tables: [
    {
      at: `${B}.1`,
      index: [],
      columns: {
        6: reading('systemTotalPower', 'hw.power'),
        10: reading('systemPowerFactor', 'hw.power.factor', 0.01),
      },
    },
    {
      at: `${B}.2.1.1`,
      index: ['unit'],
      columns: {
        11: reading('towerActivePower', 'hw.power'),
        12: reading('towerApparentPower', 'hw.power.apparent'),
        13: reading('towerPowerFactor', 'hw.power.factor', 0.01),
        14: reading('towerEnergy', 'hw.energy', KILOWATT_HOUR),
        15: reading('towerLineFrequency', 'hw.frequency'),
      },
    },
    {
      at: `${B}.2.2.1`,
      index: ['unit', 'inlet'],
      label: 2,
      objects: { infeedID: '2', infeedName: '3', infeedLoadHighThresh: '8', infeedCapacity: '10' },
      columns: {
        5: code('infeedStatus', states),
        6: code(
          'infeedLoadStatus',
          {
            0: 'normal',
            1: 'notOn',
            2: 'reading',
            3: 'loadLow',
            4: 'loadHigh',
            5: 'overLoad',
            6: 'readError',
            7: 'noComm',
          },
          { metric: 'hw.load.state', map: { 0: 2, 3: 1, 4: 3, 5: 4 } },
        ),
        7: reading('infeedLoadValue', 'hw.current', 0.01, {
          limits: {
            upper_warning: { at: `${B}.2.2.1.8`, scale: 1 },
            upper_critical: { at: `${B}.2.2.1.10`, scale: 1 },
          },
        }),
        11: reading('infeedVoltage', 'hw.voltage', 0.1, { attributes: { between: 'lines' } }),
        12: reading('infeedPower', 'hw.power'),
        13: reading('infeedApparentPower', 'hw.power.apparent'),
        14: reading('infeedPowerFactor', 'hw.power.factor', 0.01),
        16: reading('infeedEnergy', 'hw.energy', KILOWATT_HOUR / 10),
        18: reading('infeedPhaseVoltage', 'hw.voltage', 0.1, { attributes: { between: 'phase' } }),
        19: reading('infeedPhaseCurrent', 'hw.current', 0.01, { attributes: { between: 'phase' } }),
        20: reading('infeedCapacityUsed', 'hw.load', 0.1),
      },
    },
    {
      at: `${B}.2.3.1`,
      index: ['unit', '*', 'outlet'],
      label: 2,
      name: 3,
      objects: { outletID: '2', outletName: '3' },
      columns: {
        5: code('outletStatus', states, outletCodes.sentry3),
        7: reading('outletLoadValue', 'hw.current', 0.01, {
          limits: { upper_critical: { at: `${B}.2.3.1.12`, scale: 1 } },
        }),
        13: reading('outletVoltage', 'hw.voltage', 0.1),
        14: reading('outletPower', 'hw.power'),
        15: reading('outletApparentPower', 'hw.power.apparent'),
        16: reading('outletPowerFactor', 'hw.power.factor', 0.01),
        18: reading('outletEnergy', 'hw.energy', WATT_HOUR),
      },
    },
    {
      at: `${B}.2.5.1`,
      index: ['*', 'sensor'],
      label: 2,
      objects: { tempHumidSensorID: '2', tempHumidSensorName: '3', tempHumidSensorTempScale: '13' },
      columns: {
        6: dynamic('tempHumidSensorTempValue', temperature),
        10: reading('tempHumidSensorHumidValue', 'hw.humidity', 1, {
          limits: { lower_warning: 11, upper_warning: 12 },
        }),
      },
    },
  ],
};
