import { dynamic, own, type Profile, type Reading, type Row, reading } from '../profile.ts';

/**
 * RITTAL-CMC-III-MIB: one table of variables of all attached devices (2606.7.4.2.2.1), FORMATS 2.1.8. Each has
 * a name (3), a type (4), a unit (5), a scale (7: `-10` divides by ten, `+10` multiplies) and an integer (11).
 */
const B = '1.3.6.1.4.1.2606.7.4.2.2.1';
const VALUE = 'cmcIIIVarValueInt';

const readings: Readonly<Record<string, (scale: number) => Reading>> = {
  '°C': (scale) => reading(VALUE, 'hw.temperature', scale, { signed: true }),
  C: (scale) => reading(VALUE, 'hw.temperature', scale, { signed: true }),
  '°F': (scale) => reading(VALUE, 'hw.temperature', scale, { signed: true, fahrenheit: true }),
  V: (scale) => reading(VALUE, 'hw.voltage', scale),
  A: (scale) => reading(VALUE, 'hw.current', scale),
  mA: (scale) => reading(VALUE, 'hw.current', scale / 1000),
  W: (scale) => reading(VALUE, 'hw.power', scale),
  kW: (scale) => reading(VALUE, 'hw.power', scale * 1000),
  VA: (scale) => reading(VALUE, 'hw.power.apparent', scale),
  var: (scale) => reading(VALUE, 'hw.power.reactive', scale, { signed: true }),
  kWh: (scale) => reading(VALUE, 'hw.energy', scale * 3_600_000),
  Wh: (scale) => reading(VALUE, 'hw.energy', scale * 3600),
  Hz: (scale) => reading(VALUE, 'hw.frequency', scale),
  'l/min': (scale) => reading(VALUE, 'hw.coolant.flow', scale),
  Pa: (scale) => reading(VALUE, 'hw.pressure', scale),
};

function variable(row: Row): Reading | undefined {
  const name = row.text(3);
  // Limits, set points, delays and counts are variables too; only measurements end in Value.
  if (!/(^|[. ])Value$/i.test(name)) return undefined;
  const [, sign = '', digits = '1'] = /^([-+]?)(\d{1,9})$/.exec(row.text(7)) ?? [];
  const factor = Number(digits) || 1;
  const scale = sign === '-' ? 1 / factor : factor;
  // Agents write the degree sign in Latin-1, which arrives as a replacement character.
  const unit = row.text(5).replace(/^(�|B0 )(?=[CF]$)/, '°');
  const make = readings[unit];
  if (make && Object.hasOwn(readings, unit)) return make(scale);
  if (unit === '%' && /humid/i.test(name)) return reading(VALUE, 'hw.humidity', scale);
  return unit === '' ? undefined : own(name.replaceAll(' ', '.'), unit, scale, { signed: true });
}

export const rittal: Profile = {
  vendor: 'Rittal',
  mib: 'RITTAL-CMC-III-MIB',
  kind: 'device',
  objectIds: ['2606.7'],
  tables: [
    {
      at: B,
      index: ['-', '-'],
      attributes: (row) => ({ sensor: row.text(3).replace(/\.Value$/, '') || row.index, unit_number: row.part(0) }),
      objects: {
        cmcIIIVarName: '3',
        cmcIIIVarType: '4',
        cmcIIIVarUnit: '5',
        cmcIIIVarScale: '7',
        cmcIIIVarValueStr: '10',
      },
      columns: {
        11: dynamic(VALUE, variable),
      },
    },
  ],
};
