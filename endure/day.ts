import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../test/support/otlp-rows.ts';
import { Capture, FakeClock, SmallDisk } from './day-capture.ts';
import { type Device, pduDevice, rackManager, target } from './day-devices.ts';
import { checkGaps, type Followed } from './day-gaps.ts';
import { growthOf, type Memory } from './day-memory.ts';
import { type CaptureRun, type Episode, type Illness, illnesses } from './day-schedule.ts';
import { RECORDS, Sender } from './day-sender.ts';
import { checkStored, type Kill } from './day-stored.ts';
import type { Endurance, Outcome } from './options.ts';

/** Eight hours at 24 times the load. */
const DAY_S = 1200;
const HOURS = 8;
const PDUS = 6;
const TARGETS = 4;
/** Where in the day this machine's clock is set, by about so many seconds. */
const STEPS = [
  [0.12, 120],
  [0.25, -300],
  [0.6, 30],
  [0.72, -60],
  [0.84, 600],
] as const;
/** Where in the day the disk fills, early, so that the memory of the capture that follows is seen for long; and for how long it stays full. */
const FULL_AT = 0.15;
/** Of a short day: nothing has been recorded yet so early. */
const FULL_AT_OF_SHORT = 0.4;
const FULL_S = 6;
/** For how long nothing records after the kill that follows. */
const DOWN_S = 3;
const PATIENCE_S = 60;
/** A shorter run shows mostly how a capture starts. */
const LONG_ENOUGH_S = 300;
const MOST_GROWTH_MB = 50;
/** Warm-up: the pages of three JavaScript heaps grow to 330 MB within seven minutes, and stay there. */
const WARM_S = 420;
const STALL_MS = 700;
const LATE_MS = 1000;
/** Rows acknowledged before the second to last "written" report are covered by the last one. */
const WRITTEN_BEFORE = 2;

/** Eight hours of capture in twenty minutes: devices that die, lie and come back, a clock that is set, a disk that fills and empties. */
export async function day({ seed, share, folder, print }: Endurance): Promise<Outcome> {
  const random = randomFrom(seed);
  const length_s = Math.max(60, DAY_S * share);
  const disk = await SmallDisk.in(folder, Math.max(96, Math.round(400 * share)));
  const devices = [
    ...(await Promise.all(Array.from({ length: PDUS }, (_, i) => pduDevice(i + 1)))),
    ...(await Promise.all(Array.from({ length: TARGETS }, (_, i) => target(i + 1)))),
    await rackManager(),
  ];
  const path = join(disk?.place ?? folder, 'day.faultline');
  const lived = new LivedDay({ folder, path, disk, devices, print });
  try {
    await lived.live(length_s, random);
    const { runs, sender, captures, stalls, kills } = lived;
    const stored = await checkStored(path, sender.sent, kills);
    const gaps = await checkGaps({ path, followed: lived.followed, runs, stalls });
    const memory = judged(
      captures.map(({ memory }) => memory),
      length_s,
    );
    // A short day runs beside whatever else a machine has to do: it judges what is stored, not when.
    const late = length_s > LONG_ENOUGH_S ? gaps.late : [];
    const unjudged =
      gaps.late.length > late.length ? [`${gaps.late.length} holes or gaps are not as a free machine has them`] : [];
    return {
      figures: [...lived.figures, ...stored.figures, ...gaps.figures, ...unjudged, ...memory.figures],
      failures: [...lived.failures, ...stored.failures, ...gaps.failures, ...late, ...memory.failures].map(
        (line) => `seed ${seed}: ${line}`,
      ),
    };
  } finally {
    for (const capture of lived.captures) capture.kill();
    await Promise.all(devices.map((device) => device.close()));
    disk?.remove();
  }
}

interface DayOptions {
  readonly folder: string;
  readonly path: string;
  readonly disk: SmallDisk | null;
  readonly devices: readonly Device[];
  print(line: string): void;
}

/** What happens in the day, and when it did. */
class LivedDay {
  readonly captures: Capture[] = [];
  readonly sender = new Sender();
  readonly followed: readonly (Followed & { readonly device: Device; readonly episodes: Episode[] })[];
  readonly stalls: (readonly [number, number])[] = [];
  readonly kills: Kill[] = [];
  private fulls = 0;
  readonly figures: string[] = [];
  readonly failures: string[] = [];
  private readonly options: DayOptions;
  private readonly clock: FakeClock;
  private readonly stop = new AbortController();

