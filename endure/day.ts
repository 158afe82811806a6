import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../test/support/otlp-rows.ts';
import { Capture, FakeClock, type Resident, SmallDisk } from './day-capture.ts';
import { type Device, powerStrip, rackManager, target } from './day-devices.ts';
import { checkGaps, type Followed } from './day-gaps.ts';
import { growthOf } from './day-memory.ts';
import { type CaptureRun, type Episode, type Illness, illnesses } from './day-schedule.ts';
import { RECORDS, Sender } from './day-sender.ts';
import { checkStored } from './day-stored.ts';
import type { Endurance, Outcome } from './options.ts';

/** Eight hours at 24 times the load. */
const DAY_S = 1200;
const HOURS = 8;
const STRIPS = 6;
const TARGETS = 4;
/** Where in the day this machine's clock is set, by about so many seconds. */
const STEPS = [
  [0.12, 120],
  [0.25, -300],
  [0.6, 30],
  [0.72, -60],
  [0.84, 600],
] as const;
/** Where in the day the disk fills, and for how long it stays full. */
const FULL_AT = 0.38;
const FULL_S = 6;
/** A capture that finds no room keeps what it wrote: what came after its last flush, and while the next one failed, it has not. */
const LOST_WITHIN_MS = 5000;
/** Less says more of how a capture begins than of how it goes on. */
const LONG_ENOUGH_S = 300;
const MOST_GROWTH_MB = 50;
const STALL_MS = 700;

/** Eight hours of capture in twenty minutes: devices that die, lie and come back, a clock that is set, a disk that fills and empties. */
export async function day({ seed, share, folder, print }: Endurance): Promise<Outcome> {
  const random = randomFrom(seed);
  const length_s = Math.max(45, DAY_S * share);
  const disk = await SmallDisk.in(folder, Math.max(96, Math.round(400 * share)));
  const devices = [
    ...(await Promise.all(Array.from({ length: STRIPS }, (_, i) => powerStrip(i + 1)))),
    ...(await Promise.all(Array.from({ length: TARGETS }, (_, i) => target(i + 1)))),
    await rackManager(),
  ];
  const path = join(disk?.place ?? folder, 'day.faultline');
  const lived = new LivedDay({ folder, path, disk, devices, print });
  try {
    await lived.live(length_s, random);
    const { runs, sender, captures, stalls, fulls_ms } = lived;
    const stored = await checkStored(path, sender.sent, { at_ms: fulls_ms, within_ms: LOST_WITHIN_MS });
    const gaps = await checkGaps({ path, followed: lived.followed, runs, stalls });
    const memory = judged(
      captures.map(({ resident }) => resident),
      length_s,
    );
    return {
      figures: [...lived.figures, ...stored.figures, ...gaps.figures, ...memory.figures],
      failures: [...lived.failures, ...stored.failures, ...gaps.failures, ...memory.failures].map(
        (line) => `seed ${seed}: ${line}`,
      ),
    };
  } finally {
    for (const capture of lived.captures) capture.kill();
    await Promise.all(devices.map((device) => device.close()));
    disk?.remove();
  }
}

interface Given {
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
  readonly fulls_ms: number[] = [];
  readonly figures: string[] = [];
  readonly failures: string[] = [];
  private readonly given: Given;
  private readonly clock: FakeClock;
  private readonly stop = new AbortController();

  constructor(given: Given) {
    this.given = given;
    this.clock = new FakeClock(given.folder);
    this.followed = given.devices.map((device) => ({ device, episodes: [] }));
  }

  get runs(): readonly CaptureRun[] {
    return this.captures.map(({ run }) => run);
  }

