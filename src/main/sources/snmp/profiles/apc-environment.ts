import { code, dynamic, type Profile, type Row, reading } from '../profile.ts';

/**
 * PowerNet-MIB: probes of a management card (uio, 318.1.1.25), of an integrated monitor (iem, 318.1.1.10.2) and of an
 * Environmental Manager (mem, 318.1.1.10.4). -1 is "not fitted".
 */
const B = '1.3.6.1.4.1.318.1.1';
const NOT_FITTED = { missing: [-1] };

/** Column 5 of an integrated monitor's probe is the unit: 1 Celsius, 2 Fahrenheit. */
const probeTemperature = (row: Row) =>
  reading('iemStatusProbeCurrentTemp', 'hw.temperature', 1, {
    ...NOT_FITTED,
    ...(row.number(5) === 2 && { fahrenheit: true }),
  });

export const apcEnvironment: Profile = {
  vendor: 'APC',
  mib: 'PowerNet-MIB',
  kind: 'device',
  objectIds: ['318.1.3.8'],
  tables: [
    {
      at: `${B}.25.1.2.1`,
      index: ['sensor'],
      label: 3,
      objects: { uioSensorStatusSensorName: '3' },
      columns: {
        6: reading('uioSensorStatusTemperatureDegC', 'hw.temperature', 1, {
          ...NOT_FITTED,
          limits: {
            lower_critical: { at: `${B}.25.1.4.1.5` },
            lower_warning: { at: `${B}.25.1.4.1.6` },
            upper_warning: { at: `${B}.25.1.4.1.7` },
            upper_critical: { at: `${B}.25.1.4.1.8` },
          },
        }),
        7: reading('uioSensorStatusHumidity', 'hw.humidity'),
      },
    },
    {
      at: `${B}.10.2.3.2.1`,
      index: ['sensor'],
      label: 2,
      // 1: nothing is connected.
      when: (row) => row.number(3) !== 1,
      objects: { iemStatusProbeName: '2', iemStatusProbeStatus: '3', iemStatusProbeTempUnits: '5' },
      columns: {
        4: dynamic('iemStatusProbeCurrentTemp', probeTemperature),
        6: reading('iemStatusProbeCurrentHumid', 'hw.humidity', 1, { missing: [0] }),
      },
    },
    {
      at: `${B}.10.4.2.3.1`,
      index: ['*', 'sensor'],
      label: 3,
      attributes: (row) => ({ location: row.text(4) }),
      objects: { memSensorsStatusSensorName: '3', memSensorsStatusSensorLocation: '4' },
      columns: {
        5: reading('memSensorsTemperature', 'hw.temperature', 1, NOT_FITTED),
        6: reading('memSensorsHumidity', 'hw.humidity'),
        7: code('memSensorsCommStatus', { 1: 'notInstalled', 2: 'commsOK', 3: 'commsLost' }),
        8: code('memSensorsAlarmStatus', { 1: 'memNormal', 2: 'memWarning', 3: 'memCritical' }),
      },
    },
  ],
};
