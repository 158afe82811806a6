import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

/** Who may import whom (DESIGN section 2). A folder may always import itself; the most specific line counts. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ['base'],
  'core/store': ['base', 'model'],
  'core/analysis': ['base', 'model', 'core/store/facts/reader'],
  'core/report': ['base', 'model'],
  'core/traceql': ['base', 'model'],
  // A fleet is judged as a case is.
  'core/fleet': ['base', 'model', 'core/analysis', 'core/store/facts/reader', 'core/traceql'],
  'core/bundle': ['base', 'model'],
  'core/api': ['base', 'model', 'core'],
  'main/disk': ['base'],
  'main/engine': ['base', 'model', 'main/disk'],
  'main/sources': ['base', 'model', 'main/disk'],
  'main/capture': ['base', 'model', 'main/sources', 'main/disk'],
  // Plans, secrets and connection checks are those of live feeds.
  'main/archives': ['base', 'model', 'main/capture', 'main/disk'],
  'main/demo': ['base', 'model'],
  'main/bundle': ['base', 'model', 'main/disk', 'main/engine', 'core/bundle'],
  'main/exports': ['base', 'model', 'main/disk', 'main/engine'],
  wire: ['model'],
  'main/hosts': ['base', 'model', 'main/disk', 'wire'],
  'main/import-worker': ['model', 'main/sources', 'main/engine'],
  'main/query-process': ['model', 'main/engine'],
  'main/statement-process': ['model'],
  // The composition roots: they put the parts together and hold no logic.
  'main/compose': ['model', 'core/api', 'main'],
  'main/own-file': ['base', 'model'],
  'main/read-releases': ['base', 'model', 'main/capture/answer-body'],
  'main/compiled-code': [],
  'main/interruption': [],
  'main/cli': ['main/compiled-code', 'main/command-line'],
  'main/command-line': ['model', 'main'],
  'main/index': ['model', 'main'],
  preload: ['model'],
  'renderer/client': ['base', 'model'],
  'renderer/draw': ['base', 'model'],
  'renderer/state': ['base', 'model', 'renderer/client', 'renderer/draw'],
  'renderer/widgets': ['base', 'model', 'renderer/client', 'renderer/state', 'renderer/draw'],
  'renderer/views': ['base', 'model', 'renderer/client', 'renderer/state', 'renderer/draw', 'renderer/widgets'],
  renderer: ['base', 'model', 'renderer'],
  'viewer/engine': ['base', 'model', 'core/store/list-text'],
  'viewer/bundle': ['base', 'model', 'core/bundle', 'viewer/engine'],
  // What events of older bundles state is read as an import would read it.
  viewer: ['base', 'model', 'wire', 'core', 'renderer/main', 'viewer', 'main/sources/event-details'],
};

/** Each heavy dependency has one home. */
const homes: Readonly<Record<string, readonly string[]>> = {
  electron: [
    'main/hosts/electron.ts',
    'main/hosts/electron-menu.ts',
    'main/hosts/electron-print.ts',
    'main/hosts/electron-utility.ts',
    'preload/',
  ],
  '@duckdb/node-api': ['main/engine/'],
  '@duckdb/node-bindings': ['main/engine/'],
  '@orpc/server': ['wire/', 'main/hosts/', 'viewer/'],
  '@orpc/client': ['renderer/client/'],
  '@duckdb/duckdb-wasm': ['viewer/'],
  'apache-arrow': ['viewer/engine/'],
  'parquet-wasm': ['viewer/'],
  ws: ['main/hosts/web.ts'],
  yauzl: ['main/sources/files/', 'main/bundle/'],
  'js-yaml': [
    'base/yaml-issues.ts',
    'core/analysis/',
    'main/sources/kubernetes/',
    'main/capture/plan/',
    'main/capture/kubernetes/',
    'main/bundle/redact/',
  ],
  '@napi-rs/keyring': ['main/capture/plan/keychain.ts'],
  koffi: ['main/capture/nvml/'],
  'net-snmp': ['main/capture/snmp/', 'main/capture/snmp-traps/'],
  '@aws-sdk': ['main/capture/aws/'],
  '@azure': ['main/capture/azure/'],
  'google-auth-library': ['main/capture/gcp/'],
  aws4fetch: ['main/archives/bucket/'],
  'fast-xml-parser': ['main/archives/bucket/'],
  react: ['renderer/'],
  'react-dom': ['renderer/'],
  zustand: ['renderer/state/'],
  '@tanstack/react-table': ['renderer/widgets/'],
  '@tanstack/react-virtual': ['renderer/widgets/'],
  '@ariakit/react': ['renderer/widgets/', 'renderer/shell/palette.tsx'],
  '@tanstack/react-query': ['renderer/state/'],
};

