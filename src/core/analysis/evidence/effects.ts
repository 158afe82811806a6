import { type Contrast, contrastWords } from '../causality/contrast.ts';
import { listed, type Names, readableType, seconds } from './evidence-text.ts';
import { defineKind } from './kind.ts';

type Explained =
  | { readonly of: 'event'; readonly type: string; readonly devices: Names; readonly delay_s: number }
  | { readonly of: 'silent'; readonly count: number }
  | { readonly of: 'endings'; readonly count: number };

/** What the suspect accounts for. */
export const explains = defineKind<Explained>({
  id: 'explains',
  sign: 1,
  judgement: 2,
  text: (explained) => {
    if (explained.of === 'silent') return `would explain ${explained.count} recorded events`;
    if (explained.of === 'endings') return `would explain why ${explained.count} things had to come back`;
    const { type, devices, delay_s } = explained;
    return `explains ${readableType(type)} on ${listed(devices)}, ${seconds(delay_s)} ${delay_s < 0 ? 'before by the record' : 'later'}`;
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
  text: ({ type, device }) => `${readableType(type)} on ${device} is known to start incidents, and explains it`,
});

/** Troubles that harm the service and that the suspect has nothing to do with. */
export const leaves = defineKind<{ readonly troubles: Names; readonly service: string }>({
  id: 'leaves',
  sign: -1,
  judgement: -0.5,
  text: ({ troubles, service }) => `leaves open ${listed(troubles)}, which harms ${service} as well`,
});

export const together = defineKind<{
  readonly type: string;
  readonly devices: Names;
  /** Not everything that feeds them is on the map. */
  readonly isUnknown: boolean;
}>({
  id: 'together',
  sign: -1,
  judgement: -0.5,
  text: ({ type, devices, isUnknown }) =>
    `${readableType(type)} at the same moment on ${listed(devices)}, ${isUnknown ? 'which as far as is known may hang on the same source' : 'behind the same source'}`,
});

interface Behind {
  readonly device: string;
  readonly type: string;
}

export const predicted = defineKind<Behind & { readonly contrast: Contrast }>({
  id: 'predicted',
  sign: 1,
  judgement: 0.3,
  text: ({ device, type, contrast }) => `behind ${device} ${contrastWords(contrast, type)}`,
});

export const absent = defineKind<{ readonly device: string; readonly machines: number; readonly types: Names }>({
  id: 'absent',
  sign: -1,
  judgement: -0.5,
  text: ({ device, machines, types }) => {
    const follows = listed({ ...types, first: types.first.map(readableType) });
    return machines === 1
      ? `the machine behind ${device} does not show what usually follows: ${follows}`
      : `none of the ${machines} machines behind ${device} shows what usually follows: ${follows}`;
  },
});

export const sparse = defineKind<Behind & { readonly shown: number; readonly of: number }>({
  id: 'sparse',
  sign: -1,
  judgement: -1,
  text: ({ device, type, shown, of }) => `behind ${device} only ${shown} of ${of} machines show ${readableType(type)}`,
});
