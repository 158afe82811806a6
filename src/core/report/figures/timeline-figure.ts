import type { IncidentView } from '../../../model/contract/index.ts';
import { deviceName, foldChain, stepNumbers } from '../../../model/incident/chain-folds.ts';
import { clockText, momentText, typeText } from '../report-text.ts';
import { arrow, ink, label, line, px, rect, scale, shorten, svgDocument, ticks } from './svg.ts';

const WIDTH = 760;
const LEFT = 170;
const RIGHT = 16;
const LANE = 44;
const TOP = 30;

/** The chain, a lane for each entity in it, with the impact shaded; steps are numbered as in the list of the chain. */
export function timelineFigure({ id, view }: { readonly id: string; readonly view: IncidentView }): string {
  const { steps, onset_ns, end_ns, service } = view;
  const names = new Map(steps.map((step) => [step.device, deviceName(step)]));
  const lanes = [...names.keys()];
  const seconds = (ns: bigint): number => Number(ns - onset_ns) / 1e9;
  const first = Math.min(0, ...steps.map(({ time_ns }) => seconds(time_ns)));
  // The beginning matters most: the figure shows the impact for as long again, not to its end an hour later.
  const shown = Math.max(1, Math.min(seconds(end_ns), Math.max(10, -first * 1.5)));
  const margin = (shown - first) * 0.04;
  const span: [number, number] = [first - margin, shown + margin];
  const x = scale(span, [LEFT, WIDTH - RIGHT]);
  const bottom = TOP + lanes.length * LANE;
  const y = (device: string): number => TOP + lanes.indexOf(device) * LANE + LANE / 2;
  const spots = steps.map((step, at) => ({ step, number: at + 1, x: x(seconds(step.time_ns)), y: y(step.device) }));
  const cut = seconds(end_ns) > shown;
  const body = [
    label(LEFT, 16, `Chain to ${shorten(service, 40)}; onset ${momentText(onset_ns)}`, { bold: true }),
    rect(x(0), TOP, x(Math.min(seconds(end_ns), span[1])) - x(0), bottom - TOP, `fill="${ink.impact}"`),
    ...lanes.flatMap((device) => [
      line(LEFT, y(device), WIDTH - RIGHT, y(device), ink.hairline),
      label(4, y(device) + 4, shorten(names.get(device) ?? device, 25)),
    ]),
    ...spots.flatMap(({ step, x: atX, y: atY }) => {
      const cause = step.cause === null ? undefined : spots[step.cause];
      const dash = step.undecided ? ' stroke-dasharray="2 3"' : '';
      return cause ? [arrow(route(cause, { x: atX, y: atY }), ink.muted, dash)] : [];
    }),
    // Words over arrows, and marks over both.
    ...spots.map(({ number, x: atX, y: atY, step }) =>
      label(
        atX < WIDTH - 170 ? atX - 8 : atX + 8,
        atY + (isCrowded(spots, number - 1) ? 20 : -12),
        typeText(step.type),
        { fill: ink.muted, anchor: atX < WIDTH - 170 ? 'start' : 'end', halo: true },
      ),
    ),
    ...spots.flatMap(({ number, x: atX, y: atY }) => [
      `<circle cx="${px(atX)}" cy="${px(atY)}" r="8" fill="${number === steps.length ? ink.critical : ink.accent}"/>`,
      label(atX, atY + 4, String(number), { anchor: 'middle', fill: ink.paper, bold: true }),
    ]),
    line(x(0), TOP, x(0), bottom, ink.critical, ' stroke-dasharray="4 3"'),
    ...ticks(span, 8).flatMap((at) => [
      line(x(at), bottom, x(at), bottom + 4, ink.muted),
      label(x(at), bottom + 16, at === 0 ? 'onset' : `${at > 0 ? '+' : ''}${at} s`, {
        anchor: 'middle',
        fill: ink.muted,
      }),
    ]),
    ...(cut
      ? [
          label(WIDTH - RIGHT, bottom + 32, `the impact goes on to ${momentText(end_ns)}`, {
            anchor: 'end',
            fill: ink.muted,
          }),
        ]
      : []),
  ];
  const frame = {
    id,
    title: 'Timeline',
    description: timelineText(view),
    width: WIDTH,
    height: bottom + (cut ? 40 : 24),
  };
  return svgDocument(frame, body);
}

/** Down from the cause, then over to the effect; a step almost below its cause is reached from above. */
function route(from: Spot, to: Spot): [number, number][] {
  const gap = 9;
  if (to.y === from.y)
    return [
      [from.x + gap, from.y],
      [to.x - gap, to.y],
    ];
  if (to.x - from.x < 2 * gap)
    return [
      [from.x, from.y],
      [from.x, (from.y + to.y) / 2],
      [to.x, (from.y + to.y) / 2],
      [to.x, to.y - Math.sign(to.y - from.y) * gap],
    ];
  return [
    [from.x, from.y],
    [from.x, to.y],
    [to.x - gap, to.y],
  ];
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Its label would run into that of the step before it on the same lane: it goes below the line. */
function isCrowded(spots: readonly Spot[], at: number): boolean {
  const own = spots[at];
  const before = spots.slice(0, at).filter(({ y }) => y === own?.y);
  return own !== undefined && before.length % 2 === 1 && own.x - (before.at(-1)?.x ?? 0) < 130;
}

/** The same in words; equal steps on other devices are folded as in the table of the timeline. */
export function timelineText({ steps, service }: IncidentView): string {
  const texts = foldChain(steps).map(({ first, others }) => {
    const { time_ns, type, device } = steps[first]!;
    const also = others.length === 0 ? '' : ` and ${others.length} more (${stepNumbers(others)})`;
    return `${first + 1}. ${clockText(time_ns)} ${typeText(type)} on ${device}${also}`;
  });
  return `${texts.join('; ')}. The impact on ${service} is shaded.`;
}
