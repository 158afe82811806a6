import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commitList, released, sectionOf } from '../../scripts/changelog.ts';

const root = join(import.meta.dirname, '../..');
const before =
  '# Changelog\n\nWhat people notice.\n\n## Unreleased\n\n- A note by a person.\n\n## 0.1.0 (2026-01-01)\n\n- Older.\n';
const release = {
  version: '0.2.0',
  date: '2026-02-03',
  commits: commitList(['snmp: read traps', 'Tidy up', 'SNMP: ask']),
};

test('commits are listed by scope, the oldest first, as text without markup', () => {
  expect(release.commits).toBe('- **other**: Tidy up\n- **snmp**: ask; read traps');
  expect(commitList(['a: b <i>*c*</i> `d`'])).toBe('- **a**: b \\<i\\>\\*c\\*\\</i\\> \\`d\\`');
});

test('a release keeps the notes of people on top of its commits, and everything older as it was', () => {
  const text = released(before, release);
  expect(text).toBe(
    before
      .replace('## Unreleased\n\n', `## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n`)
      .replace('- A note by a person.\n\n', `- A note by a person.\n\n### Commits\n\n${release.commits}\n\n`),
  );
  expect(sectionOf(text, '0.2.0')).toBe(`- A note by a person.\n\n### Commits\n\n${release.commits}`);
  expect(sectionOf(text, '0.1.0')).toBe('- Older.');
  expect(sectionOf(text, '0.1')).toBeNull();
  // Once more, after another commit: the list is replaced, the notes stay.
  const again = released(text, { ...release, commits: '- **a**: b $& c' });
  expect(sectionOf(again, '0.2.0')).toBe('- A note by a person.\n\n### Commits\n\n- **a**: b $& c');
  expect(sectionOf(again, '0.1.0')).toBe('- Older.');
  expect(released('## Unreleased\n', release)).toBe(
    `## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n### Commits\n\n${release.commits}\n`,
  );
  expect(() => released('# Changelog\n', release)).toThrow('Unreleased');
});

test('the script reads the history of this repository', () => {
  const run = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const newest = commitList([run('log', '-1', '--no-merges', '--format=%s')]).replace(/^- \*\*.*\*\*: /, '');
  const printed = execFileSync('node', ['scripts/changelog.ts'], { cwd: root, encoding: 'utf8' });
  expect(printed).toContain(newest);
});
