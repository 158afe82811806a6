import { withEither } from '../../../base/with-either.ts';
import { type Json, linkOf, normalizeId } from '../../sources/redfish/format.ts';
import type { ResourceTree, TreeProblems } from '../../sources/redfish/resource-tree.ts';
import type { Controller } from './controller.ts';
import { isExpanded } from './followed-links.ts';
import { type LogPages, logPages } from './log-pages.ts';
import { createdMs } from './log-times.ts';
import { isOfResource } from './why-not.ts';

const MOST_LOGS = 64;
/** Total size of all logs, as sent. */
const MOST_BYTES = 64 * 1024 * 1024;

interface Log {
  /** By path, in log order. */
  entries: Map<string, Json>;
  etag: string;
  bytes: number;
}

/** Log entries of a controller; each is requested once, of long logs only the newest. */
export class Logs {
  private readonly controller: Controller;
  private readonly most: number;
  private readonly remark: (text: string) => void;
  private readonly logs = new Map<string, Log>();

  constructor(controller: Controller, most: number, remark: (text: string) => void) {
    this.controller = controller;
    this.most = most;
    this.remark = remark;
  }

  /** @param logs paths of the entries. @throws what the controller throws if it does not respond */
  async read(logs: readonly string[], signal: AbortSignal): Promise<void> {
    if (this.most === 0) return;
    if (logs.length > MOST_LOGS) this.remark(`of ${logs.length} logs the first ${MOST_LOGS} are read`);
    for (const link of logs.slice(0, MOST_LOGS)) {
      const path = this.controller.own(link);
      if (path === undefined) continue;
      try {
        await this.readLog(path, signal);
      } catch (error) {
        if (!isOfResource(error)) throw error;
        this.remark(`the log ${normalizeId(link)} could not be read: ${(error as Error).message}`);
      }
    }
  }

  private async readLog(path: string, signal: AbortSignal): Promise<void> {
    const known = this.logs.get(path);
    const first = await this.controller.get(path, signal, known?.etag);
    if (!first.doc) return;
    const others = [...this.logs].reduce((sum, [one, { bytes }]) => sum + (one === path ? 0 : bytes), 0);
    const wanted = { most: this.most, bytes: Math.max(0, MOST_BYTES - others) };
    const pages = await logPages(this.controller, path, { first, wanted, signal });
    if (pages.isCut)
      this.remark(
        `${normalizeId(path)} has more than the ${pages.members.length} entries that were read, ${pages.total} or more: some may be newer`,
      );
    const newestEntries = await this.newest(path, pages, known, signal);
    // An ETag covers the whole log only if the log has one page.
    const etag = pages.isOnePage ? first.etag : '';
    this.logs.set(path, { entries: new Map(newestEntries.map((doc) => [linkOf(doc), doc])), etag, bytes: pages.bytes });
  }

  private async newest(
    path: string,
    { members, total, isCut }: LogPages,
    known: Log | undefined,
    signal: AbortSignal,
  ): Promise<readonly Json[]> {
    const full = members.filter(isExpanded);
    if (total > this.most && !isCut)
      this.remark(`of ${total} entries of ${normalizeId(path)} the newest ${this.most} are read`);
    if (full.length === members.length)
      return [...full].sort((a, b) => createdMs(b) - createdMs(a)).slice(0, this.most);
    // A shorter log was cleared: its numbering restarts.
    const before = known && members.length >= known.entries.size ? known.entries : new Map<string, Json>();
    const stop = new AbortController();
    return await withEither([signal, stop.signal], async (going) => {
      const get = async (member: Json | undefined): Promise<Json | undefined> => {
        const link = linkOf(member);
        const entry = this.controller.own(link);
        if (entry === undefined) return undefined;
        return before.get(link) ?? (await this.controller.get(entry, going)).doc;
      };
      const wanted = members.length > this.most ? await this.newestOf(members, get) : members;
      const entries = await Promise.all(
        wanted.map((member) =>
          get(member).catch((error: unknown) => {
            if (isOfResource(error)) return undefined;
            // Stop the others: else an unresponsive controller would be polled for each of a thousand entries.
            stop.abort();
            throw error;
          }),
        ),
      );
      return entries.filter((entry) => entry !== undefined);
    });
  }

  /** Some logs start with the newest entry, some end with it. */
  private async newestOf(
    members: readonly Json[],
    get: (member: Json | undefined) => Promise<Json | undefined>,
  ): Promise<readonly Json[]> {
    const [first, last] = [await get(members[0]), await get(members.at(-1))];
    const isNewestFirst = createdMs(first ?? {}) > createdMs(last ?? {});
    return isNewestFirst ? members.slice(0, this.most) : members.slice(-this.most);
  }

  /** @param isKnown whether the event stream already delivered an entry */
  addTo(tree: ResourceTree, problems: TreeProblems, isKnown: (entry: Json) => boolean): void {
    for (const [path, { entries }] of this.logs)
      for (const entry of entries.values()) if (!isKnown(entry)) tree.addDocument(entry, { path }, problems);
  }
}
