import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { CaptureEvent } from '../src/model/contract/index.ts';
import { type Memory, memoryIn } from './day-memory.ts';
import type { CaptureRun, ClockStepDone } from './day-schedule.ts';
import { cli } from './faultline.ts';

/** Debian's libfaketime: a process of its own sees another wall clock, in all of its threads. */
const FAKETIME = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

const watch = join(import.meta.dirname, 'day-watch.ts');

/** `faultline capture` in a process of its own, on a clock that can be set, which reports its memory every second. */
export class Capture {
  /** Records that it reported as lost. */
  lost = 0;
  err = '';
  /** Last reported state. */
  disk: 'written' | 'full' = 'written';
  /** Times of its "written" reports, which cover all rows before their flush started. */
  readonly written_ms: number[] = [];
  readonly ended: Promise<number | null>;
  readonly url: Promise<string>;
  private readonly child: ChildProcess;
  private readonly steps: ClockStepDone[] = [];
  private readonly from_ms = Date.now();
  private readonly ahead_ms: number;
  private readonly watched: string;
  private until_ms = Number.POSITIVE_INFINITY;

  constructor(plan: string, path: string, clock: FakeClock) {
    this.ahead_ms = clock.ahead_ms;
    this.watched = `${plan}.memory-${this.from_ms}`;
    const args = [cli, 'capture', plan, '--case', path, '--json'];
    this.child = spawn(process.execPath, args, {
      env: {
        ...process.env,
        ...clock.environment,
        FAULTLINE_DAY_WATCH: this.watched,
        NODE_OPTIONS: `--import ${JSON.stringify(watch)}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stderr?.on('data', (text) => (this.err += String(text)));
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code) => {
        this.until_ms = Math.min(this.until_ms, Date.now());
        resolve(code);
      }),
    );
    this.url = new Promise((resolve, reject) => {
      createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
        const event = JSON.parse(line) as CaptureEvent;
        if (event.kind === 'written') {
          this.lost = event.lost;
          this.written_ms.push(Date.now());
        }
        if (event.kind === 'disk') this.disk = event.state;
        const address = event.kind === 'feed' && /http (127\.0\.0\.1:\d+)/.exec(event.about)?.[1];
        if (address) resolve(`http://${address}`);
      });
      void this.ended.then((code) => reject(new Error(`the capture ended with ${code}: ${this.err}`)));
    });
    this.url.catch(() => undefined);
  }

  get run(): CaptureRun {
    const { from_ms, until_ms, ahead_ms, steps } = this;
    return { from_ms, until_ms, ahead_ms, steps };
  }

  stepped(step: ClockStepDone): void {
    this.steps.push(step);
  }

  get memory(): readonly Memory[] {
    return memoryIn(this.watched, this.from_ms);
  }

  /** Its clean-up is not part of the recording. */
  async end(): Promise<number | null> {
    this.until_ms = Date.now();
    this.child.kill('SIGINT');
    return this.ended;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

/** The clock of the capture alone; one that cannot be set is the real one. */
export class FakeClock {
  ahead_ms = 0;
  private readonly file: string;

  constructor(folder: string) {
    this.file = join(folder, 'clock');
    this.write();
  }

  readonly canBeSet = FAKETIME !== undefined;

  get environment(): Readonly<Record<string, string>> {
    if (FAKETIME === undefined) return {};
    return {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  step(by_ms: number): ClockStepDone {
    this.ahead_ms += by_ms;
    this.write();
    return { at_ms: Date.now(), by_ms };
  }

  /** At once: a file that is empty for a moment would be the real time. */
  private write(): void {
    writeFileSync(`${this.file}.new`, `${this.ahead_ms < 0 ? '' : '+'}${this.ahead_ms / 1000}`);
    renameSync(`${this.file}.new`, this.file);
  }
}

/** A disk that can be filled and emptied; null where this user may mount none. */
export class SmallDisk {
  readonly place: string;
  private readonly ballast: string[] = [];

  private constructor(place: string) {
    this.place = place;
  }

  static async in(folder: string, megabytes: number): Promise<SmallDisk | null> {
    const place = join(folder, 'disk');
    await mkdir(place);
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', place]);
    return mounted.status === 0 ? new SmallDisk(place) : null;
  }

  /** Leaves so many bytes free. */
  async fill(left: number): Promise<void> {
    const { bavail, bsize } = await statfs(this.place);
    let rest = bavail * bsize - left;
    if (rest <= 0) return;
    const path = join(this.place, `ballast-${this.ballast.length}`);
    this.ballast.push(path);
    const file = await open(path, 'w');
    const zeros = Buffer.alloc(1 << 20);
    try {
      for (; rest > 0; rest -= zeros.length) await file.write(zeros, 0, Math.min(zeros.length, rest));
    } catch (error) {
      // Who records took it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await file.close();
    }
  }

  async empty(): Promise<void> {
    for (const path of this.ballast.splice(0)) await rm(path, { force: true });
  }

  remove(): void {
    spawnSync('umount', ['-l', this.place]);
  }
}
