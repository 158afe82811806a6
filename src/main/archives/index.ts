import { fail, ProblemError } from '../../model/problem.ts';
import type { Archive, ArchiveQuery, Archives, PullEstimate } from '../../model/storage/archive.ts';
import { formOfPlan } from '../capture/plan/plan-form.ts';
import { reachOf } from '../capture/plan/reach.ts';
import { SecretHosts } from '../capture/plan/secret-hosts.ts';
import type { AnyArchiveKind, DocumentQuery, FileQuery } from './archive-kind.ts';
import { type CheckedArchive, checkedArchive, readArchive } from './archive-plan.ts';
import { bucketArchive } from './bucket/index.ts';
import { clickhouseArchive } from './clickhouse/index.ts';
import { clickhouseSchema } from './clickhouse/schema.ts';
import type { ConnectionPlan, LoginPlan } from './connection-plan.ts';
import { elasticsearchArchive } from './elasticsearch/index.ts';
import { ArchiveClient } from './http/archive-client.ts';
import { jaegerArchive } from './jaeger/index.ts';
import { lokiArchive } from './loki/index.ts';
import { prometheusArchive } from './prometheus/index.ts';
import { sliceFiles } from './slice-files.ts';
import { tempoArchive } from './tempo/index.ts';
import { testArchive } from './test-archive.ts';

/** The one list of archives. */
const kinds = [
  bucketArchive,
  clickhouseArchive,
  elasticsearchArchive,
  jaegerArchive,
  lokiArchive,
  prometheusArchive,
  tempoArchive,
] as unknown as readonly AnyArchiveKind[];

/**
 * Archives of plans.
 *
 * @param mayNameFiles true for plans from the command line, false for plans from a window
 * @param secretHosts which secrets a window's plan may send to which hosts
 */
export function createArchives(mayNameFiles: boolean, secretHosts = new SecretHosts(null, null)): Archives {
  return {
    get kinds() {
      return kinds.map((kind) => formOfPlan(kind));
    },
    schema: (kind, options) => {
      if (kind === clickhouseArchive.kind) return clickhouseSchema(options);
      return fail('archive.no_schema', `Faultline has no tables for "${kind}"`, { hint: 'it has some for clickhouse' });
    },
    read: (plan) => readArchive(kinds, plan, !mayNameFiles),
    open: async (plan) => {
      const archive = checkedArchive(kinds, plan, !mayNameFiles);
      if (!mayNameFiles) await secretHosts.allow(reachOf(archive.kind, archive.plan));
      return opened(archive);
    },
  };
}

const inNanos = (seconds: number): bigint => BigInt(Math.round(seconds * 1000)) * 1_000_000n;

function opened({ kind, plan }: CheckedArchive): Archive {
  const client = new ArchiveClient(plan, kind.login(plan));
  return {
    kind: kind.kind,
    address: client.base,
    parallel: plan.parallel,
    lag_ns: inNanos(plan.lag_s),
    queries: async (selection, window, signal) => {
      const queries = await kind.queries({ plan, client, selection, window, signal });
      return queries.map((query) => ('extent' in query ? fileQuery(query) : documentQuery(query, plan)));
    },
    test: (signal) => testArchive({ kind, plan }, signal),
    fleet: kind.fleet?.(client, plan) ?? null,
    repeats: () => ({ count: client.repeats, reason: client.lastReason }),
  };
}

const UNKNOWN: PullEstimate = { rows: null, bytes: null };

/** The window may be too large to be counted at once, and not in slices. */
function unknownSize(error: unknown): PullEstimate {
  const tooMuch = ['archive.slice_too_large', 'archive.too_slow'];
  if (error instanceof ProblemError && tooMuch.includes(error.problem.code)) return UNKNOWN;
  throw error;
}

const MOST_DOCUMENT_BYTES = 1024 ** 3;

function documentQuery(query: DocumentQuery, plan: ConnectionPlan): ArchiveQuery {
  const allowed = inNanos(plan.slice_s);
  const { format, grain_ns, longest_ns = allowed } = query;
  // What a case knows it has: another tenant answers the same question with other records.
  const { tenant } = plan as Partial<LoginPlan>;
  const text = tenant ? `${query.text} of tenant ${tenant}` : query.text;
  return {
    text,
    format,
    grain_ns,
    longest_ns: longest_ns < allowed ? longest_ns : allowed,
    ...(query.most && { most: query.most }),
    name: null,
    extent: null,
    estimate: async (window, signal) => (await query.estimate?.(window, signal).catch(unknownSize)) ?? UNKNOWN,
    fetch: (window, signal) => {
      const documents = query.documents(window, signal);
      return sliceFiles([{ path: text, captured_ns: window.until_ns, documents }], MOST_DOCUMENT_BYTES);
    },
  };
}

const fileQuery = ({ text, format, grain_ns, name, extent, estimate, files }: FileQuery): ArchiveQuery => ({
  text,
  format,
  grain_ns,
  longest_ns: extent.until_ns - extent.from_ns,
  name,
  extent,
  estimate: async (window, signal) => (await estimate?.(window, signal)) ?? UNKNOWN,
  // They are as large as the archive stated, which the plan showed and every part is compared with.
  fetch: (window, signal) => sliceFiles(files(window, signal), Number.POSITIVE_INFINITY),
});