  constructor(options: DayOptions) {
    this.options = options;
    this.clock = new FakeClock(options.folder);
    this.followed = options.devices.map((device) => ({ device, episodes: [] }));
  }

  get runs(): readonly CaptureRun[] {
    return this.captures.map(({ run }) => run);
  }

  async live(length_s: number, random: () => number): Promise<void> {
    const { disk, devices } = this.options;
    const watching = this.watchItself();
    try {
      await this.begin();
      this.sender.begin();
      const plans = devices.map(({ modes }) => illnesses(Object.keys(modes), length_s, random));
      const steps = STEPS.filter((_, at) => length_s > LONG_ENOUGH_S || at < 3);
      const happening = [
        ...this.followed.map((one, at) => this.fallIll(one, plans[at] ?? [])),
        ...steps.map(([at, by_s]) => this.setClock(at * length_s, by_s * (0.5 + random()))),
        this.fillAndKill(disk, (length_s > LONG_ENOUGH_S ? FULL_AT : FULL_AT_OF_SHORT) * length_s),
        this.printProgress(length_s),
        this.rest(length_s),
      ];
      await Promise.all(happening).finally(() => this.stop.abort());
      await this.sender.end();
      const code = await this.captures.at(-1)?.end();
      if (code !== 0) this.failures.push(`the last capture ended with ${code}: ${this.captures.at(-1)?.err}`);
    } finally {
      this.stop.abort();
      clearInterval(watching);
    }
    this.sum();
  }

  private rest(seconds: number): Promise<unknown> {
    return wait(seconds * 1000, undefined, { signal: this.stop.signal });
  }

  private async begin(): Promise<void> {
    const plan = join(this.options.folder, 'plan.yaml');
    const feeds = [
      ...this.options.devices.map((device) => device.plan),
      { kind: 'otlp', name: 'sender', grpc: null, http: '127.0.0.1:0' },
    ];
    await writeFile(plan, JSON.stringify({ feeds }));
    const capture = new Capture(plan, this.options.path, this.clock);
    this.captures.push(capture);
    this.sender.url = await capture.url;
  }

  private async fallIll({ device, episodes }: LivedDay['followed'][number], plan: readonly Illness[]): Promise<void> {
    const began = performance.now();
    for (const { mode, at_s, for_s } of plan) {
      await this.rest(Math.max(0, at_s - (performance.now() - began) / 1000));
      const from_ms = Date.now();
      await device.become(mode);
      await this.rest(for_s);
      await device.become(null);
      episodes.push({ mode, fate: device.modes[mode] ?? 'either', from_ms, until_ms: Date.now() });
    }
  }

  private async setClock(at_s: number, by_s: number): Promise<void> {
    await this.rest(at_s);
    if (!this.clock.canBeSet) return;
    const step = this.clock.step(Math.round(by_s * 1000));
    this.captures.at(-1)?.stepped(step);
    this.options.print(`day: the clock was set by ${Math.round(by_s)} s`);
  }

  private async fillAndKill(disk: SmallDisk | null, at_s: number): Promise<void> {
    await this.rest(at_s);
    const capture = this.captures.at(-1);
    if (disk && capture) await this.fillDisk(disk, capture);
    await this.rest(DOWN_S);
    capture?.kill();
    const at_ms = Date.now();
    // Two events while this process is stalled are seen in any order.
    if (capture) this.kills.push({ at_ms, written_ms: (capture.written_ms.at(-WRITTEN_BEFORE) ?? 0) - LATE_MS });
    this.sender.url = null;
    await capture?.ended;
    await this.rest(DOWN_S);
    await this.begin();
  }

  /** The capture holds what it cannot write, and goes on when there is room again. */
  private async fillDisk(disk: SmallDisk, capture: Capture): Promise<void> {
    const filling = setInterval(() => void disk.fill(0), 3000);
    await disk.fill(1 << 20);
    await this.checkDiskState(capture, 'full');
    await this.rest(FULL_S);
    clearInterval(filling);
    await disk.empty();
    await this.checkDiskState(capture, 'written');
    this.fulls++;
  }

