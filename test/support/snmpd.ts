import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PROGRAM = '/usr/sbin/snmpd';
export const hasSnmpd = existsSync(PROGRAM);

export interface Snmpd {
  readonly port: number;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function freePort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}

/** One of the running test; asked for late, because it belongs to vitest. */
const folderOfTest = async (): Promise<string> => (await import('./core.ts')).temporaryFolder();

/**
 * A real net-snmp agent on loopback that answers a recording's enterprise branch beside its own system group.
 * @param extraConfig where it keeps what it remembers; tests in a browser have their own
 */
export async function snmpd(
  recording: string,
  branch: string,
  lines: readonly string[] = [],
  extraConfig?: string,
): Promise<Snmpd> {
  const folder = extraConfig ?? (await folderOfTest());
  const port = await freePort();
  const replay = join(import.meta.dirname, 'replay-agent.mjs');
  // Not snmpd.conf: so it calls what it remembers itself, in the same folder.
  const config = join(folder, 'agent.conf');
  await writeFile(
    config,
    [
      `agentAddress udp:127.0.0.1:${port}`,
      'rocommunity hall-b-monitor',
      'createUser investigator SHA-256 "a long passphrase" AES "another passphrase"',
      'rouser investigator priv',
      'sysName rack-7-pdu-a',
      `pass_persist .${branch} ${process.execPath} ${replay} ${recording}`,
      ...lines,
      '',
    ].join('\n'),
  );
  let child: ChildProcess | null = null;
  const start = async () => {
    const environment = { ...process.env, SNMP_PERSISTENT_DIR: folder };
    child = spawn(PROGRAM, ['-f', '-Lo', '-C', '-c', config], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const running = child;
    await new Promise<void>((resolve, reject) => {
      running.stdout?.on('data', (text: Buffer) => String(text).includes('NET-SNMP version') && resolve());
      running.once('exit', () => reject(new Error('snmpd ended')));
    });
  };
  const stop = async () => {
    const running = child;
    if (!running || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
  };
  await start();
  return { port, start, stop };
}
