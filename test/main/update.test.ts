import { writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { newerRelease } from '../../src/main/hosts/newer-version.ts';
import { faultline } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

const release = (tag_name: string, more: object = {}) => ({
  tag_name,
  html_url: `https://example.org/${tag_name}`,
  ...more,
});

test.each([
  ['the newest of several, by numbers and not by letters', ['v0.9.0', 'v0.10.0', 'v0.2.0'], '0.10.0'],
  ['none that is as old or older', ['v0.1.0', '0.0.9'], undefined],
  ['none that is no version', ['nightly', 'v1.0', 'v2.0.0-beta.1', 'v99999999999999.0.0'], undefined],
])('a list of releases has %s', (_, tags, expected) => {
  expect(newerRelease(JSON.stringify(tags.map((tag) => release(tag))), '0.1.0')?.version).toBe(expected);
});

test('drafts and previews are not newer, and one release is a list', () => {
  const list = [release('v3.0.0', { draft: true }), release('v2.0.0', { prerelease: true })];
  expect(newerRelease(JSON.stringify(list), '0.1.0')).toBeNull();
  expect(newerRelease(JSON.stringify(release('v1.0.0')), '0.1.0')).toEqual({
    version: '1.0.0',
    notes: 'https://example.org/v1.0.0',
  });
});

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases`;
}

test('the command asks the one address once, without credentials, and prints what it found', async () => {
  const asked: (string | undefined)[][] = [];
  const url = await served(({ url: path, method, headers }, response) => {
    asked.push([method, path, headers.authorization, headers.cookie]);
    response.end(JSON.stringify([release('v9.0.0')]));
  });
  const { code, out } = await faultline('update', '--check', url);
  expect([code, out]).toEqual([
    0,
    `there is a newer version: 9.0.0 (this is ${packageJson.version})\n  https://example.org/v9.0.0\n`,
  ]);
  expect(asked).toEqual([['GET', '/releases', undefined, undefined]]);
});

test('a file does as well, and JSON is for scripts', async () => {
  const file = join(await temporaryFolder(), 'releases.json');
  await writeFile(file, JSON.stringify([release('v0.0.1')]));
  expect((await faultline('update', '--check', file)).out).toBe(
    `no version is newer than this one (${packageJson.version})\n`,
  );
  expect(JSON.parse((await faultline('update', '--check', file, '--json')).out)).toEqual({
    version: packageJson.version,
    newer: null,
  });
});

test('a redirect, an error, a plain address and a foreign answer are one line each, and nothing is asked without an address', async () => {
  const moved = await served((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
  const broken = await served((_, response) => response.writeHead(500).end());
  const foreign = await served((_, response) => response.end('<html>'));
  const lines = [
    [moved, /does not answer with a list of releases/],
    [broken, /answers 500/],
    [foreign, /this is no list of releases/],
    ['http://example.org/releases', /is not asked: anybody on the way could answer/],
  ] as const;
  for (const [place, line] of lines) {
    const { code, err } = await faultline('update', '--check', place);
    expect([code, err.split('\n')[0]]).toEqual([1, expect.stringMatching(line)]);
  }
  expect((await faultline('update')).code).toBe(2);
});
