// `npm run bench:ui`: the window in a real Chromium over a generated case. --scales 0.1,1,10 prints how costs grow;
// --only stories: one large trace; --only viewer: a bundle in the browser viewer; --only spans: questions over all spans; --only live: a timeline that follows a capture;
// --only job: a training job of 4,096 ranks.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { quantile } from '../../src/core/analysis/statistics.ts';
import { megabytes, print, thousands, timed, within } from '../figures.ts';
import { type Drive, drive } from './drive.ts';
import { driveJob, type JobDrive } from './drive-job.ts';
import { driveLive, type LiveDrive } from './drive-live.ts';
import type { MarksDrive } from './drive-marks.ts';
import type { SpansDrive } from './drive-spans.ts';
import type { TraceGroupDrive } from './drive-trace-group.ts';
import { driveViewer, type ViewerDrive } from './drive-viewer.ts';
import type { FrameTimes } from './frames.ts';
import { makeUiCase } from './make-case.ts';

const { values } = parseArgs({
  options: { scales: { type: 'string' }, folder: { type: 'string' }, only: { type: 'string' } },
});
const chromiums = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser'];
const executablePath = chromiums.find((path) => path !== undefined && existsSync(path));
/** One frame at 60 Hz. */
const FRAME_MS = 16.7;

const only = (['stories', 'spans'] as const).find((part) => part === values.only);
if (values.only === 'live') reportLive(await driveLive(executablePath, 40));
if (values.only === 'viewer') reportViewer(await driveViewer(executablePath));
if (values.only === 'job') reportJob(await driveJob(executablePath, { ranks: 4096, steps: 100 }));
const scales = ['live', 'viewer', 'job'].includes(values.only ?? '')
  ? []
  : (values.scales ?? '0.1,1').split(',').map(Number);
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
    const driven = await drive(folder, executablePath, only);
    report(driven);
    results.push({ scale, drive: driven });
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}
growth();

function report(one: Drive): void {
  if (!only) reportTimeline(one);
  for (const traceGroup of one.traceGroups) reportTraceGroup(traceGroup);
  if (one.spans) reportSpans(one.spans);
  const [small] = one.traceGroups;
  const large = one.traceGroups.at(-2);
  if (small && large)
    print(
      `  from ${thousands(small.spans)} to ${thousands(large.spans)} spans`,
      `x ${large.spans / small.spans}`,
      `first paint x ${(large.again_ms / small.again_ms).toFixed(1)}, frames scrolling, p50 x ${(quantile(large.scroll.work, 0.5) / quantile(small.scroll.work, 0.5)).toFixed(2)}`,
    );
  print('renderer', megabytes(one.renderer_bytes), `of which script ${megabytes(one.heap_bytes)}`);
}

function reportViewer(one: ViewerDrive): void {
  console.log(`\na bundle of ${megabytes(one.bundle_bytes)} in the viewer`);
  print('first paint (manifest and post-mortem)', ms(one.first_paint_ms), within(one.first_paint_ms, 3000, 'ms'));
  print('  every row read, lanes drawn', ms(one.opened_ms), 'from the same moment');
  print('  judged by the page itself', ms(one.concluded_ms), 'from the same moment');
  print('renderer with its worker', megabytes(one.renderer_bytes), 'resident');
}

function reportJob({ ranks, steps, first_ms, later_ms, host_ms, page_ms, again_ms, scroll }: JobDrive): void {
  console.log(`\na job of ${thousands(ranks)} ranks, ${thousands(ranks * steps)} steps`);
  print('the job on screen, right after the causes', ms(first_ms), within(first_ms, 1000, 'ms'));
  print('  of it processor time', ms(host_ms + page_ms), `host ${ms(host_ms)}, page ${ms(page_ms)}`);
  print('  a second later', ms(later_ms), within(later_ms, 1000, 'ms'));
  print('  again', ms(again_ms), within(again_ms, 1000, 'ms'));
  reportFrames([['scrolling its ranks', scroll]]);
}

function reportLive({ gpus, series, following, pointing, steps }: LiveDrive): void {
  console.log(`\n${gpus} GPUs, ${thousands(series)} series, a scrape a second, two minutes on screen`);
  reportFrames([
    ['following', following],
    ['following, the mouse over the lanes', pointing],
  ]);
  const rate = (1000 * steps.length) / steps.reduce((sum, step) => sum + step, 0);
  print('frames a second while it follows', rate.toFixed(1), `between frames (p50, p95, p99) ${three(steps)} ms`);
}