/** Folders whose every member must stand in their one explicit list. */
const registries = [
  { folder: 'main/sources', members: /^([^/]+)\/index\.tsx?$/ },
  { folder: 'main/capture', members: /^([^/]+)\/index\.tsx?$/ },
  { folder: 'main/archives', members: /^(?!http\/)([^/]+)\/index\.tsx?$/ },
  { folder: 'renderer/views', members: /^([^/]+)\/index\.tsx?$/ },
  { folder: 'main/hosts/commands', members: /^(?!index|command\.)([^/]+)\.ts$/ },
];

const root = join(import.meta.dirname, '..');
const source = join(root, 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'));

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** Path inside src, without extension; undefined for packages. */
  readonly to: string | undefined;
  readonly typeOnly: boolean;
}

const imports: readonly Import[] = files.flatMap((from) => {
  const { module } = parseSync(from, readFileSync(join(source, from), 'utf8'));
  const named = [
    ...module.staticImports.map((entry) => ({
      value: entry.moduleRequest.value,
      typeOnly: entry.entries.length > 0 && entry.entries.every((one) => one.isType),
    })),
    ...module.staticExports.flatMap((entry) =>
      entry.entries.flatMap((one) =>
        one.moduleRequest ? [{ value: one.moduleRequest.value, typeOnly: one.isType }] : [],
      ),
    ),
  ];
  return named.map(({ value, typeOnly }) => ({
    from,
    specifier: value,
    typeOnly,
    to: value.startsWith('.')
      ? relative(source, join(source, dirname(from), value))
          .replaceAll('\\', '/')
          .replace(/\.tsx?$/, '')
      : undefined,
  }));
});

const layers = Object.keys(allowed).sort((a, b) => b.length - a.length);
const within = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const layerOf = (path: string): string | undefined =>
  layers.find((layer) => within(path.replace(/\.tsx?$/, ''), layer));

test('every file belongs to a layer', () => {
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => layerOf(file) === undefined)).toEqual([]);
});

