import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cli, faultline, finished } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { hasSecretService, withSecretService } from '../support/keychain-session.ts';

const SECRET = 'correct horse battery staple';

/** A target that answers only requests with the token. */
async function guardedTarget(): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers.authorization ?? '');
    if (headers.authorization === `Bearer ${SECRET}`) response.end('up 1\n');
    else response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`, seen };
}

async function planOf(url: string): Promise<string> {
  const plan = join(await temporaryFolder(), 'plan.yaml');
  await writeFile(plan, `feeds: [{kind: prometheus, url: "${url}", bearer: "keychain:gpu-exporter"}]`);
  return plan;
}

describe.skipIf(!hasSecretService)('the keychain (skipped: gnome-keyring or dbus-run-session is not installed)', () => {
  test('keeps a secret that a plan refers to, and forgets it', async () => {
    const { url, seen } = await guardedTarget();
    const plan = await planOf(url);
    const run = (args: string) => `${JSON.stringify(process.execPath)} ${JSON.stringify(cli)} ${args}`;
    const child = await withSecretService(
      [
        `printf '%s\\n' '${SECRET}' | ${run('secret set gpu-exporter')}`,
        run(`capture ${plan} --test`),
        'echo "tested: $?"',
        run('secret forget gpu-exporter'),
        run(`capture ${plan} --test`),
        'echo "tested: $?"',
        run('secret forget gpu-exporter'),
        'echo "forgotten again: $?"',
      ].join('\n'),
    );
    child.stdin?.end();
    const { out, err } = await finished(child);
    expect(out).toMatch(/stored; a plan refers to it as keychain:gpu-exporter\n/);
    expect(out).toMatch(
      /secret ok, keychain:gpu-exporter can be read\n.*auth ok, it accepts the token\n.*tested: 0\n/s,
    );
    expect(out).toMatch(/forgotten\n.*secret FAILED, the keychain has no gpu-exporter of Faultline's\n.*tested: 1\n/s);
    expect(out).toMatch(/forgotten again: 1\n/);
    expect(seen).toEqual([`Bearer ${SECRET}`]);
    expect(out + err).not.toContain(SECRET);
  });
});

test('without a keychain there is one clear line', async () => {
  const child = spawn(process.execPath, [cli, 'secret', 'set', 'gpu-exporter'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus', XDG_RUNTIME_DIR: '/nowhere' },
  });
  child.stdin?.end(SECRET);
  const { code, out, err } = await finished(child);
  expect(code).toBe(1);
  expect(err).toMatch(/no keychain can be used here: .*\n.*env:NAME/);
  expect(out + err).not.toContain(SECRET);
});

test('a secret is not accepted as argument, which others can see', async () => {
  const ran = await faultline('secret', 'set', 'gpu-exporter', SECRET);
  expect(ran.code).toBe(2);
  expect(ran.err).toMatch(/do not pass the secret as an argument/);
});
