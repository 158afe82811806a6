import { ProblemError } from '../../../model/problem.ts';
import type { ArchiveClient, Members } from '../http/archive-client.ts';

/** Longest time between two pages. */
const KEPT_FOR = '5m';
const CLOSING_MS = 5000;

/** A state of an index that stays the same from page to page. The two products ask for it in different ways. */
export class PointInTime {
  /** A field that no two documents have in common: what pages are continued by within equal times. */
  readonly tiebreaker: string;
  readonly reference: { readonly id: string; readonly keep_alive: string };
  private readonly client: ArchiveClient;
  readonly isOpenSearch: boolean;

  private constructor(client: ArchiveClient, id: string, isOpenSearch: boolean) {
    this.client = client;
    this.isOpenSearch = isOpenSearch;
    this.tiebreaker = isOpenSearch ? '_id' : '_shard_doc';
    this.reference = { id, keep_alive: KEPT_FOR };
  }

  /** @throws ProblemError archive.* */
  static async open(client: ArchiveClient, index: string, signal: AbortSignal): Promise<PointInTime> {
    const { members: root } = await client.json({ path: '/' }, ({ version }) => typeof version === 'object', signal);
    const isOpenSearch = (root['version'] as Members | null)?.['distribution'] === 'opensearch';
    const name = isOpenSearch ? 'pit_id' : 'id';
    const path = isOpenSearch ? `/${index}/_search/point_in_time` : `/${index}/_pit`;
    const query = { keep_alive: KEPT_FOR, ...(isOpenSearch && { allow_partial_pit_creation: 'false' }) };
    const isPoint = (answer: Members) =>
      typeof answer[name] === 'string' && Number((answer['_shards'] as Members | undefined)?.['failed'] ?? 0) === 0;
    const { members } = await client.json({ path, method: 'POST', query }, isPoint, signal);
    return new PointInTime(client, String(members[name]), isOpenSearch);
  }

  /** One that cannot be closed ends by itself. */
  async close(): Promise<void> {
    const { id } = this.reference;
    const request = this.isOpenSearch
      ? { path: '/_search/point_in_time', json: { pit_id: [id] } }
      : { path: '/_pit', json: { id } };
    const patience = AbortSignal.timeout(CLOSING_MS);
    try {
      await this.client.json({ ...request, method: 'DELETE' }, () => true, patience);
    } catch (error) {
      if (!(error instanceof ProblemError) && !patience.aborted) throw error;
    }
  }
}
