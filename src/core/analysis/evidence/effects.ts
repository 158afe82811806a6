import { type Contrast, contrastWords } from '../causality/contrast.ts';
import { listed, type Names, readableType, seconds } from './evidence-text.ts';
import { defineKind } from './kind.ts';

type Explained =
  | { readonly of: 'event'; readonly type: string; readonly devices: Names; readonly delay_s: number }
  | { readonly of: 'silent'; readonly count: number }
  | { readonly of: 'endings'; readonly count: number };

/** Effects that the suspect explains. */
export const explains = defineKind<Explained>({
  id: 'explains',
  sign: 1,
  judgement: 2,
  text: (explained) => {
    if (explained.of === 'silent') return `would explain ${explained.count} recorded events`;
    if (explained.of === 'endings') return `would explain the recovery of ${explained.count} entities`;
    const { type, devices, delay_s } = explained;
    return `explains ${readableType(type)} on ${listed(devices)}, ${seconds(delay_s)} ${delay_s < 0 ? 'earlier by its timestamp' : 'later'}`;
  },
});

export const explained = defineKind<{ readonly type: string; readonly device: string; readonly before_s: number }>({
  id: 'explained',
  sign: -1,
  judgement: -2,
  least: 0.8,
  text: ({ type, device, before_s }) =>
    `itself explained by ${readableType(type)} on ${device}, ${seconds(before_s)} before`,
});

export const explainedRoot = defineKind<{ readonly type: string; readonly device: string }>({
  id: 'explained_root',
  sign: -1,
  judgement: -0.5,
  most: 3,
  text: ({ type, device }) => `${readableType(type)} on ${device} is known to start incidents and explains it`,
});

/** Harmful events that the suspect does not explain. */
export const leaves = defineKind<{ readonly troubles: Names; readonly service: string }>({
  id: 'leaves',
  sign: -1,
  judgement: -0.5,
  text: ({ troubles, service }) => `does not explain ${listed(troubles)}, which also harms ${service}`,
});

export const together = defineKind<{
  readonly type: string;
  readonly devices: Names;
  /** The topology does not list all of their supplies. */
  readonly isUnknown: boolean;
}>({
  id: 'together',
  sign: -1,
  judgement: -0.5,
  least: 4.8,
  text: ({ type, devices, isUnknown }) =>
    `${readableType(type)} at the same time on ${listed(devices)}, ${isUnknown ? 'which may share this supply (topology incomplete)' : 'behind the same supply'}`,
});

interface Behind {
  readonly device: string;
  readonly type: string;
}

export const predicted = defineKind<Behind & { readonly contrast: Contrast }>({
  id: 'predicted',
  sign: 1,
  judgement: 0.3,
  text: ({ device, type, contrast }) => contrastWords(contrast, device, type),
});

export const absent = defineKind<{ readonly device: string; readonly machines: number; readonly types: Names }>({
  id: 'absent',
  sign: -1,
  judgement: -0.5,
  text: ({ device, machines, types }) => {
    const follows = listed({ ...types, first: types.first.map(readableType) });
    return machines === 1
      ? `the machine behind ${device} does not show the expected effects: ${follows}`
      : `none of the ${machines} machines behind ${device} shows the expected effects: ${follows}`;
  },
});

export const sparse = defineKind<Behind & { readonly shown: number; readonly of: number }>({
  id: 'sparse',
  sign: -1,
  judgement: -1,
  text: ({ device, type, shown, of }) =>
    `only ${shown} of ${of} machines behind ${device} ${shown === 1 ? 'shows' : 'show'} ${readableType(type)}`,
});
