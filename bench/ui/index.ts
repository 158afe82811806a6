// `npm run bench:ui`: the window in a real Chromium over a generated case. --scales 0.1,1,10 prints how costs grow;
// --only stories leaves out the timeline.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { megabytes, print, thousands, timed, within } from '../figures.ts';
import { type Drive, drive } from './drive.ts';
import type { MarksDrive } from './drive-marks.ts';
import type { SpansDrive } from './drive-spans.ts';
import type { StoryDrive } from './drive-story.ts';
import { type FrameTimes, percentile } from './frames.ts';
import { makeUiCase } from './make-case.ts';

const { values } = parseArgs({
  options: { scales: { type: 'string' }, folder: { type: 'string' }, only: { type: 'string' } },
});
const chromiums = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser'];
const executablePath = chromiums.find((path) => path !== undefined && existsSync(path));
/** One frame at 60 Hz. */
const FRAME_MS = 16.7;

const storiesOnly = values.only === 'stories';
const scales = (values.scales ?? '0.1,1').split(',').map(Number);
const results: { readonly scale: number; readonly drive: Drive }[] = [];
for (const scale of scales) {
  const parent = await mkdtemp(join(values.folder ?? tmpdir(), 'faultline-ui-'));
  try {
    const folder = join(parent, 'ui.faultline');
    const size = { spans: 5_000_000 * scale, points: 50_000_000 * scale, events: 1_000_000 * scale };
    const made = await timed(() => makeUiCase(folder, size));
    const { size: bytes } = await stat(join(folder, 'case.duckdb'));
    console.log(
      `\n${thousands(size.spans)} spans, ${thousands(size.points)} points, ${thousands(size.events)} events: ${megabytes(bytes)}, made in ${Math.round(made.ms / 1000)} s`,
    );
    const driven = await drive(folder, executablePath, storiesOnly);
    report(driven);
    results.push({ scale, drive: driven });
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}
if (!storiesOnly) growth();

function report(one: Drive): void {
  if (!storiesOnly) reportTimeline(one);
  for (const story of one.stories) reportStory(story);
  if (one.spans) reportSpans(one.spans);
  const [small] = one.stories;
  const large = one.stories.at(-1);
  if (small && large)
    print(
      `  from ${thousands(small.spans)} to ${thousands(large.spans)} spans`,
      `x ${large.spans / small.spans}`,
      `first paint x ${(large.again_ms / small.again_ms).toFixed(1)}, frames scrolling, p50 x ${(percentile(large.scroll.work, 0.5) / percentile(small.scroll.work, 0.5)).toFixed(2)}`,
    );
  print('renderer', megabytes(one.renderer_bytes), `of which script ${megabytes(one.heap_bytes)}`);
}

function reportTimeline(one: Drive): void {
  print('first paint of the timeline', ms(one.first_paint_ms), within(one.first_paint_ms, 2000, 'ms'));
  reportFrames([
    ['scrubbing', one.scrub],
    ['zooming', one.zoom],
    ['panning', one.pan],
    ['panning over what is there', one.cached],
  ]);
  const p95 = percentile(one.answers, 0.95);
  print(
    'input to painted answer (p50, p95, p99)',
    three(one.answers),
    `${one.answers.length} inputs; p95 ${within(p95, 100, 'ms')}`,
  );
  if (one.marks) reportMarks(one.marks);
}

function reportFrames(measured: readonly (readonly [what: string, frames: FrameTimes])[]): void {
  for (const [what, frames] of measured) print(`frames ${what} (p50, p95, p99)`, three(frames.work), told(frames));
}

function reportMarks({ lanes, events, scrub, zoom, pan }: MarksDrive): void {
  console.log(
    `${thousands(events)} marks in view: events of ${lanes} lanes, each a part of a column or stack of its lane`,
  );
  reportFrames([
    ['scrubbing over them', scrub],
    ['zooming into them', zoom],
    ['panning through them', pan],
  ]);
}

function reportSpans(one: SpansDrive): void {
  print('flame graph of all spans, first asked', ms(one.flame_first_ms), 'the walk over all traces included');
  print('  asked again', ms(one.flame_again_ms), `median; ${within(one.flame_again_ms, 1000, 'ms')}`);
  print('what differs in 5 minutes from the rest', ms(one.differs_first_ms), within(one.differs_first_ms, 2000, 'ms'));
  print('  another 5 minutes', ms(one.differs_again_ms), `median; ${within(one.differs_again_ms, 2000, 'ms')}`);
}

function reportStory(story: StoryDrive): void {
  print(
    `a trace of ${thousands(story.spans)} spans: first paint`,
    ms(story.first_paint_ms),
    `${within(story.first_paint_ms, 500, 'ms')}; asked again ${ms(story.again_ms)}`,
  );
  for (const [how, frames] of [
    ['scrolling', story.scroll],
    ['zooming', story.zoom],
    ['walking', story.walk],
  ] as const)
    print(`  frames ${how} (p50, p95, p99)`, three(frames.work), told(frames));
}

const told = ({ work, wall }: FrameTimes): string =>
  `${work.length} frames; p95 ${within(percentile(work, 0.95), FRAME_MS, 'ms')}; by the clock on the wall ${percentile(wall, 0.95).toFixed(1)}`;

function growth(): void {
  const [first] = results;
  const last = results.at(-1);
  if (!first || !last || first === last) return;
  const times = last.scale / first.scale;
  const ratio = (of: (drive: Drive) => number): string => `x ${(of(last.drive) / of(first.drive)).toFixed(2)}`;
  console.log(`\nfrom 1 to ${times} times the rows:`);
  print(
    'first paint',
    ratio((one) => one.first_paint_ms),
    '',
  );
  print(
    'frames scrubbing, p95',
    ratio((one) => percentile(one.scrub.work, 0.95)),
    '',
  );
  print(
    'frames zooming, p95',
    ratio((one) => percentile(one.zoom.work, 0.95)),
    '',
  );
  print(
    'input to painted answer, p95',
    ratio((one) => percentile(one.answers, 0.95)),
    '',
  );
  print(
    'renderer memory',
    ratio((one) => one.renderer_bytes),
    '',
  );
  const ofSpans =
    (of: (spans: SpansDrive) => number) =>
    ({ spans }: Drive): number =>
      spans ? of(spans) : Number.NaN;
  const others: readonly (readonly [what: string, of: (drive: Drive) => number])[] = [
    ['flame graph, first asked', ofSpans((one) => one.flame_first_ms)],
    ['flame graph, asked again', ofSpans((one) => one.flame_again_ms)],
    ['what differs', ofSpans((one) => one.differs_first_ms)],
    ['what differs, another 5 minutes', ofSpans((one) => one.differs_again_ms)],
    ['waterfall of 100,000 spans, asked again', ({ stories }) => stories.at(-1)?.again_ms ?? Number.NaN],
    ['  its frames scrolling, p50', ({ stories }) => percentile(stories.at(-1)?.scroll.work ?? [], 0.5)],
  ];
  for (const [what, of] of others) print(what, ratio(of), '');
}

function ms(value: number): string {
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
}

function three(list: readonly number[]): string {
  return [0.5, 0.95, 0.99].map((share) => percentile(list, share).toFixed(1)).join(' ');
}
