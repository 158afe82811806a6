import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import snmp from 'net-snmp';
import { compareOids } from '../../src/main/sources/snmp/walk.ts';
import { removeFolder } from './remove-folder.ts';

/** Debian's snmpsim: it answers recordings as the devices would, each under a community that is called like its file. */
export const hasSnmpsim = !spawnSync('snmpsimd', ['--version']).error;

async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}

/** As an agent has them: sorted, each object once, the last one counting. */
function sorted(recording: string): string {
  const byOid = new Map<string, string>();
  for (const line of recording.split(/\r?\n/)) {
    const oid = /^\.?([\d.]+)\|/.exec(line)?.[1];
    if (oid !== undefined) byOid.set(oid, line.replace(/^\./, ''));
  }
  return `${[...byOid.entries()]
    .sort(([a], [b]) => compareOids(a, b))
    .map(([, line]) => line)
    .join('\n')}\n`;
}

export interface Snmpsim {
  readonly port: number;
  stop(): Promise<void>;
}

export async function snmpsim(recordings: readonly string[]): Promise<Snmpsim> {
  const folder = await mkdtemp(join(tmpdir(), 'faultline-test-'));
  const [data, cache] = [join(folder, 'data'), join(folder, 'cache')];
  await mkdir(data);
  await mkdir(cache);
  for (const file of recordings)
    await writeFile(join(data, basename(file)), sorted(await readFile(file, 'latin1')), 'latin1');
  for (const path of [folder, cache]) await chmod(path, 0o777);
  const port = await freePort();
  // It does not run as root.
  const isRoot = process.getuid?.() === 0;
  const child = spawn(
    'snmpsimd',
    [
      `--data-dir=${data}`,
      `--cache-dir=${cache}`,
      `--agent-udpv4-endpoint=127.0.0.1:${port}`,
      '--logging-method=null',
      ...(isRoot ? ['--process-user=nobody', '--process-group=nogroup'] : []),
    ],
    { stdio: 'ignore' },
  );
  const community = basename(recordings[0] ?? '').replace('.snmprec', '');
  for (let tries = 0; tries < 60; tries++) if (await answers(port, community)) break;
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    await removeFolder(folder);
  };
  return { port, stop };
}

async function answers(port: number, community: string): Promise<boolean> {
  const session = snmp.createSession('127.0.0.1', community, {
    port,
    version: snmp.Version2c,
    timeout: 500,
    retries: 0,
  });
  try {
    return await new Promise((resolve) => session.getNext(['1.3'], (error) => resolve(!error)));
  } finally {
    session.close();
  }
}
