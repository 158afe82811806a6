import type { CallContext, Parsed } from '../../../model/contract/index.ts';
import type { TraceCost } from '../../../model/incident/cost.ts';
import type { Session } from '../../../model/storage/engine.ts';
import { affectedGpus } from '../../analysis/costs/affected-gpus.ts';
import { parseRates, type Rates } from '../../analysis/costs/rates.ts';
import { type TracedService, traceCost } from '../../analysis/costs/trace-cost.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { readStoredRates } from '../../store/case-file/stored-rates.ts';
import { listText } from '../../store/list-text.ts';
import { queries } from '../../store/queries/index.ts';
import { readGpuWorld } from '../gpus/gpu-world.ts';
import type { Workspace } from '../workspace.ts';
import { padded } from './trace-group-rows.ts';

export const traceCostHandlers = (workspace: Workspace) => ({
  'trace.cost': async ({ trace_id, rates }: Parsed<'trace.cost'>, { signal }: CallContext): Promise<TraceCost> =>
    workspace.required().withSession(async (session) => {
      const text = rates ?? (await readStoredRates(session))?.text ?? null;
      return readTraceCost(session, padded(trace_id), { rates: text === null ? null : parseRates(text), signal });
    }),
});

interface ServiceRow {
  /** Canonical entity. */
  readonly service: number;
  readonly name: string;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
}

interface RequestRow {
  readonly service: number;
  readonly requests: number;
  readonly duration_s: number;
  readonly part_s: number;
  readonly longest: string;
}

/** GPU time of a trace, per service at the time of its own spans. */
export async function readTraceCost(
  session: Session,
  trace_id: string,
  { rates, signal }: { readonly rates: Rates | null; readonly signal?: AbortSignal | undefined },
): Promise<TraceCost> {
  const rows = rowsOf<ServiceRow>(await session.query(queries.traceServices, [trace_id], signal));
  if (rows.length === 0) return traceCost([], rates);
  const from_ns = rows.reduce((first, { start_ns }) => (start_ns < first ? start_ns : first), rows[0]?.start_ns ?? 0n);
  const until_ns = rows.reduce((last, { end_ns }) => (end_ns > last ? end_ns : last), from_ns);
  const services = listText(rows.map(({ service }) => service));
  const parts = rowsOf<RequestRow>(
    await session.query(queries.traceRequests, [from_ns, until_ns, services, trace_id], signal),
  );
  const world = await readGpuWorld(session);
  const traced = parts.flatMap(({ service, longest, ...part }): TracedService[] => {
    const row = rows.find((one) => one.service === service);
    if (!row) return [];
    return [
      {
        service: row.name,
        gpus: affectedGpus(world, row)(row.name),
        ...part,
        tokens: tokensOf(row),
        refs: [`span:${trace_id}/${longest}`],
      },
    ];
  });
  return traceCost(traced, rates);
}

const tokensOf = ({ input_tokens: input, output_tokens: output }: ServiceRow): TracedService['tokens'] =>
  input === null && output === null ? null : { input, output };