  private async checkDiskState(capture: Capture, state: Capture['disk']): Promise<void> {
    const until = Date.now() + PATIENCE_S * 1000;
    while (capture.disk !== state && Date.now() < until) await this.rest(0.1);
    this.options.print(
      `day: the disk is ${state === 'full' ? 'full' : 'empty again'}, the capture reported ${capture.disk}`,
    );
    if (capture.disk !== state) this.failures.push(`the capture did not report within ${PATIENCE_S} s: disk ${state}`);
  }

  private async printProgress(length_s: number): Promise<void> {
    for (let minute = 1; minute * 60 < length_s; minute++) {
      await this.rest(60);
      const memory = this.captures.at(-1)?.memory.at(-1);
      if (memory) this.options.print(`day: minute ${minute} of ${Math.round(length_s / 60)}, ${memoryText(memory)}`);
    }
  }

  /** Devices that are late because this process is are nobody's fault. */
  private watchItself(): NodeJS.Timeout {
    let seen = Date.now();
    return setInterval(() => {
      const now = Date.now();
      if (now - seen > STALL_MS) this.stalls.push([seen, now]);
      seen = now;
    }, 100);
  }

  private sum(): void {
    const { clock, captures, followed, sender } = this;
    const episodes = followed.flatMap((one) => one.episodes);
    const of = (fate: Episode['fate']) => episodes.filter((one) => one.fate === fate).length;
    this.figures.push(
      `${PDUS} SNMP agents each 0.25 s, ${TARGETS} Prometheus targets and a Redfish service each 1 s, ${3 * 4 * RECORDS} OTLP records/s`,
      `${episodes.length} illnesses: ${of('silent')} silent, ${of('odd')} odd, ${of('either')} either; this process was held up ${this.stalls.length} times`,
      clock.canBeSet
        ? `the clock was set ${this.runs.reduce((sum, { steps }) => sum + steps.length, 0)} times`
        : 'SKIPPED: the clock was not set, libfaketime is not installed',
      this.options.disk
        ? `the disk was full ${this.fulls} times`
        : 'SKIPPED: no disk was filled, this user may mount none',
      `${sender.again} requests had to wait; captures lost ${captures.map(({ lost }) => lost).join(' and ')} records`,
    );
  }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
const memoryText = ({ rss, heap, external, database }: Memory): string =>
  `${megabytes(rss)} resident (heaps ${megabytes(heap)}, external ${megabytes(external)}, database ${megabytes(database)})`;

/** Of the last capture, from some minutes after its begin. */
function judged(runs: readonly (readonly Memory[])[], length_s: number): Outcome {
  const peak = runs.flat().reduce((most, memory) => (most && most.rss > memory.rss ? most : memory), runs[0]?.[0]);
  const figures = peak ? [`at most ${memoryText(peak)}`] : [];
  const last = runs.at(-1) ?? [];
  const warm = last.filter(({ at_ms }) => at_ms >= (last[0]?.at_ms ?? 0) + WARM_S * 1000);
  const failures: string[] = [];
  // Megabytes in eight hours, which are as long as a whole day of this.
  const perDay = (slope: number): number => (slope * DAY_S * 1000) / 1e6;
  for (const kind of ['rss', 'heap', 'external', 'database'] as const) {
    const growth = growthOf(warm.map((memory) => [memory.at_ms, memory[kind]]));
    if (!growth) return { figures: [...figures, 'too short for a slope of memory'], failures };
    const [slope, low, high] = [perDay(growth.slope), perDay(growth.low), perDay(growth.high)];
    const line = `${kind}: ${(slope / HOURS).toFixed(1)} MB an hour of the day (95 %: ${(low / HOURS).toFixed(1)} to ${(high / HOURS).toFixed(1)}), ${slope.toFixed(0)} MB in ${HOURS} h (${low.toFixed(0)} to ${high.toFixed(0)})`;
    figures.push(line);
    if (length_s > LONG_ENOUGH_S && low > MOST_GROWTH_MB) failures.push(`memory grows: ${line}`);
  }
  return { figures, failures };
}
