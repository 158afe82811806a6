import { outletCodes } from '../outlet-codes.ts';
import { code, type Meaning, own, type Profile, reading } from '../profile.ts';

/**
 * POWER-ETHERNET-MIB (RFC 3621), FORMATS 2.1.10, whose ports have no watts, and the vendors' tables that have:
 * Cisco in milliwatts, Microsemi midspans in watts. Indexes are group and port.
 */
const P = '1.3.6.1.2.1.105.1';
const CISCO = '1.3.6.1.4.1.9.9.402.1';
const MICROSEMI = '1.3.6.1.4.1.7428.1.2';
const PSE: Meaning = { metric: 'hw.outlet.state', map: { 1: 1, 2: 0, 3: 3 } };

export const powerOverEthernet: Profile = {
  vendor: '',
  mib: 'POWER-ETHERNET-MIB',
  kind: 'switch',
  objectIds: ['9.1', '2636.1.1.1', '40310', '7428'],
  identity: {
    model: ['1.3.6.1.2.1.47.1.1.1.1.13'],
    serial: ['1.3.6.1.2.1.47.1.1.1.1.11.1', '1.3.6.1.2.1.47.1.1.1.1.11.1001', '1.3.6.1.4.1.2636.3.1.3'],
  },
  tables: [
    {
      at: `${P}.1.1`,
      index: ['group', 'port'],
      columns: {
        3: code('pethPsePortAdminEnable', { 1: 'true', 2: 'false' }),
        6: code(
          'pethPsePortDetectionStatus',
          { 1: 'disabled', 2: 'searching', 3: 'deliveringPower', 4: 'fault', 5: 'test', 6: 'otherFault' },
          outletCodes.powerEthernet,
        ),
        7: code('pethPsePortPowerPriority', { 1: 'critical', 2: 'high', 3: 'low' }),
        8: own('pethPsePortMPSAbsentCounter', '{event}'),
        // Codes 1 to 5 are the classes 0 to 4.
        10: code('pethPsePortPowerClassifications', {
          1: 'class0',
          2: 'class1',
          3: 'class2',
          4: 'class3',
          5: 'class4',
        }),
        11: own('pethPsePortInvalidSignatureCounter', '{event}'),
        12: reading('pethPsePortPowerDeniedCounter', 'hw.poe.denied'),
        13: reading('pethPsePortOverLoadCounter', 'hw.poe.overload'),
        14: own('pethPsePortShortCounter', '{event}'),
      },
    },
    {
      at: `${P}.3.1.1`,
      index: ['group'],
      // Nominal 0 and off: nothing is fitted.
      when: (row) => !(row.number(2) === 0 && row.number(3) === 2),
      objects: { pethMainPseUsageThreshold: '5' },
      columns: {
        2: reading('pethMainPsePower', 'hw.power.capacity', 1, { attributes: { use: 'poe' } }),
        3: code('pethMainPseOperStatus', { 1: 'on', 2: 'off', 3: 'faulty' }, PSE, { use: 'poe' }),
        4: reading('pethMainPseConsumptionPower', 'hw.power', 1, { attributes: { use: 'poe' } }),
        // 0 is "not set".
        5: own('pethMainPseUsageThreshold', '%', 1, { missing: [0], attributes: { use: 'poe' } }),
      },
    },
    {
      mib: 'CISCO-POWER-ETHERNET-EXT-MIB',
      at: `${CISCO}.2.1`,
      index: ['group', 'port'],
      // 11: the port among the parts of the switch.
      name: (row) => row.walk.text(`1.3.6.1.2.1.47.1.1.1.1.7.${row.text(11)}`),
      columns: {
        6: reading('cpeExtPsePortPwrMax', 'hw.power.limit', 0.001),
        7: reading('cpeExtPsePortPwrAllocated', 'hw.power.allocated', 0.001),
        8: own('cpeExtPsePortPwrAvailable', 'W', 0.001),
        9: reading('cpeExtPsePortPwrConsumption', 'hw.power', 0.001),
        10: own('cpeExtPsePortMaxPwrDrawn', 'W', 0.001),
      },
    },
    {
      mib: 'CISCO-POWER-ETHERNET-EXT-MIB',
      at: CISCO,
      index: ['group'],
      columns: { '4.1': own('cpeExtMainPseDevicesConnected', '{device}') },
    },
    {
      mib: 'POWERDSINE-MIB',
      at: `${MICROSEMI}.1.1.1`,
      index: ['group', 'port'],
      columns: { 3: reading('poePortConsumptionPower', 'hw.power') },
    },
    {
      mib: 'POWERDSINE-MIB',
      at: `${MICROSEMI}.2.1.1`,
      index: ['group'],
      columns: {
        2: reading('poeMainPowerSupplyVoltage', 'hw.voltage', 1, { attributes: { use: 'poe' } }),
        5: reading('poeMainMaxPower', 'hw.power.capacity', 1, { attributes: { use: 'poe' } }),
      },
    },
  ],
};
