import { outletCodes } from '../outlet-codes.ts';
import { code, own, type Profile, reading, WATT_HOUR } from '../profile.ts';

/** VERTIV-V5-MIB / GEIST-V5-MIB, FORMATS 2.1.7. Rows are numbered across all tables; people set the labels. */
const B = '1.3.6.1.4.1.21239.5.2.3';

export const geist: Profile = {
  vendor: 'Vertiv Geist',
  mib: 'GEIST-V5-MIB',
  kind: 'pdu',
  objectIds: ['21239.42.1', '21239.5.2', '21239.42'],
  identity: { model: ['1.3.6.1.4.1.21239.5.2.1.8'], serial: ['1.3.6.1.4.1.21239.5.2.1.10'] },
  tables: [
    {
      at: `${B}.1.1`,
      index: ['unit'],
      name: 3,
      objects: { pduMainName: '3' },
      columns: {
        9: reading('pduTotalRealPower', 'hw.power'),
        10: reading('pduTotalApparentPower', 'hw.power.apparent'),
        11: reading('pduTotalPowerFactor', 'hw.power.factor', 0.01),
        12: reading('pduTotalEnergy', 'hw.energy', WATT_HOUR),
      },
    },
    {
      at: `${B}.2.1`,
      index: ['phase'],
      label: 3,
      objects: { pduPhaseLabel: '3' },
      columns: {
        4: reading('pduPhaseVoltage', 'hw.voltage', 0.1),
        8: reading('pduPhaseCurrent', 'hw.current', 0.01),
        12: reading('pduPhaseRealPower', 'hw.power'),
        13: reading('pduPhaseApparentPower', 'hw.power.apparent'),
        14: reading('pduPhasePowerFactor', 'hw.power.factor', 0.01),
        15: reading('pduPhaseEnergy', 'hw.energy', WATT_HOUR),
        17: own('pduPhaseBalance', '%'),
      },
    },
    {
      at: `${B}.3.1`,
      index: ['breaker'],
      label: 3,
      objects: { pduBreakerLabel: '3' },
      columns: {
        4: reading('pduBreakerCurrent', 'hw.current', 0.01),
        8: reading('pduBreakerVoltage', 'hw.voltage', 0.1),
        12: reading('pduBreakerRealPower', 'hw.power'),
      },
    },
    {
      at: `${B}.4.1`,
      index: ['line'],
      label: 3,
      objects: { pduLineLabel: '3' },
      columns: { 4: reading('pduLineCurrent', 'hw.current', 0.01) },
    },
    {
      at: `${B}.5.1`,
      index: ['outlet'],
      name: 3,
      objects: { pduOutletSwitchLabel: '3' },
      columns: {
        4: code(
          'pduOutletSwitchState',
          { 1: 'on', 2: 'off', 3: 'on2off', 4: 'off2on', 5: 'rebootOn', 6: 'rebootOff', 7: 'unavailable' },
          outletCodes.geist,
        ),
        5: code('pduOutletSwitchRelayFailure', {}),
      },
    },
    {
      at: `${B}.6.1`,
      index: ['outlet'],
      name: 3,
      objects: { pduOutletMeterLabel: '3' },
      columns: {
        4: reading('pduOutletMeterVoltage', 'hw.voltage', 0.1),
        8: reading('pduOutletMeterCurrent', 'hw.current', 0.01),
        12: reading('pduOutletMeterRealPower', 'hw.power'),
        13: reading('pduOutletMeterApparentPower', 'hw.power.apparent'),
        14: reading('pduOutletMeterPowerFactor', 'hw.power.factor', 0.01),
        15: reading('pduOutletMeterEnergy', 'hw.energy', WATT_HOUR),
      },
    },
  ],
};
