// What a release was made of, as an in-toto statement with the SLSA provenance predicate: which files, by hash, from which commit and
// lock file, by whom. It is a claim of the builder; the signature of the checksums, which cover it, states who makes the claim.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** @type {Map<string, string>} */
const known = new Map();
/** Files of a release are hashed once: they hold 200 MB and more, and do not change any more. @param {string} file */
export function sha256Of(file) {
  const hash = known.get(file) ?? createHash('sha256').update(readFileSync(file)).digest('hex');
  known.set(file, hash);
  return hash;
}

/**
 * @param {{files: readonly string[], commit: string, epoch: string, repository: string, builder: string}} release
 * @returns one line of JSON
 */
export function provenance({ files, commit, epoch, repository, builder }) {
  const time = new Date(Number(epoch) * 1000).toISOString();
  const uri = `git+${repository}`;
  return `${JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map((file) => ({ name: basename(file), digest: { sha256: sha256Of(file) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://example.org/faultline/release/v1',
        externalParameters: { source: uri, commit, command: 'npm ci --ignore-scripts && npm run release' },
        internalParameters: {
          node: process.version,
          platform: `${process.platform}-${process.arch}`,
          sourceDate: time,
        },
        resolvedDependencies: [
          { uri, digest: { gitCommit: commit } },
          { uri: `${uri}#package-lock.json`, digest: { sha256: sha256Of(join(root, 'package-lock.json')) } },
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  })}\n`;
}
