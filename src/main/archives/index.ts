import { ProblemError } from '../../model/problem.ts';
import type { Archive, ArchiveQuery, Archives, PullEstimate } from '../../model/storage/archive.ts';
import { formOfPlan } from '../capture/plan/plan-form.ts';
import { reachOf } from '../capture/plan/reach.ts';
import { SecretHosts } from '../capture/plan/secret-hosts.ts';
import type { AnyArchiveKind, KindQuery } from './archive-kind.ts';
import { type CheckedArchive, checkedArchive } from './archive-plan.ts';
import { clickhouseArchive } from './clickhouse/index.ts';
import type { ConnectionPlan } from './connection-plan.ts';
import { elasticsearchArchive } from './elasticsearch/index.ts';
import { ArchiveClient } from './http/archive-client.ts';
import { jaegerArchive } from './jaeger/index.ts';
import { lokiArchive } from './loki/index.ts';
import { prometheusArchive } from './prometheus/index.ts';
import { sliceFile } from './slice-file.ts';
import { tempoArchive } from './tempo/index.ts';
import { testArchive } from './test-archive.ts';

/** The one list of archives. */
const kinds = [
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
      return kinds.map(formOfPlan);
    },
    open: async (plan) => {
      const archive = checkedArchive(kinds, plan, !mayNameFiles);
      if (!mayNameFiles) await secretHosts.allow(reachOf(archive.kind, archive.plan));
      return opened(archive);
    },
  };
}

const inNanos = (seconds: number): bigint => BigInt(Math.round(seconds * 1000)) * 1_000_000n;

function opened({ kind, plan }: CheckedArchive): Archive {
  const client = new ArchiveClient(plan);
  return {
    kind: kind.kind,
    address: client.base,
    parallel: plan.parallel,
    lag_ns: inNanos(plan.lag_s),
    queries: async (selection, window, signal) => {
      const queries = await kind.queries({ plan, client, selection, window, signal });
      return queries.map((query) => withFiles(query, plan));
    },
    test: (signal) => testArchive({ kind, plan }, signal),
    repeats: () => ({ count: client.repeats, reason: client.lastReason }),
  };
}

const UNKNOWN: PullEstimate = { rows: null, bytes: null };

/** The window may be too large to be counted at once, and not in slices. */
function unknownSize(error: unknown): PullEstimate {
  if (error instanceof ProblemError && error.problem.code === 'archive.slice_too_large') return UNKNOWN;
  throw error;
}

function withFiles(query: KindQuery, plan: ConnectionPlan): ArchiveQuery {
  const allowed = inNanos(plan.slice_s);
  const { format, grain_ns, longest_ns = allowed } = query;
  // What a case knows it has: another tenant answers the same question with other records.
  const text = plan.tenant === null ? query.text : `${query.text} of tenant ${plan.tenant}`;
  return {
    text,
    format,
    grain_ns,
    longest_ns: longest_ns < allowed ? longest_ns : allowed,
    estimate: async (window, signal) => (await query.estimate?.(window, signal).catch(unknownSize)) ?? UNKNOWN,
    fetch: (window, signal) => sliceFile(text, window.until_ns, query.documents(window, signal)),
  };
}
