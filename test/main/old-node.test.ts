import { spawn, spawnSync } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCaseFolder } from '../../src/main/engine/case-folders.ts';
import { cli } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { olderNode } from '../support/older-node.ts';

const node = spawnSync('script', ['--version']).status === 0 ? olderNode() : null;

interface Typing {
  /** Input that is sent after matching output. */
  readonly after: RegExp;
  readonly type: string;
}

/** What a person at a terminal sees of it, and with what it ends. */
function onTerminal(args: readonly string[], typing?: Typing): Promise<readonly [code: number | null, output: string]> {
  // A shell that stays between (dash) would itself be ended by Ctrl-C, and its exit code be seen in place of ours.
  const line = `exec ${args.map((arg) => `'${arg}'`).join(' ')}`;
  const terminal = spawn('script', ['-qefc', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
  let output = '';
  let isTyped = false;
  terminal.stdout.on('data', (chunk) => {
    output += chunk;
    if (isTyped || !typing?.after.test(output)) return;
    isTyped = true;
    terminal.stdin.write(typing.type);
  });
  return new Promise((resolve) => terminal.on('close', (code) => resolve([code, output.replaceAll('\r', '')])));
}

const refusal = /^faultline: Node 22 or newer is needed, this is [\d.]+\n$/;

test.skipIf(!node)('without a bundled Node, an older one fails with one line on a terminal', async () => {
  const folder = await temporaryFolder();
  const alone = join(folder, 'cli.mjs');
  await copyFile(cli, alone);
  expect(await onTerminal([node ?? '', alone, 'info', 'nowhere'])).toEqual([1, expect.stringMatching(refusal)]);
  // Before 20.11 a module did not know its folder.
  await writeFile(alone, (await readFile(cli, 'utf8')).replaceAll('import.meta.dirname', 'undefined'));
  expect(await onTerminal([node ?? '', alone, 'info', 'nowhere'])).toEqual([1, expect.stringMatching(refusal)]);
});

test.skipIf(!node)('on a terminal, Ctrl-C ends in order what an older Node has handed over', async () => {
  const folder = await temporaryFolder();
  const [plan, path] = [join(folder, 'plan.yaml'), join(folder, 'recorded.faultline')];
  await writeFile(plan, 'feeds: [{kind: otlp, grpc: null, http: "127.0.0.1:0"}]');
  const capture = [node ?? '', cli, 'capture', plan, '--case', path];
  const [code, output] = await onTerminal(capture, { after: /http 127/, type: '\u0003' });
  expect([code, output]).toEqual([0, expect.stringMatching(/: 0 rows\n$/)]);
  const { engine } = await openCaseFolder(path, { create: false });
  await engine.close();
});