function reportTimeline(one: Drive): void {
  print('first paint of the timeline', ms(one.first_paint_ms), within(one.first_paint_ms, 2000, 'ms'));
  reportFrames([
    ['scrubbing', one.scrub],
    ['zooming', one.zoom],
    ['panning', one.pan],
    ['panning over what is there', one.cached],
  ]);
  const p95 = quantile(one.answers, 0.95);
  print(
    'input to painted answer (p50, p95, p99)',
    three(one.answers),
    `${one.answers.length} inputs; p95 ${within(p95, 100, 'ms')}`,
  );
  if (one.marks) reportMarks(one.marks);
}

function reportFrames(measured: readonly (readonly [what: string, frames: FrameTimes])[]): void {
  for (const [what, frames] of measured)
    print(`frames ${what} (p50, p95, p99)`, three(frames.work), frameTimesText(frames));
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
  print('flame graph of all spans, first asked', ms(one.flame_first_ms), within(one.flame_first_ms, 1000, 'ms'));
  print('  until it is of all traces', ms(one.flame_walk_ms), 'the walk over them, once for a case');
  print('  asked again', ms(one.flame_again_ms), `median; ${within(one.flame_again_ms, 1000, 'ms')}`);
  print('what differs in 5 minutes from the rest', ms(one.differs_first_ms), within(one.differs_first_ms, 2000, 'ms'));
  print('  another 5 minutes', ms(one.differs_again_ms), `median; ${within(one.differs_again_ms, 2000, 'ms')}`);
}

function reportTraceGroup(traceGroup: TraceGroupDrive): void {
  print(
    `a trace of ${thousands(traceGroup.spans)} ${traceGroup.what}: first paint`,
    ms(traceGroup.first_paint_ms),
    `${within(traceGroup.first_paint_ms, 500, 'ms')}; asked again ${ms(traceGroup.again_ms)}`,
  );
  print(
    '  processor time of opening it again',
    ms(traceGroup.host_ms + traceGroup.page_ms),
    `host ${ms(traceGroup.host_ms)}, page ${ms(traceGroup.page_ms)}, with what is asked beside its spans`,
  );
  for (const [how, frames] of [
    ['scrolling', traceGroup.scroll],
    ['zooming', traceGroup.zoom],
    ['walking', traceGroup.walk],
  ] as const)
    print(`  frames ${how} (p50, p95, p99)`, three(frames.work), frameTimesText(frames));
}

function frameTimesText({ work, wall }: FrameTimes): string {
  return `${work.length} frames; p95 ${within(quantile(work, 0.95), FRAME_MS, 'ms')}; by the clock on the wall ${quantile(wall, 0.95).toFixed(1)}`;
}

function growth(): void {
  const [first] = results;
  const last = results.at(-1);
  if (!first || !last || first === last) return;
  console.log(`\nfrom 1 to ${last.scale / first.scale} times the rows:`);
  const p95 = (values: readonly number[]): number => quantile(values, 0.95);
  const measures: readonly (readonly [what: string, of: (drive: Drive) => number | undefined])[] = [
    ['first paint', (one) => one.first_paint_ms],
    ['frames scrubbing, p95', (one) => p95(one.scrub.work)],
    ['frames zooming, p95', (one) => p95(one.zoom.work)],
    ['frames panning, p95', (one) => p95(one.pan.work)],
    ['input to painted answer, p95', (one) => p95(one.answers)],
    ['renderer memory', (one) => one.renderer_bytes],
    ['waterfall of 100,000 spans, asked again', ({ traceGroups }) => traceGroups.at(-2)?.again_ms],
    ['  its frames scrolling, p50', ({ traceGroups: stories }) => quantile(stories.at(-2)?.scroll.work ?? [], 0.5)],
    ['flame graph, first asked', ({ spans }) => spans?.flame_first_ms],
    ['flame graph, asked again', ({ spans }) => spans?.flame_again_ms],
    ['what differs', ({ spans }) => spans?.differs_first_ms],
    ['what differs, another 5 minutes', ({ spans }) => spans?.differs_again_ms],
  ];
  for (const [what, of] of measures) {
    const [from, to] = [of(first.drive), of(last.drive)];
    if (from && to) print(what, `x ${(to / from).toFixed(2)}`, '');
  }
}

function ms(value: number): string {
  return value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;
}

function three(list: readonly number[]): string {
  return [0.5, 0.95, 0.99].map((share) => quantile(list, share).toFixed(1)).join(' ');
}
