import { outletCodes } from '../outlet-codes.ts';
import {
  code,
  dynamic,
  KILOWATT_HOUR,
  type Limits,
  own,
  type Profile,
  type Row,
  reading,
  WATT_HOUR,
} from '../profile.ts';

/** PANDUIT-MIB (G5), FORMATS 2.1.7; object names, thresholds and outlet states as the MIB has them. */
const B = '1.3.6.1.4.1.19536.10.1';

const thresholds = (first: number): Limits => ({
  lower_warning: first,
  lower_critical: first + 1,
  upper_warning: first + 2,
  upper_critical: first + 3,
});

/** Above these values a reading is in tenths: the module states degrees and percent without a scale. */
const tenths = (row: Row, most: number): number =>
  [4, 6, 7, 8, 9].some((column) => row.number(column) > most) ? 0.1 : 1;
const isFahrenheit = (row: Row): boolean => row.walk.number(`${B}.4.1.1.1.${row.part(0)}`) === 2;
const isConnected = (row: Row): boolean => row.number(3) === 2;

export const panduit: Profile = {
  vendor: 'Panduit',
  mib: 'PANDUIT-MIB',
  kind: 'pdu',
  objectIds: ['19536.10.1'],
  identity: { model: [`${B}.1.2.1.7`, `${B}.1.2.1.3`], serial: [`${B}.1.2.1.8`] },
  tables: [
    {
      at: `${B}.2.1.1`,
      index: ['unit'],
      columns: {
        2: reading('pdug5InputFrequency', 'hw.frequency', 0.1),
        4: reading('pdug5InputPowerVA', 'hw.power.apparent'),
        5: reading('pdug5InputPowerWatts', 'hw.power'),
        6: reading('pdug5InputTotalEnergy', 'hw.energy', KILOWATT_HOUR),
        8: own('pdug5InputResettableEnergy', 'J', WATT_HOUR),
        9: reading('pdug5InputPowerFactor', 'hw.power.factor', 0.01),
        11: reading('pdug5InputTotalCurrent', 'hw.current', 0.01),
      },
    },
    {
      at: `${B}.2.2.1`,
      index: ['unit', 'phase'],
      columns: {
        3: reading('pdug5InputPhaseVoltage', 'hw.voltage', 0.1, { limits: thresholds(5) }),
        11: reading('pdug5InputPhaseCurrent', 'hw.current', 0.01, { limits: thresholds(13) }),
        19: reading('pdug5InputPhasePowerVA', 'hw.power.apparent'),
        20: reading('pdug5InputPhasePowerWatts', 'hw.power'),
        21: reading('pdug5InputPhasePowerWattHour', 'hw.energy', WATT_HOUR),
      },
    },
    {
      at: `${B}.3.1.1`,
      index: ['unit', 'breaker'],
      label: 2,
      // Always twelve rows; those of sections that the PDU lacks have no name and no type.
      when: (row) => row.text(2) !== '' || row.number(3) > 0,
      objects: { pdug5GroupName: '2', pdug5GroupType: '3' },
      columns: {
        5: reading('pdug5GroupVoltage', 'hw.voltage', 0.1, { limits: thresholds(7) }),
        12: reading('pdug5GroupCurrent', 'hw.current', 0.01, { limits: thresholds(14) }),
        18: reading('pdug5GroupCurrentPercentLoad', 'hw.load'),
        19: reading('pdug5GroupPowerVA', 'hw.power.apparent'),
        20: reading('pdug5GroupPowerWatts', 'hw.power'),
        21: reading('pdug5GroupPowerWattHour', 'hw.energy', WATT_HOUR),
        23: reading('pdug5GroupPowerFactor', 'hw.power.factor', 0.01),
        26: code('pdug5GroupBreakerStatus', { 1: 'notApplicable', 2: 'breakerOn', 3: 'breakerOff' }),
      },
    },
    {
      at: `${B}.1.2.1`,
      index: ['unit'],
      columns: {
        9: code(
          'pdug5Status',
          { 1: 'other', 2: 'ok', 3: 'degraded', 4: 'failed' },
          { metric: 'hw.status', map: { 2: 0, 3: 1, 4: 2 } },
        ),
      },
    },
    {
      at: `${B}.4.2.1`,
      index: ['unit', 'sensor'],
      name: 2,
      when: isConnected,
      objects: { pdug5TemperatureName: '2', pdug5TemperatureProbeStatus: '3' },
      columns: {
        4: dynamic('pdug5TemperatureValue', (row) => {
          const fahrenheit = isFahrenheit(row);
          const scale = tenths(row, fahrenheit ? 250 : 120);
          return reading('pdug5TemperatureValue', 'hw.temperature', scale, { fahrenheit, limits: thresholds(6) });
        }),
      },
    },
    {
      at: `${B}.4.3.1`,
      index: ['unit', 'sensor'],
      name: 2,
      when: isConnected,
      objects: { pdug5HumidityName: '2', pdug5HumidityProbeStatus: '3' },
      columns: {
        4: dynamic('pdug5HumidityValue', (row) =>
          reading('pdug5HumidityValue', 'hw.humidity', tenths(row, 100), { limits: thresholds(6) }),
        ),
      },
    },
    {
      at: `${B}.4.4.1`,
      index: ['unit', 'sensor'],
      name: 2,
      objects: { pdug5DoorName: '2' },
      columns: { 4: code('pdug5DoorState', { 1: 'doorOpen', 2: 'doorClosed', 3: 'badDoorSensor' }) },
    },
    {
      at: `${B}.4.6.1`,
      index: ['unit', 'sensor'],
      name: 2,
      when: isConnected,
      objects: { pdug5SpotName: '2', pdug5SpotProbeStatus: '3' },
      columns: { 4: code('pdug5SpotState', { 1: 'noleak', 2: 'leak' }) },
    },
    {
      at: `${B}.5.1.1`,
      index: ['unit', 'outlet'],
      name: 2,
      objects: { pdug5OutletName: '2' },
      columns: {
        5: reading('pdug5OutletCurrent', 'hw.current', 0.01),
        12: reading('pdug5OutletVA', 'hw.power.apparent'),
        13: reading('pdug5OutletWatts', 'hw.power', 1, { limits: thresholds(7) }),
        14: reading('pdug5OutletWh', 'hw.energy', WATT_HOUR),
        16: reading('pdug5OutletPowerFactor', 'hw.power.factor', 0.01),
      },
    },
    {
      at: `${B}.5.2.1`,
      index: ['unit', 'outlet'],
      name: `${B}.5.1.1.2`,
      columns: {
        1: code(
          'pdug5OutletControlStatus',
          { 1: 'off', 2: 'on', 3: 'pendingOff', 4: 'pendingOn' },
          outletCodes.panduit,
        ),
      },
    },
  ],
};
