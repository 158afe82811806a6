import { listed, type Names, percent, readableType } from './evidence-text.ts';
import { defineKind } from './kind.ts';

/** Of devices that may have failed without a report, from effects behind them. */

type Devices =
  | { readonly of: 'effects'; readonly branches: Names; readonly source: string; readonly watched: number }
  | { readonly of: 'endings'; readonly type: string; readonly devices: Names; readonly source: string };

export const silentDevices = defineKind<Devices>({
  id: 'silent_devices',
  sign: 1,
  judgement: 0.5,
  text: (shown) => {
    if (shown.of === 'endings')
      return `behind ${shown.source}: ${readableType(shown.type)} on ${listed(shown.devices)}, with no recorded cause`;
    const of = shown.watched > 0 ? `, of ${shown.watched} machines with data` : '';
    return `faults on or behind ${listed(shown.branches)}, which are behind ${shown.source}${of}`;
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
      ? `${percent(share)} of the machines with data behind it show faults`
      : `that is ${percent(share)} of the ${watched} machines with data behind it`,
});

/** How close in time the first faults of most branches are. */
export interface Spread {
  readonly span_s: number;
  /** Number of branches out of all; null: all. */
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
  text: ({ count, of }) => `${count} of the ${of} events are explained by recorded events behind it`,
});

export const silentRival = defineKind({
  id: 'silent_rival',
  sign: -1,
  judgement: -1,
  text: () => 'events recorded elsewhere also explain these events',
});

/** Whether the recording would have its report: from the device itself, or from others of its kind. */
export const silentWatched = defineKind<{ readonly device: string; readonly othersOfKind: string | null }>({
  id: 'silent_watched',
  sign: -1,
  judgement: -0.6,
  text: ({ device, othersOfKind }) =>
    othersOfKind === null
      ? `${device} was recorded but reported nothing`
      : `other ${othersOfKind} devices were recorded, this one was not`,
});
