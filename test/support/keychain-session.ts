import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const programs = ['/usr/bin/dbus-run-session', '/usr/bin/gnome-keyring-daemon'];
/** Whether a Secret Service of one's own can be run here. */
export const hasSecretService = programs.every((program) => existsSync(program));

/** One of the running test; asked for late, because it belongs to vitest. */
const folderOfTest = async (): Promise<string> => (await import('./core.ts')).temporaryFolder();

/**
 * A command within a session that has an unlocked Secret Service of its own, which lasts as long as the command: nothing
 * of it reaches the keychain of the user who runs the tests.
 * @param stdin where it keeps what it remembers; tests in a browser have their own
 */
export async function withSecretService(script: string, stdin?: string): Promise<ChildProcess> {
  const home = stdin ?? (await folderOfTest());
  const runtime = join(home, 'runtime');
  await mkdir(runtime, { mode: 0o700 });
  const unlock = "printf 'unlocked by a test' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1";
  return spawn('dbus-run-session', ['--', 'sh', '-c', `${unlock}\n${script}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own: who ends it early ends all of it.
    detached: true,
    env: { ...process.env, HOME: home, XDG_DATA_HOME: join(home, 'data'), XDG_RUNTIME_DIR: runtime, DISPLAY: '' },
  });
}
