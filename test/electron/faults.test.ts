import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checks, findCheck } from './checks/index.ts';
import { type Fault, faults } from './faults.ts';
import { patience, projectSources, root, type Sources } from './harness.ts';
import { runCheck } from './run-check.ts';

/** Inside the project, so that packages resolve; ignored by git. */
const scratch = join(root, '.standin', `faults-${process.pid}`);
const FILES = [
  'electron.ts',
  'electron-menu.ts',
  'electron-print.ts',
  'link-command.ts',
  'link-inbox.ts',
  'security.ts',
  'assets.ts',
  'file-handles.ts',
  'messages.ts',
];

/** A copy of the sources under test; only what may carry a fault is copied, the rest stays where it is. */
function copySources(name: string): Sources {
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  for (const file of FILES) {
    const text = readFileSync(join(projectSources.hosts, file), 'utf8');
    const ours = text
      .replaceAll("'../../", `'${join(root, 'src')}/`)
      .replaceAll("'../disk/", `'${join(root, 'src/main/disk')}/`);
    writeFileSync(join(folder, file), ours);
  }
  const preload = readFileSync(projectSources.preload, 'utf8');
  writeFileSync(join(folder, 'preload.ts'), preload.replaceAll("'../model/", `'${join(root, 'src/model')}/`));
  return { hosts: folder, preload: join(folder, 'preload.ts') };
}

function applyFault(sources: Sources, { file, find, replace }: Fault): void {
  const path = file === 'preload' ? sources.preload : join(sources.hosts, file);
  const text = readFileSync(path, 'utf8');
  expect(text.split(find), `"${find}" must occur exactly once in ${file}`).toHaveLength(2);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
}

const UNHURRIED = patience.ms;
const HURRIED = 1500;

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

// Before any fault: an app that a fault keeps from closing reports it ten seconds later.
describe('the fault injection itself', () => {
  it('finds nothing in sources without a fault', async () => {
    patience.ms = UNHURRIED;
    const sources = copySources('none');
    for (const name of new Set(faults.map(({ caughtBy }) => caughtBy))) await runCheck(findCheck(name), sources);
  });
  it('has a fault for every check', () => {
    const proved = new Set(faults.map(({ caughtBy }) => caughtBy));
    expect(checks.filter(({ name }) => !proved.has(name)).map(({ name }) => name)).toEqual([]);
  });
});

describe('a deliberate fault is caught', () => {
  it.each(faults.map((fault, index) => ({ ...fault, index })))('$index $file: $find', async (fault) => {
    patience.ms = HURRIED;
    const sources = copySources(String(fault.index));
    applyFault(sources, fault);
    const outcome = await runCheck(findCheck(fault.caughtBy), sources).then(
      () => 'nobody noticed',
      (error: Error) => `${error.name}: ${error.message}`,
    );
    expect(outcome).not.toBe('nobody noticed');
    // A fault that does not compile proves nothing.
    expect(outcome).not.toMatch(/SyntaxError|ReferenceError|PARSE_ERROR|Transform failed|Cannot find module/);
  });
});
