import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { cli, finished } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

async function capture(): Promise<{ readonly args: readonly string[]; readonly path: string }> {
  const folder = await temporaryFolder();
  const [plan, path] = [join(folder, 'plan.yaml'), join(folder, 'recorded.faultline')];
  await writeFile(plan, 'feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]');
  return { args: [process.execPath, cli, 'capture', plan, '--case', path], path };
}

/** What a process says, once it matches. */
const said = (child: ChildProcess, pattern: RegExp): Promise<string> =>
  new Promise((resolve) => {
    let told = '';
    child.stdout?.on('data', (chunk) => {
      told += chunk;
      const [, found] = pattern.exec(told) ?? [];
      if (found !== undefined) resolve(found);
    });
  });

const address = /http (127\.0\.0\.1:\d+)/;

async function send(to: string): Promise<void> {
  const span = {
    traceId: '1'.repeat(32),
    spanId: '2'.repeat(16),
    name: 'a',
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
  };
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  const answer = await fetch(`http://${to}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(answer.status).toBe(200);
}

/** Spans of a case, and whether whoever opens it has something left to do. */
async function left(path: string): Promise<unknown[]> {
  const { engine } = await openCaseFolder(path, { create: false });
  const session = await engine.session();
  const { columns } = await session.query(
    "select (select count(*)::integer from span), (select count(*)::integer from meta where key = 'capture_unfinished')",
  );
  session.close();
  await engine.close();
  return columns.map(([value]) => value);
}

/** Of a process that is no child of this one. */
async function ends(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const hasTerminals = spawnSync('script', ['--version']).status === 0;

test.skipIf(!hasTerminals)('a capture whose terminal goes away ends in order', async () => {
  const { args, path } = await capture();
  const line = `echo pid $$; exec ${args.map((arg) => `'${arg}'`).join(' ')}`;
  const terminal = spawn('script', ['-qfc', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const [pid, to] = await Promise.all([said(terminal, /pid (\d+)/), said(terminal, address)]);
  await send(to);
  terminal.kill('SIGKILL');
  await ends(Number(pid));
  expect(await left(path)).toEqual([1, 0]);
});

test.runIf(process.platform === 'linux')('under nohup it goes on, until somebody ends it', async () => {
  const { args, path } = await capture();
  const unreadable = openSync('/dev/null', 'w');
  const [program = '', ...rest] = args;
  const child = spawn(program, rest, { stdio: [unreadable, 'pipe', 'pipe'] });
  closeSync(unreadable);
  const ended = finished(child);
  const to = await said(child, address);
  child.kill('SIGHUP');
  // What is told after a signal has found the process alive.
  for (let i = 0; i < 3; i++) await send(to);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  expect((await left(path))[1]).toBe(0);
});

test.runIf(process.platform === 'linux')('without it a hang-up ends a capture as Ctrl-C does', async () => {
  const { args, path } = await capture();
  const [program = '', ...rest] = args;
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = finished(child);
  await send(await said(child, address));
  child.kill('SIGHUP');
  expect((await ended).code).toBe(0);
  expect(await left(path)).toEqual([1, 0]);
});
