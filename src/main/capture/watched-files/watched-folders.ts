import { realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fail } from '../../../model/problem.ts';
import type { Feed, FeedCheck, FeedSink } from '../../../model/storage/feed.ts';
import { isSystemError, withCode } from './folder.ts';

const PREFIX = 'watch:';

/** Whether a value of a plan refers to a folder that the investigator offered. */
export const isWatchReference = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith(PREFIX);

/**
 * Folders that the investigator chose outside of any page: on the command line, or in a dialog of the system. Plans of a window
 * refer to them as `watch:NAME`, and never learn where they are.
 */
export class WatchedFolders {
  private readonly paths = new Map<string, string>();

  /** @returns the reference @throws ProblemError folder.not_watched */
  async add(path: string): Promise<string> {
    const real = await folderAt(path);
    for (const [reference, known] of this.paths) if (known === real) return reference;
    const name = basename(real).replaceAll(/\s+/g, '-');
    let reference = PREFIX + name;
    for (let count = 2; this.paths.has(reference); count++) reference = `${PREFIX}${name}-${count}`;
    this.paths.set(reference, real);
    return reference;
  }

  /** As plans name them. */
  get references(): readonly string[] {
    return [...this.paths.keys()];
  }

  /** undefined: nobody offered it. */
  pathOf(reference: string): string | undefined {
    return this.paths.get(reference);
  }

  /** The same text, with references for the folders. */
  concealed(text: string): string {
    let shown = text;
    // A folder within another one first.
    const all = [...this.paths].sort(([, a], [, b]) => b.length - a.length);
    for (const [reference, path] of all) shown = shown.replaceAll(path, reference);
    return shown;
  }

  /** The same feed; its states name no place. */
  concealedFeed(feed: Feed): Feed {
    const about = (): string => this.concealed(feed.about);
    const run: Feed['run'] = (sink, signal) => feed.run(this.concealedSink(sink), signal);
    // A receiver knows its address once it listens.
    return Object.defineProperty({ ...feed, run }, 'about', { get: about, enumerable: true });
  }

  concealedCheck(check: FeedCheck): FeedCheck {
    return { ...check, detail: this.concealed(check.detail) };
  }

  private concealedSink(sink: FeedSink): FeedSink {
    return {
      take: (batches) => sink.take(batches),
      missed: (late_ms) => sink.missed?.(late_ms),
      reportState: (state, reason, silent_ms) => sink.reportState(state, this.concealed(reason), silent_ms),
      lost: (records, reason) => sink.lost(records, this.concealed(reason)),
    };
  }
}

async function folderAt(path: string): Promise<string> {
  const name = basename(path) || path;
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory() && dirname(real) !== real) return real;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return fail('folder.not_watched', `${name} cannot be watched: ${withCode(error)}`);
  }
  return fail('folder.not_watched', `${name} cannot be watched: it is no folder below the root`);
}
