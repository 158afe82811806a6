import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { extractFile, listPackage } from '@electron/asar';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { describe, expect, it } from 'vitest';
import { root } from './harness.ts';

const unpacked = join(root, 'dist/linux-unpacked');
const archive = join(unpacked, 'resources/app.asar');
const isPackaged = existsSync(archive);

/** Every file of the archive has to be on this list; folders are not looked at. */
const ALLOWED = [
  /^\/package\.json$/,
  /^\/out\/main\/(index|import-worker|nvml-thread|otlp-thread|prometheus-thread|query-process)\.js$/,
  /^\/out\/main\/chunks\/[\w-]+\.js$/,
  /^\/out\/preload\/index\.cjs$/,
  /^\/out\/renderer\/index\.html$/,
  /^\/out\/renderer\/assets\/[\w.-]+\.(js|css|woff2?|svg|png|wasm)$/,
  /^\/node_modules\/(@duckdb\/node-api|@duckdb\/node-bindings|@duckdb\/node-bindings-linux-(x64|arm64)|detect-libc)\/(package\.json|LICENSE)$/,
  /^\/node_modules\/@duckdb\/node-api\/lib\/[\w/]+\.js$/,
  /^\/node_modules\/@duckdb\/node-bindings\/duckdb\.js$/,
  /^\/node_modules\/@duckdb\/node-bindings-linux-(x64|arm64)\/(duckdb\.node|libduckdb\.so)$/,
  /^\/node_modules\/@napi-rs\/keyring\/(package\.json|LICENSE|index\.js)$/,
  /^\/node_modules\/@napi-rs\/keyring-linux-(x64|arm64)-(gnu|musl)\/(package\.json|LICENSE\.third-party\.md|keyring\.[\w-]+\.node)$/,
  /^\/node_modules\/koffi\/(package\.json|LICENSE\.txt|(src\/koffi\/)?(index|indirect)\.c?js)$/,
  /^\/node_modules\/koffi\/src\/koffi\/src\/static\.js$/,
  /^\/node_modules\/@koromix\/koffi-linux-(x64|arm64)\/(package\.json|index\.js|linux_\w+\/koffi\.node)$/,
  /^\/node_modules\/detect-libc\/lib\/[\w-]+\.js$/,
];

const isFolder = (path: string, all: readonly string[]): boolean => all.some((other) => other.startsWith(`${path}/`));

describe.skipIf(!isPackaged)(`the package${isPackaged ? '' : ' (absent: npm run package makes it)'}`, () => {
  const entries = isPackaged ? listPackage(archive, { isPack: false }) : [];
  const files = entries.filter((path) => !isFolder(path, entries));

  it('holds what it needs and nothing else: no sources, maps, tests, command line or web host', () => {
    expect(files.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)))).toEqual([]);
    for (const needed of [
      '/package.json',
      '/out/main/index.js',
      '/out/main/import-worker.js',
      '/out/main/nvml-thread.js',
      '/out/main/otlp-thread.js',
      '/out/main/prometheus-thread.js',
      '/out/main/query-process.js',
      '/out/preload/index.cjs',
      '/out/renderer/index.html',
    ]) {
      expect(files).toContain(needed);
    }
  });

  it('keeps native libraries outside the archive, and only them', () => {
    const folder = join(unpacked, 'resources/app.asar.unpacked');
    const outside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(folder, path)).isFile(),
    );
    expect(outside.filter((path) => /\.(node|so)$/.test(path))).toHaveLength(4);
    const native =
      /node_modules\/(@duckdb\/node-bindings-linux-\w+|@napi-rs\/keyring-linux-\w+-\w+|@koromix\/koffi-linux-\w+)\/[\w./-]+$/;
    expect(outside.filter((path) => !native.test(path))).toEqual([]);
  });

  it('asks for no development package', () => {
    const manifest = JSON.parse(extractFile(archive, 'package.json').toString()) as Record<string, unknown>;
    expect(manifest).toMatchObject({ main: 'out/main/index.js', name: 'faultline' });
    expect(manifest).not.toHaveProperty('devDependencies');
    expect(manifest).not.toHaveProperty('scripts');
  });

  it('carries no path of the machine it was built on', () => {
    for (const path of files.filter((name) => /^\/out\/.*\.(js|cjs|css|html)$/.test(name))) {
      expect(extractFile(archive, path.slice(1)).toString().includes(root), path).toBe(false);
    }
  });

  it('has every fuse in its safe position', async () => {
    const wire = await getCurrentFuseWire(join(unpacked, 'faultline-desktop'));
    const position = (fuse: FuseV1Options): boolean => wire[fuse] === FuseState.ENABLE;
    expect({
      runAsNode: position(FuseV1Options.RunAsNode),
      cookieEncryption: position(FuseV1Options.EnableCookieEncryption),
      nodeOptions: position(FuseV1Options.EnableNodeOptionsEnvironmentVariable),
      inspectArguments: position(FuseV1Options.EnableNodeCliInspectArguments),
      asarIntegrity: position(FuseV1Options.EnableEmbeddedAsarIntegrityValidation),
      onlyAsar: position(FuseV1Options.OnlyLoadAppFromAsar),
      browserSnapshot: position(FuseV1Options.LoadBrowserProcessSpecificV8Snapshot),
      fileProtocol: position(FuseV1Options.GrantFileProtocolExtraPrivileges),
    }).toEqual({
      runAsNode: false,
      cookieEncryption: true,
      nodeOptions: false,
      inspectArguments: false,
      asarIntegrity: true,
      onlyAsar: true,
      browserSnapshot: false,
      fileProtocol: false,
    });
  });
});
