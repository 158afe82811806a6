// `npm run changelog`: the commits since the last release, by scope. With --write they become the section of the version of package.json
// in CHANGELOG.md, below the notes that people wrote under "Unreleased"; again, they replace the list there. With --notes: that section.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const file = join(root, 'CHANGELOG.md');
const UNRELEASED = '## Unreleased';
const COMMITS = '### Commits';

/** Subjects are text: nothing in them is markup. */
const escaped = (text: string): string => text.replaceAll(/[\\`*_<>[\]|]/g, '\\$&');

/**
 * @param subjects of commits, `scope: what it does`, the newest first
 * @returns one line of Markdown for each scope, by name; within it the oldest first
 */
export function commitList(subjects: readonly string[]): string {
  const byScope = new Map<string, string[]>();
  for (const subject of [...subjects].reverse()) {
    const [, scope = 'other', what = subject] = /^([^:]{1,40}): (.+)$/.exec(subject) ?? [];
    const key = scope.toLowerCase();
    byScope.set(key, [...(byScope.get(key) ?? []), escaped(what)]);
  }
  const lines = [...byScope.keys()].sort().map((key) => `- **${escaped(key)}**: ${byScope.get(key)?.join('; ')}`);
  return lines.join('\n');
}

/** @param text of CHANGELOG.md @returns the section of the version without its heading; null: there is none */
export function sectionOf(text: string, version: string): string | null {
  const sections = text.split(/^(?=## )/m);
  const found = sections.find((one) => one.startsWith(`## ${version} `) || one.startsWith(`## ${version}\n`));
  return found === undefined ? null : found.slice(found.indexOf('\n') + 1).trim();
}

interface Release {
  readonly version: string;
  /** As 2026-02-03. */
  readonly date: string;
  /** As {@link commitList} makes them. */
  readonly commits: string;
}

/**
 * @param text of CHANGELOG.md
 * @returns the text with the section of this version: the notes that stood under "Unreleased", then the commits
 * @throws Error if there is no "Unreleased"
 */
export function released(text: string, { version, date, commits }: Release): string {
  const list = `${COMMITS}\n\n${commits}\n`;
  const before = sectionOf(text, version);
  if (before !== null) {
    const [notes = ''] = before.split(`${COMMITS}\n`);
    return text.replace(before, () => `${notes.trim()}\n\n${list}`.trim());
  }
  const at = text.indexOf(UNRELEASED);
  if (at < 0) throw new Error(`CHANGELOG.md has no "${UNRELEASED}"`);
  const start = at + UNRELEASED.length;
  const end = text.indexOf('\n## ', start) < 0 ? text.length : text.indexOf('\n## ', start) + 1;
  const notes = text.slice(start, end).trim();
  const section = `## ${version} (${date})\n\n${notes === '' ? '' : `${notes}\n\n`}${list}`;
  return `${text.slice(0, start)}\n\n${section}${end < text.length ? `\n${text.slice(end)}` : ''}`;
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 });

/** The tag of the release before this commit; null: there was none. */
function lastRelease(): string | null {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*', 'HEAD^').trim();
  } catch {
    return null;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const text = readFileSync(file, 'utf8');
  if (process.argv.includes('--notes')) {
    const section = sectionOf(text, version);
    if (section === null)
      process.stderr.write(`CHANGELOG.md has no section ${version}: npm run changelog -- --write\n`);
    else process.stdout.write(`${section}\n`);
    process.exitCode = section === null ? 1 : 0;
  } else {
    const since = lastRelease();
    const range = since === null ? 'HEAD' : `${since}..HEAD`;
    const commits = commitList(git('log', '--no-merges', '--format=%s', range).trim().split('\n'));
    const [date = ''] = git('log', '-1', '--format=%cI').split('T');
    if (process.argv.includes('--write')) writeFileSync(file, released(text, { version, date, commits }));
    else process.stdout.write(`${commits}\n`);
  }
}
