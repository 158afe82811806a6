import { code, KILOWATT_HOUR, type Limits, type Meaning, own, type Profile, reading } from '../profile.ts';

/** ENLOGIC-PDU-MIB, FORMATS 2.1.7; threshold columns as the MIB names them. */
const B = '1.3.6.1.4.1.38446.1';

const levels = { 1: 'upperCritical', 2: 'upperWarning', 3: 'lowerWarning', 4: 'lowerCritical', 5: 'normal' };
const sensorState: Meaning = { metric: 'hw.sensor.state', map: { 1: 6, 2: 5, 3: 3, 4: 2, 5: 4 } };

/** Lower critical, lower warning, upper critical, upper warning. */
const thresholds = (at: string, first: number): Limits => ({
  lower_critical: { at: `${at}.${first}` },
  lower_warning: { at: `${at}.${first + 1}` },
  upper_critical: { at: `${at}.${first + 2}` },
  upper_warning: { at: `${at}.${first + 3}` },
});

export const enlogic: Profile = {
  vendor: 'Enlogic',
  mib: 'ENLOGIC-PDU-MIB',
  kind: 'pdu',
  objectIds: ['38446.1'],
  identity: { model: [`${B}.1.2.1.11`], serial: [`${B}.1.2.1.12`] },
  tables: [
    {
      at: `${B}.2.4.1`,
      index: ['unit'],
      name: 2,
      objects: { pduUnitStatusName: '2' },
      columns: {
        3: code('pduUnitStatusLoadState', levels, sensorState),
        4: reading('pduUnitStatusActivePower', 'hw.power'),
        5: reading('pduUnitStatusApparentPower', 'hw.power.apparent'),
        6: own('pduUnitStatusPeakPower', 'W'),
        9: reading('pduUnitStatusEnergy', 'hw.energy', KILOWATT_HOUR / 10),
      },
    },
    {
      at: `${B}.3.4.1`,
      index: ['unit', 'phase'],
      columns: {
        3: code('pduInputPhaseStatusCurrentState', levels, sensorState),
        4: code('pduInputPhaseStatusVoltageState', levels, sensorState),
        5: reading('pduInputPhaseStatusCurrent', 'hw.current', 0.01, { limits: thresholds(`${B}.3.2.1`, 4) }),
        6: reading('pduInputPhaseStatusVoltage', 'hw.voltage', 1, { limits: thresholds(`${B}.3.2.1`, 8) }),
        7: reading('pduInputPhaseStatusActivePower', 'hw.power'),
        8: reading('pduInputPhaseStatusApparentPower', 'hw.power.apparent'),
        9: reading('pduInputPhaseStatusPowerFactor', 'hw.power.factor', 0.01),
      },
    },
    {
      at: `${B}.4.4.1`,
      index: ['unit', 'breaker'],
      label: 3,
      objects: { pduCircuitBreakerStatusName: '3' },
      columns: {
        4: code('pduCircuitBreakerStatusLoadState', levels, sensorState),
        5: reading('pduCircuitBreakerStatusCurrent', 'hw.current', 0.01, { limits: thresholds(`${B}.4.2.1`, 5) }),
      },
    },
  ],
};
