import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { cli, finished } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

async function capture(port = 0): Promise<{ readonly args: readonly string[]; readonly path: string }> {
  const folder = await temporaryFolder();
  const [plan, path] = [join(folder, 'plan.yaml'), join(folder, 'recorded.faultline')];
  await writeFile(plan, `feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:${port}"}]`);
  return { args: [process.execPath, cli, 'capture', plan, '--case', path], path };
}

/** Output of a process, once it matches. */
const waitForOutput = (child: ChildProcess, pattern: RegExp): Promise<string> =>
  new Promise((resolve) => {
    let outputSoFar = '';
    child.stdout?.on('data', (chunk) => {
      outputSoFar += chunk;
      const [, found] = pattern.exec(outputSoFar) ?? [];
      if (found !== undefined) resolve(found);
    });
  });

const address = /http (127\.0\.0\.1:\d+)/;

async function send(to: string, spanId = '2'.repeat(16)): Promise<void> {
  const span = {
    traceId: '1'.repeat(32),
    spanId,
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

/** Spans of a case, and whether opening it has work left to do. */
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

/** Spans that lie on the disk while somebody writes them. */
async function stored(path: string): Promise<number> {
  const copy = join(await temporaryFolder(), 'copy.faultline');
  await cp(path, copy, { recursive: true });
  return Number((await left(copy))[0]);
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
  const [pid, to] = await Promise.all([waitForOutput(terminal, /pid (\d+)/), waitForOutput(terminal, address)]);
  await send(to);
  terminal.kill('SIGKILL');
  await ends(Number(pid));
  expect(await left(path)).toEqual([1, 0]);
});

test.skipIf(!hasTerminals)(
  'a terminal that is stopped (Ctrl-S) holds up neither rows nor the end, and gets the summary when it goes on',
  async () => {
    const { args, path } = await capture();
    const line = `echo pid $$; exec ${args.map((arg) => `'${arg}'`).join(' ')}`;
    const terminal = spawn('script', ['-qfc', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    terminal.stdout.on('data', (chunk) => (output += chunk));
    const summary = waitForOutput(terminal, /(\d+ rows)\r?\n/);
    const [pid, to] = await Promise.all([waitForOutput(terminal, /pid (\d+)/), waitForOutput(terminal, address)]);
    terminal.stdin.write('\u0013');
    // Each of them produces output.
    for (let i = 1; i <= 3; i++) {
      await send(to, String(i).repeat(16));
      await expect.poll(() => stored(path)).toBe(i);
    }
    const before = output;
    process.kill(Number(pid), 'SIGINT');
    await expect.poll(() => left(path).catch(() => [])).toEqual([3, 0]);
    expect(output).toBe(before);
    terminal.stdin.write('\u0011');
    expect(await summary).toBe('3 rows');
    await ends(Number(pid));
    terminal.kill('SIGKILL');
  },
);

test.runIf(process.platform === 'linux')('under nohup it goes on, until somebody ends it', async () => {
  const { args, path } = await capture();
  const unreadable = openSync('/dev/null', 'w');
  const [program = '', ...rest] = args;
  const child = spawn(program, rest, { stdio: [unreadable, 'pipe', 'pipe'] });
  closeSync(unreadable);
  const ended = finished(child);
  const to = await waitForOutput(child, address);
  child.kill('SIGHUP');
  // Output after a signal: the process was still alive.
  for (let i = 0; i < 3; i++) await send(to);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  expect((await left(path))[1]).toBe(0);
});

test('a hang-up does not end a capture that is not shown on a terminal', async () => {
  const { args, path } = await capture();
  const [program = '', ...rest] = args;
  const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = finished(child);
  const to = await waitForOutput(child, address);
  child.kill('SIGHUP');
  // Output after a signal: the process was still alive.
  for (let i = 0; i < 3; i++) await send(to);
  child.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  expect(await left(path)).toEqual([1, 0]);
});

test.skipIf(!hasTerminals || process.platform === 'win32')(
  'nohup, input from nowhere and in the background: the terminal goes, the capture stays',
  async () => {
    const folder = await temporaryFolder();
    const { args, path } = await capture();
    const log = join(folder, 'log');
    const quoted = args.map((arg) => `'${arg}'`).join(' ');
    const line = `nohup ${quoted} < /dev/null > '${log}' 2>&1 & echo pid $!; wait`;
    const terminal = spawn('script', ['-qfc', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
    const gone = new Promise((resolve) => terminal.once('exit', resolve));
    const pid = Number(await waitForOutput(terminal, /pid (\d+)/));
    await expect.poll(() => readFileSync(log, 'utf8')).toMatch(address);
    const [, to = ''] = address.exec(readFileSync(log, 'utf8')) ?? [];
    terminal.kill('SIGKILL');
    await gone;
    process.kill(pid, 'SIGHUP');
    for (let i = 0; i < 3; i++) await send(to);
    process.kill(pid, 'SIGTERM');
    await ends(pid);
    expect(await left(path)).toEqual([1, 0]);
  },
);

test('a closed output pipe does not end a capture, and is reported once', async () => {
  const { args, path } = await capture();
  const [program = '', ...rest] = args;
  const child = spawn(program, [...rest, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let err = '';
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const to = await waitForOutput(child, address);
  child.stdout?.destroy();
  await expect.poll(() => err).toContain('EPIPE');
  await send(to);
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(err.match(/EPIPE/g)).toHaveLength(1);
  expect(await left(path)).toEqual([1, 0]);
});

test.runIf(process.platform === 'linux')('a full disk below standard output ends no capture', async () => {
  const port = await freePort();
  const { args, path } = await capture(port);
  const [program = '', ...rest] = args;
  const full = openSync('/dev/full', 'w');
  const child = spawn(program, rest, { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  const ended = finished(child);
  await expect
    .poll(() =>
      send(`127.0.0.1:${port}`).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  child.kill('SIGINT');
  const { code, err } = await ended;
  expect([code, err.match(/ENOSPC/g)?.length]).toEqual([0, 1]);
  expect(await left(path)).toEqual([1, 0]);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test.runIf(process.platform === 'linux')(
  'a reader that stops reading neither holds a capture up nor its end',
  async () => {
    const folder = await temporaryFolder();
    const fifo = join(folder, 'fifo');
    expect(spawnSync('mkfifo', [fifo]).status).toBe(0);
    const fifoHandle = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
    // Nothing more fits into it.
    expect(() => {
      for (;;) writeSync(fifoHandle, Buffer.alloc(4096));
    }).toThrow('EAGAIN');
    const output = openSync(fifo, 'w');
    const port = await freePort();
    const { args, path } = await capture(port);
    const [program = '', ...rest] = args;
    const child = spawn(program, [...rest, '--json'], { stdio: ['ignore', output, 'pipe'] });
    closeSync(output);
    const ended = finished(child);
    const reached = () =>
      send(`127.0.0.1:${port}`).then(
        () => true,
        () => false,
      );
    await expect.poll(reached).toBe(true);
    child.kill('SIGINT');
    expect((await ended).code).toBe(0);
    closeSync(fifoHandle);
    expect(await left(path)).toEqual([1, 0]);
  },
);