  async live(length_s: number, random: () => number): Promise<void> {
    const { disk, devices } = this.given;
    const watching = this.watchItself();
    try {
      await this.begin();
      this.sender.begin();
      const plans = devices.map(({ modes }) => illnesses(Object.keys(modes), length_s, random));
      const steps = STEPS.filter((_, at) => length_s > LONG_ENOUGH_S || at < 3);
      const happening = [
        ...this.followed.map((one, at) => this.fallIll(one, plans[at] ?? [])),
        ...steps.map(([at, by_s]) => this.setClock(at * length_s, by_s * (0.5 + random()))),
        ...(disk ? [this.fillDisk(disk, FULL_AT * length_s)] : []),
        this.tell(length_s),
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
    const plan = join(this.given.folder, 'plan.yaml');
    const feeds = [
      ...this.given.devices.map((device) => device.plan),
      { kind: 'otlp', name: 'sender', grpc: null, http: '127.0.0.1:0' },
    ];
    await writeFile(plan, JSON.stringify({ feeds }));
    const capture = new Capture(plan, this.given.path, this.clock);
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
    this.given.print(`day: the clock was set by ${Math.round(by_s)} s`);
  }

  /** The capture ends by itself, and another one goes on with its case when there is room again. */
  private async fillDisk(disk: SmallDisk, at_s: number): Promise<void> {
    await this.rest(at_s);
    const capture = this.captures.at(-1);
    if (!capture) return;
    const filling = setInterval(() => void disk.fill(0), 3000);
    await disk.fill(1 << 20);
    const code = await Promise.race([capture.ended, wait(60_000, 'never' as const)]).finally(() =>
      clearInterval(filling),
    );
    this.sender.url = null;
    this.fulls_ms.push(Date.now());
    this.given.print(`day: the disk is full, the capture ended with ${code}`);
    if (
      code !== 1 ||
      !/^faultline: there is no space left for this case: .* what was written is kept\n {2}make room/.test(capture.err)
    )
      this.failures.push(`on a full disk the capture ended with ${code}: ${capture.err}`);
    await this.rest(FULL_S);
    await disk.empty();
    await this.begin();
  }

  private async tell(length_s: number): Promise<void> {
    for (let minute = 1; minute * 60 < length_s; minute++) {
      await this.rest(60);
      const megabytes = Math.round((this.captures.at(-1)?.resident.at(-1)?.bytes ?? 0) / 1e6);
      this.given.print(`day: minute ${minute} of ${Math.round(length_s / 60)}, ${megabytes} MB resident`);
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
      `${STRIPS} SNMP agents each 0.25 s, ${TARGETS} Prometheus targets and a Redfish service each 1 s, ${3 * 4 * RECORDS} OTLP records/s`,
      `${episodes.length} illnesses: ${of('silent')} silent, ${of('odd')} odd, ${of('either')} either; this process was held up ${this.stalls.length} times`,
      clock.canBeSet
        ? `the clock was set ${this.runs.reduce((sum, { steps }) => sum + steps.length, 0)} times`
        : 'SKIPPED: the clock was not set, libfaketime is not installed',
      this.given.disk
        ? `the disk was full ${this.fulls_ms.length} times`
        : 'SKIPPED: no disk was filled, this user may mount none',
      `${sender.again} requests were told to wait; captures lost ${captures.map(({ lost }) => lost).join(' and ')} records`,
    );
  }
}

/** Of the last capture, in the second half of the day. */
function judged(runs: readonly (readonly Resident[])[], length_s: number): Outcome {
  const all = runs.flat();
  const half_ms = (all[0]?.at_ms ?? 0) + (length_s * 1000) / 2;
  const second = runs.at(-1)?.filter(({ at_ms }) => at_ms >= half_ms) ?? [];
  const peak = `${Math.round(Math.max(...all.map(({ bytes }) => bytes)) / 1e6)} MB at most`;
  const growth = growthOf(second);
  if (!growth) return { figures: [`resident: ${peak}; too short for a slope`], failures: [] };
  // Megabytes in eight hours, which are as long as a whole day of this.
  const perDay = (slope: number): number => (slope * DAY_S * 1000) / 1e6;
  const [slope, low, high] = [perDay(growth.slope), perDay(growth.low), perDay(growth.high)];
  const line = `resident: ${peak}; ${(slope / HOURS).toFixed(2)} MB an hour of the day (${(low / HOURS).toFixed(2)} to ${(high / HOURS).toFixed(2)}), ${slope.toFixed(0)} MB in ${HOURS} h`;
  if (length_s < LONG_ENOUGH_S) return { figures: [`${line}: too short to be judged`], failures: [] };
  return { figures: [line], failures: low > MOST_GROWTH_MB ? [`memory grows: ${line}`] : [] };
}