test('imports follow the arrows', () => {
  const wrong = imports.filter(({ from, to }) => {
    if (to === undefined || to.startsWith('..')) return false;
    const layer = layerOf(from)!;
    return !within(to, layer) && !(allowed[layer] ?? []).some((target) => within(to, target));
  });
  expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test('each heavy dependency has one home', () => {
  const wrong = imports.filter(({ from, specifier }) => {
    const name = Object.keys(homes).find((home) => specifier === home || specifier.startsWith(`${home}/`));
    return name !== undefined && !(homes[name] ?? []).some((home) => from.startsWith(home));
  });
  expect(wrong.map(({ from, specifier }) => `${from} -> ${specifier}`)).toEqual([]);
});

test('core, model and base know neither Node nor the DOM', () => {
  const wrong = imports.filter(
    ({ from, specifier }) => /^(base|model|core)\//.test(from) && specifier.startsWith('node:'),
  );
  expect(wrong).toEqual([]);
});

test('signals are joined by withEither: what AbortSignal.any makes may never be aborted', () => {
  const joined = files.filter((file) => /\bAbortSignal\.any\(/.test(readFileSync(join(source, file), 'utf8')));
  expect(joined).toEqual([]);
});

test('siblings in a plugin folder do not import each other', () => {
  // Folders without an index: what several formats mean alike, and the byte-level readers of all.
  const shared = readdirSync(join(source, 'main/sources'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !existsSync(join(source, 'main/sources', entry.name, 'index.ts')))
    .map((entry) => `main/sources/${entry.name}`);
  const pluginOf = (path: string) => /^(main\/sources|renderer\/views)\/([^/.]+)\//.exec(`${path}/`);
  const wrong = imports.filter(({ from, to }) => {
    const mine = pluginOf(from);
    const other = to === undefined ? null : pluginOf(to);
    if (!mine || !other || mine[1] !== other[1] || mine[2] === other[2]) return false;
    return !shared.includes(`${other[1]}/${other[2]}`) && from.split('/').length > 3;
  });
  expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

test.each(registries)('$folder lists every member', ({ folder, members }) => {
  const listed = imports
    .filter(({ from }) => from === `${folder}/index.ts`)
    .map(({ to }) => to?.slice(folder.length + 1).replace(/\/index$/, ''));
  const present = files
    .filter((file) => file.startsWith(`${folder}/`))
    .flatMap((file) => members.exec(file.slice(folder.length + 1))?.[1] ?? []);
  expect(present.length).toBeGreaterThan(0);
  expect(present.filter((name) => !listed.includes(name))).toEqual([]);
});

test('the first page of the window loads no schemas', () => {
  const withoutEnding = (file: string): string => file.replace(/\.tsx?$/, '');
  const known = Map.groupBy(
    imports.filter(({ typeOnly }) => !typeOnly),
    ({ from }) => withoutEnding(from),
  );
  const open = ['renderer/main'];
  const reached = new Set(open);
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const { to } of known.get(at) ?? []) {
      if (to === undefined || reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  expect(reached.size).toBeGreaterThan(200);
  const withSchemas = imports.filter(
    ({ from, specifier, typeOnly }) => specifier === 'zod' && !typeOnly && reached.has(withoutEnding(from)),
  );
  expect(withSchemas.map(({ from }) => from)).toEqual([]);
});

test('no cycles', () => {
  const next = new Map(files.map((file) => [file.replace(/\.tsx?$/, ''), new Set<string>()]));
  for (const { from, to } of imports) if (to !== undefined) next.get(from.replace(/\.tsx?$/, ''))?.add(to);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (done.has(file) || path.includes(file)) return;
    for (const other of next.get(file) ?? []) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  expect(cycles).toEqual([]);
});

test('no file is over 400 lines', () => {
  const long = files.filter((file) => readFileSync(join(source, file), 'utf8').split('\n').length > 400);
  expect(long).toEqual([]);
});

test('casts stay under 4 per thousand lines: an index that is known to be there is written with !', () => {
  let lines = 0;
  let casts = 0;
  const count = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return;
    if ('type' in node && node.type === 'TSAsExpression' && !isConst(node as object)) casts++;
    for (const child of Object.values(node)) count(child);
  };
  for (const file of files) {
    const text = readFileSync(join(source, file), 'utf8');
    lines += text.split('\n').length;
    count(parseSync(file, text).program);
  }
  expect(casts).toBeGreaterThan(0);
  expect((casts / lines) * 1000).toBeLessThan(4);
});

/** `as const` narrows and asserts nothing. */
const isConst = (node: { readonly typeAnnotation?: { readonly typeName?: { readonly name?: string } } }): boolean =>
  node.typeAnnotation?.typeName?.name === 'const';

test('every path named in ARCHITECTURE.md exists', () => {
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const paths = [...text.matchAll(/`((?:src|test|bench|docs|scripts|packaging|fixtures)\/[\w./-]*)`/g)].map(
    (match) => match[1]!,
  );
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('the lock file names the packages of every platform, so that npm ci accepts it everywhere', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  // `node scripts/complete-lockfile.mjs` adds them.
  expect(missing).toEqual([]);
});

test('the lock file has a hash and a licence of each package that is shipped, for every platform', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string; license?: string; dev?: boolean; link?: boolean }>;
  };
  const shipped = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  expect(shipped.length).toBeGreaterThan(10);
  const unverified = shipped.filter(([, { integrity, license }]) => !integrity?.startsWith('sha512-') || !license);
  expect(unverified.map(([path]) => path)).toEqual([]);
});

test('a class belongs to one style sheet of the views: the later of two changed the other without a word', () => {
  const sheets = readdirSync(join(source, 'renderer/views'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.css'),
  );
  const homes = new Map<string, Set<string>>();
  for (const sheet of sheets)
    for (const [, name] of readFileSync(join(source, 'renderer/views', sheet), 'utf8').matchAll(
      /^ *\.([\w-]+)(?= \{|,$)/gm,
    ))
      homes.set(name!, (homes.get(name!) ?? new Set()).add(sheet));
  expect(homes.size).toBeGreaterThan(100);
  const shared = [...homes].filter(([, own]) => own.size > 1).map(([name, own]) => `.${name}: ${[...own].join(', ')}`);
  expect(shared).toEqual([]);
});
