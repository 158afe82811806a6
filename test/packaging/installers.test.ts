import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const config = load(read('electron-builder.yml')) as Record<string, Record<string, unknown>>;

test('the configuration of the installers keeps to the schema of electron-builder', () => {
  const schema = z.fromJSONSchema(JSON.parse(read('node_modules/app-builder-lib/scheme.json')));
  const { error } = schema.safeParse(config);
  expect(error?.issues ?? []).toEqual([]);
  expect(schema.safeParse({ ...config, linux: { ...config.linux, executeableName: 'x' } }).success).toBe(false);
});

test('every file that the configuration names exists', () => {
  const resources = join(root, 'packaging/resources');
  for (const name of ['icons', 'icon.icns', 'icon.ico']) expect(existsSync(join(resources, name)), name).toBe(true);
  const named = [config.mac?.entitlements, config.mac?.entitlementsInherit, config.dmg?.license, config.nsis?.license];
  for (const path of named) expect(existsSync(join(root, String(path))), String(path)).toBe(true);
});

test('icons are what their names state', () => {
  const folder = join(root, 'packaging/resources/icons');
  const names = readdirSync(folder);
  expect(names).toContain('512x512.png');
  for (const name of names) {
    const png = readFileSync(join(folder, name));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}.png`).toBe(name);
  }
  const icns = readFileSync(join(root, 'packaging/resources/icon.icns'));
  expect([icns.subarray(0, 4).toString(), icns.readUInt32BE(4)]).toEqual(['icns', icns.length]);
  const ico = readFileSync(join(root, 'packaging/resources/icon.ico'));
  expect([ico.readUInt16LE(2), ico.readUInt16LE(4)]).toEqual([1, 6]);
});

test('natives of every system that is packed are in the lock file, and unpacked', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, unknown> };
  const unpacked = config.asarUnpack as unknown as string[];
  for (const [os, cpu] of [
    ['linux', 'x64'],
    ['darwin', 'arm64'],
    ['darwin', 'x64'],
    ['win32', 'x64'],
  ])
    for (const stem of ['@duckdb/node-bindings', '@napi-rs/keyring', '@koromix/koffi']) {
      const found = Object.keys(packages).filter((path) => path.startsWith(`node_modules/${stem}-${os}-${cpu}`));
      expect(found, `${stem} ${os} ${cpu}`).not.toEqual([]);
      expect(unpacked).toContain(`node_modules/${stem}-*/**`);
    }
});

test('the release workflow runs the commands of the README on three systems, and names only scripts and walks that exist', () => {
  const text = read('.github/workflows/release.yml');
  const workflow = load(text) as {
    jobs: Record<string, { strategy: { matrix: { os: string[] } }; steps: { run?: string }[] }>;
  };
  const { strategy, steps } = workflow.jobs.commands!;
  expect(strategy.matrix.os.map((os) => os.split('-')[0])).toEqual(['ubuntu', 'macos', 'windows']);
  const runs = steps.flatMap(({ run }) => run ?? []).join('\n');
  for (const command of ['npm ci', 'npm start', 'npm test']) {
    expect(runs).toContain(command);
    expect(read('README.md')).toContain(command);
  }
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const [, name] of text.matchAll(/npm run ([\w:]+)/g)) expect(scripts, name).toHaveProperty([name!]);
  for (const [walk] of text.matchAll(/[\w-]+\.spec/g))
    expect(existsSync(join(root, `test/end-to-end/${walk}.ts`)), walk).toBe(true);
});
