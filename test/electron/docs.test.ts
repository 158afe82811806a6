import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './harness.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const rules = read('docs/security.md')
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line));

describe('docs/security.md', () => {
  it('has all 27 rules in order', () => {
    expect(rules.map((rule) => Number(rule.split('|')[1]))).toEqual(
      Array.from({ length: 27 }, (_, index) => index + 1),
    );
  });

  it('names a test that exists for each asset and attacker', () => {
    const model = read('docs/security.md').split('# The desktop app')[0] ?? '';
    const lines = model.split('\n').filter((line) => /^\| (evidence|machine|secrets|capture|trust) \|/.test(line));
    expect(lines.length).toBeGreaterThan(15);
    for (const line of lines) {
      const tests = [...line.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
      expect(tests.filter((path) => !existsSync(join(root, path)))).toEqual([]);
      expect(tests.length > 0 || /known limit/.test(line), line).toBe(true);
    }
  });

  it('names only tests that exist', () => {
    const checks = readdirSync(join(root, 'test/electron/checks')).map((file) => `test/electron/checks/${file}`);
    const places = [...checks, 'test/electron/package.test.ts', 'test/end-to-end/electron.spec.ts'];
    const tests = places.map(read).join('\n');
    const named = rules.flatMap((rule) => [...rule.matchAll(/"([^"]{10,})"/g)].map(([, name = '']) => name));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter((name) => !tests.includes(`'${name}'`))).toEqual([]);
  });
});
