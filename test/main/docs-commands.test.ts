import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandsPage } from '../../src/main/hosts/commands-page.ts';
import { finished, startIn } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

const docs = join(import.meta.dirname, '../../docs');
const read = (name: string): string => readFileSync(join(docs, name), 'utf8');

test('docs/commands.md is what the commands define', () => {
  // `node --import ./bench/raw-text.mjs scripts/commands-page.ts` writes it anew.
  expect(read('commands.md')).toBe(commandsPage());
});

test('the notes on the command line name every command', () => {
  const names = [...commandsPage().matchAll(/^## (\w+)$/gm)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !read('command-line.md').includes(`faultline ${name}`))).toEqual([]);
});

test('every command of the tutorial runs, and prints the lines that it shows', async () => {
  const folder = await temporaryFolder();
  const steps = [...read('tutorial.md').matchAll(/```sh\n([^`]+)```(?:\n\n```text\n([^`]+)```)?/g)];
  expect(steps.length).toBeGreaterThan(6);
  for (const [, commands = '', lines = ''] of steps) {
    let printed = '';
    for (const command of commands.trim().split('\n')) {
      const [, ...args] = [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
      const { code, out, err } = await finished(startIn(folder, ...args));
      expect([command, code, code === 0 ? '' : err]).toEqual([command, 0, '']);
      printed += out;
    }
    for (const line of lines.trim().split('\n').filter(Boolean)) expect(printed).toContain(line.trim());
  }
});

test('every page of the sidebar exists, and every link between pages leads to one', () => {
  const config = readFileSync(join(docs, '../site/.vitepress/config.mts'), 'utf8');
  const pages = new Set(
    readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md')),
  );
  const listed = [...config.matchAll(/page\('[^']+', '([^']+)'\)/g)].map(([, name]) => `${name}.md`);
  expect(listed.length).toBeGreaterThan(20);
  expect(listed.filter((name) => !pages.has(name))).toEqual([]);
  const dead = [...pages].flatMap((page) =>
    [...read(page).matchAll(/\]\((?!\w+:|#|\.\.\/\.\.\/)([^)#\s]+\.md)[^)]*\)/g)]
      .map(([, link = '']) => join(page, '..', link))
      .filter((link) => !link.startsWith('..') && !pages.has(link))
      .map((link) => `${page}: ${link}`),
  );
  expect(dead).toEqual([]);
});

test('a link of a page to a source is text on the site, one between pages stays, and a dead one is left to be found', async () => {
  const { siteLink } = await import(join(docs, '../site/.vitepress/links.mts'));
  expect(siteLink('../src/preload/index.ts', 'security.md', docs)).toBeNull();
  expect(siteLink('bench/worlds/README.md', 'what-to-believe.md', docs)).toBeNull();
  expect(siteLink('docs/limits.md', 'what-to-believe.md', docs)).toBe('./limits.md');
  expect(siteLink('limits.md#traces', 'traces.md', docs)).toBe('limits.md#traces');
  expect(siteLink('../src/no-such-file.ts', 'security.md', docs)).toBe('../src/no-such-file.ts');
});
