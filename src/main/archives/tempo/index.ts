import { z } from 'zod';
import { fail } from '../../../model/problem.ts';
import type { TimeWindow } from '../../../model/storage/archive.ts';
import { passed } from '../../capture/connection-checks.ts';
import type { ArchiveKind, KindQuery } from '../archive-kind.ts';
import { httpPlan } from '../connection-plan.ts';
import type { ArchiveClient, Members } from '../http/archive-client.ts';
import { httpLogin } from '../http/login.ts';

const SECOND = 1_000_000_000n;

const planSchema = httpPlan(
  'tempo',
  {
    slice_s: z.number().min(1).max(86_400).default(300).describe('longest slice, in seconds'),
    most_traces: z
      .number()
      .int()
      .min(2)
      .max(100_000)
      .default(1000)
      .describe('traces of one search, at most the limit of the server; a slice with more is cut'),
  },
  { title: 'Tempo', description: 'traces of servers with the HTTP API of Tempo' },
);

type TempoPlan = z.output<typeof planSchema>;

/** Tempo (https://grafana.com/docs/tempo/latest/api_docs/). */
export const tempoArchive: ArchiveKind<typeof planSchema> = {
  kind: 'tempo',
  plan: planSchema,
  login: httpLogin,
  queries: async ({ plan, client, selection: { services, where } }): Promise<KindQuery[]> => {
    const text = searchOf(services, where);
    return [
      {
        text,
        format: 'otlp-json',
        grain_ns: SECOND,
        documents: (window, signal) => traces(client, plan, text, window, signal),
      },
    ];
  },
  probe: async (client, _plan, signal) => {
    const isAnswer = ({ traces: found }: Members) => Array.isArray(found) || found === undefined;
    await client.json({ path: '/api/search', query: { q: '{}', limit: '1' } }, isAnswer, signal);
    return passed('values', 'it answers searches');
  },
};

/** TraceQL; the condition is one of its own (`{ status = error }`), or the inner part of one. */
function searchOf(services: readonly string[], where: string | null): string {
  const ofService = services.map((name) => `resource.service.name = ${JSON.stringify(name)}`).join(' || ');
  const search = where === null ? '{}' : where.trim().startsWith('{') ? where.trim() : `{ ${where.trim()} }`;
  if (ofService === '') return search;
  return search === '{}' ? `{ ${ofService} }` : `{ ${ofService} } && (${search})`;
}

const tooLarge = /exceed(?:s|ed|ing)\b|too (?:many|large)/i;

/** Whole traces of which a part lies in the window: one of two slices comes twice, and its spans are stored once. */
async function* traces(
  client: ArchiveClient,
  { most_traces }: TempoPlan,
  q: string,
  { from_ns, until_ns }: TimeWindow,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const range = { start: String(from_ns / SECOND), end: String(until_ns / SECOND) };
  const query = { q, ...range, limit: String(most_traces), spss: '1' };
  const { members } = await client.json({ path: '/api/search', query, tooLarge }, isSearch, signal);
  const ids = idsOf(members);
  if (ids.length >= most_traces) fail('archive.slice_too_large', `a search found ${ids.length} traces or more`);
  if (ids.length === 0) yield Buffer.from('{"batches":[]}\n');
  for (const id of ids) {
    const { body } = await client.json({ path: `/api/traces/${id}` }, isTrace, signal);
    yield body;
    yield Buffer.from('\n');
  }
}

const isSearch = ({ traces: found }: Members): boolean =>
  found === undefined || found === null || (Array.isArray(found) && found.every((one) => idOf(one) !== undefined));

const isTrace = ({ batches, resourceSpans }: Members): boolean => Array.isArray(batches ?? resourceSpans);

const idOf = (trace: unknown): string | undefined => {
  const { traceID } = (trace ?? {}) as { readonly traceID?: unknown };
  return typeof traceID === 'string' && /^[\da-fA-F]{1,32}$/.test(traceID) ? traceID : undefined;
};

const idsOf = ({ traces: found }: Members): string[] =>
  Array.isArray(found) ? [...new Set(found.flatMap((one) => idOf(one) ?? []))] : [];
