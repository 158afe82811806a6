import { CFM, code, dynamic, own, type Profile, type Reading, type Row, reading } from '../profile.ts';

/**
 * APC cooling: the NetworkAIR FM (PowerNet-MIB airFM, 318.1.1.13.1) and units that describe their own points
 * (coolingUnit, 318.1.1.27.1). The airFM column names describe the measurement; they may differ from the MIB's names.
 */
const B = '1.3.6.1.4.1.318.1.1';
const onOff = { 2: 'on', 3: 'off' };
const enabled = { 2: 'disabled', 3: 'enabled' };
const KILOPASCAL = 1000;

const blower = (at: string, blower: string) => ({
  at,
  index: ['-'],
  attributes: { blower },
  columns: {
    3: own('airFMModBlowerRequestedFrequency', 'Hz', 0.1),
    4: own('airFMModBlowerActualFrequency', 'Hz', 0.1),
    8: own('airFMModBlowerTorque', '%', 0.01),
    9: own('airFMModBlowerCurrent', '%', 0.01),
    10: reading('airFMModBlowerVoltage', 'hw.voltage', 0.1),
    14: own('airFMModBlowerCapacitorLifeRemaining', '%', 0.1),
  },
});

/** Units that analog points write beside their values. */
const units: Readonly<Record<string, (row: Row, scale: number) => Reading>> = {
  C: (_, scale) => analog('hw.temperature', scale),
  F: (_, scale) => ({ ...analog('hw.temperature', scale), fahrenheit: true }),
  CFM: (_, scale) => analog('hw.airflow', scale * CFM),
  '%RH': (_, scale) => analog('hw.humidity', scale),
  // Electrical or cooling power: the point's name decides, not its unit.
  kW: (_, scale) => own(POINT, 'W', scale * 1000),
  '%': (row, scale) => (/fan speed/i.test(row.text(2)) ? analog('hw.fan.speed_ratio', scale) : own(POINT, '%', scale)),
  RPM: (_, scale) => analog('hw.fan.speed', scale),
  'L/s': (_, scale) => analog('hw.airflow', scale * 3.6),
  kPa: (_, scale) => analog('hw.pressure', scale * KILOPASCAL),
  Pa: (_, scale) => analog('hw.pressure', scale),
  V: (_, scale) => analog('hw.voltage', scale),
  A: (_, scale) => analog('hw.current', scale),
  Hz: (_, scale) => analog('hw.frequency', scale),
};
const POINT = 'coolingUnitStatusAnalogValue';
const analog = (metric: Parameters<typeof reading>[1], scale: number): Reading =>
  reading(POINT, metric, scale, metric === 'hw.temperature' ? { signed: true } : {});

function analogPoint(row: Row): Reading {
  const divisor = row.number(5);
  const scale = divisor > 0 ? 1 / divisor : 1;
  const unit = row.text(4);
  return Object.hasOwn(units, unit) ? units[unit]!(row, scale) : own(POINT, unit, scale);
}

/** `Open(0),Closed(1)` */
const codesIn = (text: string): Record<number, string> =>
  Object.fromEntries([...text.matchAll(/([^,()]+)\((\d{1,6})\)/g)].map((match) => [match[2], match[1]?.trim() ?? '']));

const describedBy = (row: Row) => ({ sensor: row.text(2) || row.index });

export const apcCooling: Profile = {
  vendor: 'APC',
  mib: 'PowerNet-MIB',
  kind: 'cooling',
  objectIds: ['318.1.3.14'],
  tables: [
    {
      at: `${B}.13.1`,
      index: [],
      columns: {
        '4.2.1': own('airFMSysCoolDemand', '%'),
        '4.2.2': own('airFMSysDehumDemand', '%'),
        '4.2.3': own('airFMSysCoolOutput', '%'),
        '4.2.7': own('airFMSysHeatDemand', '%'),
        '4.2.8': own('airFMSysHeatOutput', '%'),
        '4.2.11': own('airFMSysHumDemand', '%'),
        '4.5.8': code('airFMSysCoolState', enabled),
        '4.5.10': own('airFMSysCoolSetpoint', 'Cel', 0.1),
        '4.6.1': code('airFMSysHumState', enabled),
        '4.6.3': own('airFMSysHumSetpoint', '%', 0.1),
        '4.7.1': code('airFMSysDehumState', enabled),
        '4.7.3': own('airFMSysDehumSetpoint', '%', 0.1),
        '4.8.1': code('airFMSysReheatState', enabled),
        '4.8.3': own('airFMSysReheatSetpoint', 'Cel', 0.1),
        '6.3': own('airFMAlarmsActive', '{alarm}'),
      },
    },
    {
      at: `${B}.13.1.5.2.2.1`,
      index: ['-'],
      columns: {
        2: reading('airFMModSupplyTemperature', 'hw.temperature', 0.1, { attributes: { sensor: 'supply air' } }),
        4: reading('airFMModSupplyHumidity', 'hw.humidity', 0.1, { attributes: { sensor: 'supply air' } }),
        5: reading('airFMModReturnTemperature', 'hw.temperature', 0.1, { attributes: { sensor: 'return air' } }),
        7: reading('airFMModReturnHumidity', 'hw.humidity', 0.1, { attributes: { sensor: 'return air' } }),
        8: reading('airFMModFilterDifferentialPressure', 'hw.pressure', 1, { attributes: { sensor: 'filter' } }),
        10: reading('airFMModCoilDifferentialPressure', 'hw.pressure', 1, { attributes: { sensor: 'coil' } }),
      },
    },
    {
      at: `${B}.13.1.5.4.2.1`,
      index: ['-'],
      columns: {
        2: code('airFMModComp1', onOff),
        3: code('airFMModComp2', onOff),
        4: reading('airFMModSuctionPressure', 'hw.pressure', KILOPASCAL, {
          attributes: { sensor: 'refrigerant inlet' },
        }),
        6: reading('airFMModDischargePressure', 'hw.pressure', KILOPASCAL, {
          attributes: { sensor: 'refrigerant discharge' },
        }),
      },
    },
    {
      at: `${B}.13.1.5.5.2.1`,
      index: ['-'],
      attributes: { sensor: 'humidifier' },
      columns: {
        3: reading('airFMModHumidifierCurrent', 'hw.current', 0.1),
        4: own('airFMModHumidifierOutput', '%'),
      },
    },
    blower(`${B}.13.1.5.6.2.1`, '1'),
    blower(`${B}.13.1.5.7.2.1`, '2'),
    {
      // Analog points: 2 description, 3 value, 4 unit, 5 divisor. Index: unit and point.
      at: `${B}.27.1.4.1.2.1`,
      index: ['-', '-'],
      attributes: describedBy,
      columns: { 3: dynamic(POINT, analogPoint) },
    },
    {
      // Discrete points: 2 description, 3 text, 4 value, 5 the possible codes.
      at: `${B}.27.1.4.2.2.1`,
      index: ['-', '-'],
      attributes: describedBy,
      columns: {
        4: dynamic('coolingUnitStatusDiscreteValue', (row) =>
          code('coolingUnitStatusDiscreteValue', codesIn(row.text(5))),
        ),
      },
    },
    {
      at: `${B}.27.1.6.1.2.1`,
      index: ['-', '-'],
      attributes: describedBy,
      columns: {
        3: dynamic('coolingUnitExtendedAnalogValue', (row) => ({
          ...analogPoint(row),
          object: 'coolingUnitExtendedAnalogValue',
        })),
      },
    },
  ],
};
