import { code, own, type Profile, reading } from '../profile.ts';

/** PowerNet-MIB xPDU: floor-standing distribution (InfraStruXure, 318.1.3.15), base 318.1.1.15. */
const B = '1.3.6.1.4.1.318.1.1.15';
const phase = (side: string) => (row: { readonly index: string }) => ({ side, phase: `L${row.index}` });
const lineToLine = { attributes: { between: 'lines' } };

export const apcFloorPdu: Profile = {
  vendor: 'APC',
  mib: 'PowerNet-MIB',
  kind: 'pdu',
  objectIds: ['318.1.3.15'],
  tables: [
    {
      at: `${B}.3.1.4.1`,
      index: ['-'],
      attributes: phase('input'),
      columns: {
        2: reading('xPDUMainInputVoltageLtoL', 'hw.voltage', 0.1, lineToLine),
        3: reading('xPDUMainInputVoltageLtoN', 'hw.voltage', 0.1),
      },
    },
    {
      at: `${B}.3.4`,
      index: [],
      attributes: { side: 'output' },
      columns: {
        1: reading('xPDUSystemOutputFrequency', 'hw.frequency', 0.1),
        2: reading('xPDUSystemOutputNeutralCurrent', 'hw.current', 0.1, { attributes: { line: 'neutral' } }),
        3: reading('xPDUSystemOutputTotalPower', 'hw.power', 100),
        4: reading('xPDUSystemOutputTotalApparentPower', 'hw.power.apparent', 100),
        5: reading('xPDUSystemOutputTotalPowerFactor', 'hw.power.factor', 0.01),
      },
    },
    {
      at: `${B}.3.4.14.1`,
      index: ['-'],
      attributes: phase('output'),
      columns: {
        2: reading('xPDUSystemOutputVoltageLtoL', 'hw.voltage', 0.1, lineToLine),
        3: reading('xPDUSystemOutputVoltageLtoN', 'hw.voltage', 0.1),
        4: reading('xPDUSystemOutputPhaseCurrent', 'hw.current', 0.1),
        5: reading('xPDUSystemOutputPower', 'hw.power', 100),
        6: reading('xPDUSystemOutputApparentPower', 'hw.power.apparent', 100),
        7: reading('xPDUSystemOutputPowerFactor', 'hw.power.factor', 0.01),
      },
    },
    {
      at: `${B}.4.1.2.1`,
      index: ['breaker'],
      label: 2,
      columns: { 3: code('xPDUSystemBreakerPosition', { 1: 'open', 2: 'closed', 3: 'unknown' }) },
    },
    {
      at: `${B}.7`,
      index: [],
      columns: {
        1: code('xPDUEPOMode', { 1: 'armed', 2: 'disarmed', 3: 'unknown' }),
        2: code('xPDUTransformTempStatus', { 1: 'normal', 2: 'overtemp', 3: 'noTransformerPresent', 4: 'unknown' }),
        3: own('xPDUCoolingFanStatus', '1'),
      },
    },
  ],
};
