import { listed, type Names, percent, readableType } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** Of devices that may have failed without a word, by what shows behind them. */

type Devices =
  | { readonly of: 'effects'; readonly branches: Names; readonly source: string; readonly watched: number }
  | { readonly of: 'endings'; readonly type: string; readonly devices: Names; readonly source: string };

export const silentDevices = defineKind<Devices>({
  id: 'silent_devices',
  sign: 1,
  judgement: 0.5,
  text: (shown) => {
    if (shown.of === 'endings')
      return `behind ${shown.source}: ${readableType(shown.type)} on ${listed(shown.devices)}, and nobody recorded what had come before`;
    const of = shown.watched > 0 ? `, of ${shown.watched} machines that are watched there` : '';
    return `${listed(shown.branches)} behind ${shown.source} were in trouble${of}`;
  },
});

export const silentShare = defineKind<{
  readonly of: 'effects' | 'endings';
  readonly share: number;
  readonly watched: number;
}>({
  id: 'silent_share',
  sign: 1,
  judgement: 1,
  text: ({ of, share, watched }) =>
    of === 'effects'
      ? `${percent(share)} of the machines that are watched behind it show trouble`
      : `that is ${percent(share)} of the ${watched} machines that are watched behind it`,
});

/** How close the first signs of trouble of most branches lie. */
export interface Spread {
  readonly span_s: number;
  /** So many of so many branches; null: all. */
  readonly part: { readonly count: number; readonly of: number } | null;
}

export const silentTogether = defineKind<Spread & { readonly type: string | null }>({
  id: 'silent_together',
  sign: 1,
  judgement: 0.5,
  text: ({ type, part, span_s }) =>
    `${type === null ? '' : `${readableType(type)} `}${part ? `${part.count} of ${part.of} ` : ''}within ${span_s.toFixed(1)} s of each other`,
});

export const silentExplained = defineKind<{ readonly count: number; readonly of: number }>({
  id: 'silent_explained',
  sign: -1,
  judgement: -1,
  text: ({ count, of }) => `${count} of the ${of} events are explained by what is recorded behind it`,
});

export const silentRival = defineKind({
  id: 'silent_rival',
  sign: -1,
  judgement: -1,
  text: () => 'what is recorded elsewhere explains these events as well',
});

/** Whether it could have been heard: itself, or others of its kind. */
export const silentWatched = defineKind<{ readonly device: string; readonly othersOfKind: string | null }>({
  id: 'silent_watched',
  sign: -1,
  judgement: -0.6,
  text: ({ device, othersOfKind }) =>
    othersOfKind === null
      ? `${device} was recorded, and said nothing`
      : `other ${othersOfKind} devices were recorded, this one was not`,
});
