import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Words that hide what is meant (docs/glossary.md): data does not speak, and an entity has a kind. */
const WORDS = /\b(?:told|tells?|telling|says?|said|saying|things?|strips?|whoever|what stands|by the record)\b/i;
/** Names and wordings of others, which we look for. */
const FOREIGN = [
  /power\[- \]\?\(strip\|/,
  /power \?strip/,
  /^\s*index: \[strip\]/,
  // The last column of the glossary lists the words that we do not use.
  /^\| .* \| .* \| .* \| .* \|$/,
  /^`prompt`/,
];

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file))
    .map((file) => join(folder, file));

const hitsIn = (files: readonly string[], isText: (line: string) => boolean): string[] =>
  files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, i) =>
        WORDS.test(line) && isText(line) && !FOREIGN.some((one) => one.test(line))
          ? [`${file}:${i + 1}: ${line.trim()}`]
          : [],
      ),
  );

test('source, documentation and titles of tests use the words of the glossary', () => {
  const source = [...filesIn('src', /\.(?:tsx?|sql|yaml)$/), ...filesIn('docs', /\.md$/)];
  const pages = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
  const tests = filesIn('test', /\.tsx?$/).filter((file) => !file.endsWith('words.test.ts'));
  expect(source.length).toBeGreaterThan(1000);
  expect(tests.length).toBeGreaterThan(200);
  const isTitle = (line: string) => /^\s*(?:it|test|describe)(?:\.each|\()/.test(line) || /^\s*\]\)\(/.test(line);
  expect([...hitsIn([...source, ...pages], () => true), ...hitsIn(tests, isTitle)]).toEqual([]);
});
