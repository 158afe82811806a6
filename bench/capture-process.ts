import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openCaseFolder } from '../src/main/engine/case-folders.ts';
import { start } from '../test/support/command-line.ts';

/** Of /proc/PID/stat. */
export const TICKS_PER_S = 100;

export interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly path: string;
  end(): Promise<void>;
}

/** `faultline capture` with an OTLP receiver on a free port. */
export async function record(folder: string, name: string): Promise<Running> {
  const [plan, path] = [join(folder, `${name}.yaml`), join(folder, `${name}.faultline`)];
  await writeFile(plan, 'feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]');
  const child = start('capture', plan, '--case', path);
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const address = /http (127\.0\.0\.1:\d+)/.exec(output)?.[1];
      if (address) resolve(`http://${address}`);
    });
    child.once('exit', (code) => reject(new Error(`capture ended with ${code}`)));
  });
  const end = async () => {
    child.removeAllListeners('exit');
    child.kill('SIGINT');
    await new Promise((resolve) => child.once('exit', resolve));
  };
  return { child, url, path, end };
}

interface FeedProgress {
  /** Processor time of all threads, and of the main thread alone. */
  readonly ticks: number;
  readonly mainTicks: number;
  readonly resident: number;
}

export function statOf({ pid }: ChildProcess): FeedProgress {
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    ticks: ticksOf(`/proc/${pid}/stat`),
    mainTicks: ticksOf(`/proc/${pid}/task/${pid}/stat`),
    resident: Number(resident) * 1024,
  };
}

function ticksOf(path: string): number {
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** What a case takes before anything is in it. */
export async function emptyCase(folder: string): Promise<number> {
  const running = await record(folder, 'empty');
  await running.end();
  return usedBytes(running.path);
}

/**
 * Of a case's file, what holds anything: blocks that the end of a capture has left are used by whatever comes next, and are as
 * many after a minute as after a day.
 */
export async function usedBytes(path: string): Promise<number> {
  const { engine } = await openCaseFolder(path, { create: false });
  const session = await engine.session();
  try {
    const { columns, names } = await session.query('pragma database_size');
    const of = (name: string): number => Number(columns[names.indexOf(name)]?.[0]);
    return of('used_blocks') * of('block_size');
  } finally {
    session.close();
    await engine.close();
  }
}
