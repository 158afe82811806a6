import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { faultline } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';

const root = join(import.meta.dirname, '../..');
const unpacked = join(root, 'dist/linux-unpacked');
const isPackaged = existsSync(join(unpacked, 'resources/bin/faultline'));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
/** With the environment of a bare login: what is found must be beside the command. */
const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: cwd } });

interface Recorded {
  readonly args: readonly string[];
  readonly scripts: { readonly afterInstall: string; readonly afterRemove: string };
}

describe.skipIf(!isPackaged)(`the command of the desktop app${isPackaged ? '' : ' (absent: npm run package)'}`, () => {
  let deb: Recorded;
  const option = (name: string): string[] =>
    deb.args.filter((one) => one.startsWith(`--${name}=`)).map((one) => one.slice(name.length + 3));
  const mappings = (): (readonly [from: string, to: string])[] =>
    deb.args.filter((one) => one.includes('=/')).map((one) => one.split('=/') as [string, string]);

  beforeAll(() => {
    // fpm itself has to be downloaded; what it is asked for is what electron-builder makes of our configuration.
    const folder = join(root, '.cache/recorded-deb');
    mkdirSync(folder, { recursive: true });
    const recorded = join(folder, 'fpm.json');
    const args = ['--linux', 'deb', '--prepackaged', unpacked, '--publish', 'never'];
    execFileSync('npx', ['electron-builder', ...args, `--config.directories.output=${folder}`], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, CUSTOM_FPM_PATH: join(root, 'test/support/recorded-fpm.mjs'), RECORDED_FPM: recorded },
    });
    deb = JSON.parse(readFileSync(recorded, 'utf8'));
  });

  it('runs from where the package puts it, on its own Node, and finds everything beside it', async () => {
    const target = await temporaryFolder();
    for (const [from, to] of mappings().filter(([, path]) => /^(usr\/bin|opt)\//.test(path))) {
      mkdirSync(dirname(join(target, to)), { recursive: true });
      // Hard links, except of what is run by a path of its own.
      if (from.endsWith('/')) execFileSync('cp', ['-al', from, join(target, to)]);
      else cpSync(join(root, from), join(target, to));
    }
    const command = (...args: string[]) => run(join(target, 'usr/bin/faultline'), args, target);
    expect(command('--version')).toBe((await faultline('--version')).out);
    command('demo', '--dir', 'night');
    expect(command('correlate', 'night/demo.faultline')).toContain('PDU-B-rack-22');
    // The corpus of `replay` is there, too.
    expect(command('replay', '--pattern', 'slow-part')).toContain('as labelled');
    // Native packages as the program loads them, those that the demo does not need, too.
    const node = join(target, 'opt/Faultline/resources/command/node');
    const code = `for (const name of ['koffi', '@napi-rs/keyring', '@duckdb/node-bindings']) console.log(typeof (await import(name)))`;
    const loaded = execFileSync(node, ['--input-type=module', '-e', code], {
      cwd: join(target, 'opt/Faultline/resources/command'),
      encoding: 'utf8',
      env: { NODE_PATH: join(target, 'opt/Faultline/resources/app.asar.unpacked/node_modules') },
    });
    expect(loaded).toBe('object\nobject\nobject\n');
  });

  it('belongs to the package of the app, by no script, and takes the place of the package of the command line', async () => {
    expect(mappings()).toContainEqual(['packaging/desktop/on-path.sh', 'usr/bin/faultline']);
    expect(`${deb.scripts.afterInstall}${deb.scripts.afterRemove}`).not.toMatch(/bin\/faultline\b(?!-desktop)/);
    for (const relation of ['conflicts', 'replaces', 'provides']) expect(option(relation)).toEqual(['faultline']);

    // What dpkg makes of these relations, with packages that hold the command alone.
    const target = await temporaryFolder();
    for (const each of ['info', 'updates', 'triggers'])
      mkdirSync(join(target, 'var/lib/dpkg', each), { recursive: true });
    for (const each of ['status', 'available']) writeFileSync(join(target, 'var/lib/dpkg', each), '');
    const make = async (name: string, relations: string): Promise<string> => {
      const tree = await temporaryFolder();
      mkdirSync(join(tree, 'usr/bin'), { recursive: true });
      writeFileSync(join(tree, 'usr/bin/faultline'), name);
      mkdirSync(join(tree, 'DEBIAN'));
      const facts = `Package: ${name}\nVersion: 1\nArchitecture: all\nMaintainer: none <none@example.org>\nDescription: none\n`;
      writeFileSync(join(tree, 'DEBIAN/control'), `${facts}${relations}`);
      const file = join(target, `${name}.deb`);
      execFileSync('dpkg-deb', ['-Znone', '--build', tree, file], { stdio: 'ignore' });
      return file;
    };
    const force = [`--root=${target}`, '--force-not-root', '--force-script-chrootless'];
    const dpkg = (...args: string[]) => run('dpkg', [...force, ...args], target);
    const alone = await make('faultline', '');
    const app = await make(
      'faultline-desktop',
      ['Conflicts', 'Replaces', 'Provides'].map((each) => `${each}: ${option(each.toLowerCase())}\n`).join(''),
    );
    const command = join(target, 'usr/bin/faultline');
    dpkg('--install', alone);
    dpkg('--install', '--auto-deconfigure', app);
    expect(readFileSync(command, 'utf8')).toBe('faultline-desktop');
    expect(dpkg('--listfiles', 'faultline-desktop')).toContain('/usr/bin/faultline');
    expect(() => dpkg('--install', alone)).toThrow(/conflict/);
    dpkg('--purge', 'faultline-desktop');
    expect(existsSync(command)).toBe(false);
  });

  it('has a launcher for each system that starts the same program on the Node beside it', () => {
    const shell = read('packaging/desktop/faultline.sh');
    const batch = read('packaging/desktop/faultline.cmd');
    expect(shell).toContain('"$resources/command/node" "$resources/command/out/main/cli.js" "$@"');
    expect(batch).toContain('"%~dp0..\\command\\node.exe" "%~dp0..\\command\\out\\main\\cli.js" %*');
    // cmd reads lines of Windows only.
    expect(batch.replaceAll('\r\n', '')).not.toContain('\n');
    for (const text of [shell, batch]) expect(text).toMatch(/app\.asar\.unpacked.node_modules/);
    expect(realpathSync(join(unpacked, 'resources/command/node'))).not.toContain('node_modules');
  });

  it('is put onto the PATH of Windows and taken away by the same program, with the scope of the installation', () => {
    const ours = read('packaging/installer.nsh');
    for (const [macro, change] of [
      ['customInstall', 'add'],
      ['customUnInstall', 'remove'],
    ])
      expect(ours).toMatch(new RegExp(`!macro ${macro}\\n(.*\\n)*?  !insertmacro changePath ${change}\\n`));
    expect(ours).toMatch(/-Change \$\{CHANGE\} -Scope \$R0 -Folder "\$INSTDIR\\resources\\bin"/);
    const script = read('packaging/desktop/user-path.ps1');
    for (const parameter of ['Change', 'Scope', 'Folder']) expect(script).toContain(`$${parameter}`);
    // Variables in the PATH stay variables.
    expect(script).toContain('DoNotExpandEnvironmentNames');
    expect(script).not.toMatch(/setx/i);
  });
});
