import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Source } from '../../src/model/storage/source.ts';

const root = join(import.meta.dirname, '../../fixtures');
/** Formats whose fixtures lie in a folder of another name. */
const folders: Readonly<Record<string, string>> = {
  'otlp-json': 'otlp/gcp-ops',
  'otlp-protobuf': 'otlp/requests',
  powertrace: 'incidents',
};
/** Files by path. */
export type Tree = Readonly<Record<string, Uint8Array>>;

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile() && !file.endsWith('.md'))
    .sort();

/** `fixtures/<source id>/` holds files, or for formats that lie scattered over many files one folder per recording. */
export function fixturesOf(source: Source): (readonly [string, Tree])[] {
  const folder = join(root, folders[source.id] ?? source.id);
  const children = readdirSync(folder)
    .filter((name) => name !== 'PROVENANCE.md')
    .map((name) => join(folder, name));
  const recordings = source.gather
    ? children
    : children.flatMap((child) => (statSync(child).isFile() ? child : filesBelow(child)));
  return recordings.map((path) => {
    const files = statSync(path).isFile() ? [path] : filesBelow(path);
    const base = statSync(path).isFile() ? folder : path;
    return [relative(root, path), Object.fromEntries(files.map((file) => [relative(base, file), readFileSync(file)]))];
  });
}
