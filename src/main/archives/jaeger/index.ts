import { z } from 'zod';
import { fail } from '../../../model/problem.ts';
import type { TimeWindow } from '../../../model/storage/archive.ts';
import { passed } from '../../capture/connection-checks.ts';
import type { ArchiveKind, KindQuery } from '../archive-kind.ts';
import { httpPlan } from '../connection-plan.ts';
import type { ArchiveClient, Members } from '../http/archive-client.ts';
import { httpLogin } from '../http/login.ts';

const MICROSECOND = 1000n;

const planSchema = httpPlan(
  'jaeger',
  {
    slice_s: z.number().min(1).max(86_400).default(300).describe('longest slice, in seconds'),
    most_traces: z
      .number()
      .int()
      .min(2)
      .max(100_000)
      .default(1000)
      .describe('traces of one answer, at most the limit of the server; a slice with more is cut'),
  },
  {
    title: 'Jaeger',
    description: 'traces of servers with the query API of Jaeger: Jaeger, VictoriaTraces (address with /select/jaeger)',
  },
);

type JaegerPlan = z.output<typeof planSchema>;

/** The query API of Jaeger and its UI (https://www.jaegertracing.io/docs/latest/architecture/apis/). */
export const jaegerArchive: ArchiveKind<typeof planSchema> = {
  kind: 'jaeger',
  plan: planSchema,
  login: httpLogin,
  queries: async ({ plan, client, selection: { services, where }, signal }) => {
    const names = services.length > 0 ? services : await allServices(client, signal);
    return names.map(
      (service): KindQuery => ({
        text: where === null ? service : `${service} ${where}`,
        format: 'jaeger-json',
        grain_ns: MICROSECOND,
        documents: (window, ended) => traces(client, plan, { service, tags: where }, window, ended),
      }),
    );
  },
  probe: async (client, _plan, signal) => {
    const names = await allServices(client, signal);
    return passed('values', `${names.length} services`);
  },
};

/** Of answers; a server without any answers null. */
const isList = ({ data, errors }: Members): boolean =>
  (Array.isArray(data) || data === null) && (!Array.isArray(errors) || errors.length === 0);

async function allServices(client: ArchiveClient, signal: AbortSignal): Promise<string[]> {
  const { members } = await client.json({ path: '/api/services' }, isList, signal);
  const { data } = members;
  return (Array.isArray(data) ? data : []).filter((name): name is string => typeof name === 'string').toSorted();
}

/** Whole traces with a span of the service in the window: those of two services, or slices, come twice and are stored once. */
async function* traces(
  client: ArchiveClient,
  { most_traces }: JaegerPlan,
  { service, tags }: { readonly service: string; readonly tags: string | null },
  { from_ns, until_ns }: TimeWindow,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const range = { start: String(from_ns / MICROSECOND), end: String(until_ns / MICROSECOND - 1n) };
  const query = { service, ...range, limit: String(most_traces), ...(tags !== null && { tags }) };
  const { body, members } = await client.json({ path: '/api/traces', query }, isList, signal);
  const found = Array.isArray(members['data']) ? members['data'].length : 0;
  if (found >= most_traces) fail('archive.slice_too_large', `an answer has ${found} traces or more`);
  yield body;
}
