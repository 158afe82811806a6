import type { Flame } from '../../../model/contract/index.ts';
import { formatUtc, nanos } from '../../../model/time.ts';
import { messages } from '../messages.ts';
import { cellMarkdown } from '../text/format-record.ts';
import { formatDuration } from '../text/format-time.ts';
import { formatCount } from '../text/format-value.ts';
import { type FlameNode, flameLabel } from './flame-tree.ts';

/** How a frame compares with the baseline; `new`: the baseline has no such path, or no such requests. */
export type FlameChange = 'slower' | 'faster' | 'same' | 'new';

/** Differences below this share of the frame's time are noise. */
const NOTEWORTHY = 0.1;

export function changeOf({ time, baseTime }: FlameNode): FlameChange {
  if (Number.isNaN(baseTime) || baseTime === 0) return 'new';
  const delta = time - baseTime;
  if (Math.abs(delta) < NOTEWORTHY * Math.max(time, baseTime)) return 'same';
  return delta > 0 ? 'slower' : 'faster';
}

const signs: Readonly<Record<FlameChange, string>> = { slower: '↑', faster: '↓', same: '≈', new: '✱' };

/** `↑ +1.2 s, × 3.9`: compared with the baseline for the same number of requests. */
export function changeText(node: FlameNode): string {
  const change = changeOf(node);
  if (change === 'new') return `${signs.new} not in the baseline`;
  if (change === 'same') return `${signs.same} unchanged`;
  const delta = node.time - node.baseTime;
  const times = node.time / node.baseTime;
  return `${signs[change]} ${delta < 0 ? '\u2212' : '+'}${lengthOf(Math.abs(delta))}, × ${times.toFixed(times >= 10 ? 0 : 1)}`;
}

export const lengthOf = (ms: number): string => formatDuration(ms * 1e6);
export const shareText = (part: number, all: number): string => `${((part / all) * 100).toFixed(1)} %`;

/** A frame in one line. */
export function flameNodeText(node: FlameNode, all: number, isCompared: boolean): string {
  const { time, self, total, spans, errors } = node;
  return [
    `${lengthOf(time)} (${shareText(time, all)})`,
    `self ${lengthOf(self)}`,
    `${formatCount(spans)} ${spans === 1 ? 'span' : 'spans'}`,
    ...(errors > 0 ? [`${formatCount(errors)} failed`] : []),
    ...(spans > 0 && !Number.isNaN(total) ? [`mean ${lengthOf(total / spans)}`] : []),
    ...(isCompared ? [changeText(node)] : []),
  ].join(' · ');
}

export const fullName = ({ service, name, isOther }: FlameNode): string =>
  isOther ? messages.otherPaths : `${service ?? messages.unknownService}: ${name ?? messages.unnamed}`;

/** Operations whose self time changed most from the baseline, largest change first. */
export function changedMost(nodes: readonly FlameNode[], most: number): readonly FlameNode[] {
  const delta = (node: FlameNode): number => Math.abs(node.time - node.baseTime);
  return nodes
    .filter((node) => !Number.isNaN(node.baseTime) && changeOf(node) !== 'same')
    .sort((a, b) => delta(b) - delta(a))
    .slice(0, most);
}

interface FlameNodeJson {
  readonly service: string | null;
  readonly name: string | null;
  readonly other?: true;
  readonly time_ms: number;
  readonly self_ms: number;
  readonly spans: number;
  readonly errors: number;
  readonly baseline_time_ms?: number | null;
  readonly children?: readonly FlameNodeJson[];
}

function nodeJson(node: FlameNode, isCompared: boolean): FlameNodeJson {
  const { service, name, isOther, time, self, spans, errors, baseTime, children } = node;
  return {
    service,
    name,
    ...(isOther ? { other: true as const } : {}),
    ...{ time_ms: time, self_ms: self, spans, errors },
    ...(isCompared ? { baseline_time_ms: Number.isNaN(baseTime) ? null : baseTime } : {}),
    ...(children.length === 0 ? {} : { children: children.map((child) => nodeJson(child, isCompared)) }),
  };
}

/** `1 in 64 of its traces`, for an estimate. */
export const sampleText = (share: number): string => `1 in ${Math.round(1 / share)} of its traces`;

const windowOf = ({ window, baseline, share }: Flame) => ({
  start: formatUtc(nanos(window.start_ns)),
  end: formatUtc(nanos(window.end_ns)),
  ...(share < 1 ? { estimated_from: sampleText(share) } : {}),
  ...(baseline
    ? { baseline: { start: formatUtc(nanos(baseline.start_ns)), end: formatUtc(nanos(baseline.end_ns)) } }
    : {}),
});

/** The graph or one frame as JSON; the baseline is scaled to the number of requests in the window. */
export const flameJson = (flame: Flame, nodes: readonly FlameNode[]): string =>
  JSON.stringify({ ...windowOf(flame), paths: nodes.map((node) => nodeJson(node, flame.baseline !== null)) }, null, 2);

const MOST_LINES = 60;

/** The widest frames as an indented table. */
export function flameMarkdown(flame: Flame, nodes: readonly FlameNode[], all: number): string {
  const { start, end, baseline, estimated_from } = windowOf(flame);
  const lines: string[] = [];
  const addNode = (node: FlameNode, depth: number): void => {
    if (lines.length >= MOST_LINES || node.time < all * 0.005) return;
    const change = flame.baseline ? ` ${changeText(node)} |` : '';
    lines.push(
      `| ${'\u00a0\u00a0'.repeat(depth)}${cellMarkdown(flameLabel(node))} | ${lengthOf(node.time)} | ${shareText(node.time, all)} | ${lengthOf(node.self)} | ${node.spans} | ${node.errors} |${change}`,
    );
    for (const child of node.children) addNode(child, depth + 1);
  };
  for (const node of nodes) addNode(node, 0);
  const how = `${baseline ? `, compared with ${baseline.start} to ${baseline.end}` : ''}${estimated_from ? `, estimated from ${estimated_from}` : ''}`;
  return [
    `Time by call path, ${start} to ${end}${how}`,
    '',
    `| path | time | share | self | spans | errors |${baseline ? ' change from baseline |' : ''}`,
    `| --- | ---: | ---: | ---: | ---: | ---: |${baseline ? ' --- |' : ''}`,
    ...lines,
  ].join('\n');
}
