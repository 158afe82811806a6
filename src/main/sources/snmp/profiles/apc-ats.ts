import { code, type Limits, type Meaning, type Profile, type Row, reading } from '../profile.ts';

/** PowerNet-MIB, transfer switches (318.1.1.8): AP77xx and AP44xx. -1 is "this model does not measure it". */
const B = '1.3.6.1.4.1.318.1.1.8';

const failed = (object: string, part: string) =>
  code(object, { 1: 'fail', 2: 'ok' }, { metric: 'hw.status', map: { 1: 2, 2: 0 } }, { part });
const load: Meaning = { metric: 'hw.load.state', map: { 1: 2, 2: 1, 3: 3, 4: 4 } };
const loadState = { 1: 'normal', 2: 'lowload', 3: 'nearoverload', 4: 'overload' };
/** Whole amperes, for banks and for phases. */
const amperes = (at: string): Limits => ({
  lower_warning: { at: `${at}.3`, scale: 1 },
  upper_warning: { at: `${at}.4`, scale: 1 },
  upper_critical: { at: `${at}.5`, scale: 1 },
});
const sources: Readonly<Record<string, string>> = { 1: 'A', 2: 'B' };
const source = (row: Row) => ({ side: 'input', source: sources[row.part(0)] ?? row.part(0) });

export const apcAts: Profile = {
  vendor: 'APC',
  mib: 'PowerNet-MIB',
  kind: 'pdu',
  objectIds: ['318.1.3.11'],
  identity: { model: [`${B}.1.5`], serial: [`${B}.1.6`], name: [`${B}.4.1`] },
  tables: [
    {
      at: `${B}.5.1`,
      index: [],
      columns: {
        1: code('atsStatusCommStatus', { 1: 'atsNeverDiscovered', 2: 'atsCommEstablished', 3: 'atsCommLost' }),
        2: code('atsStatusSelectedSource', { 1: 'sourceA', 2: 'sourceB' }),
        3: code(
          'atsStatusRedundancyState',
          { 1: 'atsRedundancyLost', 2: 'atsFullyRedundant' },
          { metric: 'hw.status', map: { 1: 1, 2: 0 } },
          { part: 'redundancy' },
        ),
        4: code(
          'atsStatusOverCurrentState',
          { 1: 'atsOverCurrent', 2: 'atsCurrentOK' },
          { metric: 'hw.load.state', map: { 1: 4, 2: 2 } },
        ),
        5: failed('atsStatus5VPowerSupply', '5 V supply'),
        6: failed('atsStatus24VPowerSupply', '24 V supply'),
        7: failed('atsStatus24VSourceBPowerSupply', '24 V supply of source B'),
      },
    },
    {
      at: `${B}.5.3.2.1`,
      index: ['-'],
      attributes: source,
      columns: { 4: reading('atsInputFrequency', 'hw.frequency') },
    },
    {
      at: `${B}.5.3.3.1`,
      index: ['-', '-', 'phase'],
      attributes: source,
      columns: { 3: reading('atsInputVoltage', 'hw.voltage') },
    },
    {
      at: `${B}.5.4.2.1`,
      index: ['-'],
      attributes: { side: 'output' },
      columns: { 4: reading('atsOutputFrequency', 'hw.frequency') },
    },
    {
      at: `${B}.5.4.3.1`,
      index: ['-', '-', 'phase'],
      attributes: { side: 'output' },
      columns: {
        3: reading('atsOutputVoltage', 'hw.voltage'),
        4: reading('atsOutputCurrent', 'hw.current', 0.1, {
          limits: {
            lower_warning: { at: `${B}.4.16.1.3.1`, scale: 1, scalar: true },
            upper_warning: { at: `${B}.4.16.1.4.1`, scale: 1, scalar: true },
            upper_critical: { at: `${B}.4.16.1.5.1`, scale: 1, scalar: true },
          },
        }),
        7: reading('atsOutputLoad', 'hw.power.apparent'),
        10: reading('atsOutputPercentLoad', 'hw.load'),
        13: reading('atsOutputPower', 'hw.power'),
      },
    },
    {
      at: `${B}.5.4.5.1`,
      index: ['-'],
      objects: { atsOutputBank: '3' },
      attributes: (row) => ({ bank: ({ 1: 'total', 2: '1', 3: '2' } as const)[row.number(3)] ?? row.index }),
      columns: {
        4: reading('atsOutputBankCurrent', 'hw.current', 0.1, { limits: amperes(`${B}.4.14.1`) }),
        5: code('atsOutputBankState', loadState, load),
        6: reading('atsOutputBankOutputVoltage', 'hw.voltage'),
        15: reading('atsOutputBankPower', 'hw.power'),
        18: reading('atsOutputBankPercentPower', 'hw.load'),
      },
    },
  ],
};
