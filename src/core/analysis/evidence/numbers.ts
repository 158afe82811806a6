import { figure } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** How one metric of a machine changed during an impact. */
export interface NumberChange {
  readonly metric: string;
  readonly unit: string;
  /** The entity that was measured. */
  readonly on: string;
  readonly before: number;
  readonly after: number;
  readonly isChanged: boolean;
  /** If it changed: its peers did not. If not: its peers did not either. */
  readonly isComparedWithPeers: boolean;
}

/** UCUM's `Cel` is a code, not what people write. */
function unitText(unit: string): string {
  if (unit === '' || unit === '1') return '';
  return unit === 'Cel' ? ' °C' : ` ${unit}`;
}

function changeText({ metric, unit, on, before, after, isChanged, isComparedWithPeers }: NumberChange): string {
  const of = unitText(unit);
  if (!isChanged)
    return `${metric} of ${on} stayed at ${figure(after)}${of} during the impact${isComparedWithPeers ? ', like its peers' : ''}`;
  const went = after > before ? 'rose' : 'fell';
  return `${metric} of ${on} ${went} from ${figure(before)} to ${figure(after)}${of} during the impact${isComparedWithPeers ? ', unlike its peers' : ''}`;
}

export interface Changes {
  readonly changes: readonly NumberChange[];
}

export const changesText = ({ changes }: Changes): string => changes.map(changeText).join('; ');

export const moved = defineKind<Changes>({ id: 'moved', sign: 1, judgement: 1, text: changesText });

export const elsewhereMoved = defineKind<Changes>({
  id: 'elsewhere_moved',
  sign: -1,
  judgement: -1,
  text: (changes) => `does not reach the machine that changed: ${changesText(changes)}`,
});

export const unmoved = defineKind<{ readonly still: number; readonly of: number }>({
  id: 'unmoved',
  sign: -1,
  judgement: -0.3,
  text: ({ still, of }) => `${still} of ${of} measured machines behind it show no change of their own`,
});

/** Of "no physical cause": few measurements vary by chance. */
export const brief = defineKind<{ readonly service: string; readonly measurements: number; readonly times: number }>({
  id: 'brief',
  sign: 1,
  judgement: 0.5,
  most: 4,
  text: ({ service, measurements, times }) =>
    `${service} did worse in ${measurements} measurement${measurements === 1 ? '' : 's'}, ${times.toFixed(1)} times at most`,
});

export const machinesBusier = defineKind<Changes>({
  id: 'machines_busier',
  sign: 1,
  judgement: 0.5,
  most: 1.5,
  text: changesText,
});

export const machinesMoved = defineKind<Changes>({
  id: 'machines_moved',
  sign: -1,
  judgement: -0.5,
  most: 1.5,
  text: changesText,
});

export const machinesStill = defineKind<{ readonly service: string }>({
  id: 'machines_still',
  sign: 1,
  judgement: 0.5,
  text: ({ service }) => `no machine of ${service} changed unlike its peers`,
});

export const movedUnexplained = defineKind<Changes>({
  id: 'moved_unexplained',
  sign: 1,
  judgement: 0.5,
  text: (changes) => `${changesText(changes)}, with no recorded event as the cause`,
});

export const movedCompany = defineKind<{ readonly others: number; readonly service: string }>({
  id: 'moved_company',
  sign: -1,
  judgement: -0.5,
  text: ({ others, service }) => `the same on ${others} more machines of ${service}`,
});
