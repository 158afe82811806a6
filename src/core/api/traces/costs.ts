import type { ServingCosts } from '../../../model/contract/costs.ts';
import type { CallContext, Parsed } from '../../../model/contract/index.ts';
import { firstNumber } from '../../../model/storage/engine.ts';
import { affectedGpus } from '../../analysis/costs/affected-gpus.ts';
import { parseRates } from '../../analysis/costs/rates.ts';
import { type RequestShare, servingOf, shareCost } from '../../analysis/costs/serving-cost.ts';
import { rowsOf } from '../../store/case-file/case-file.ts';
import { readStoredRates } from '../../store/case-file/stored-rates.ts';
import { queries } from '../../store/queries/index.ts';
import { readGpuWorld } from '../gpus/gpu-world.ts';
import type { Workspace } from '../workspace.ts';

/** As in request-shares.sql. */
const MOST_LINES = 5000;

export const costsHandlers = (workspace: Workspace) => ({
  'costs.list': async (
    { start_ns, end_ns: asked_ns, rates: given }: Parsed<'costs.list'>,
    { signal }: CallContext,
  ): Promise<ServingCosts> =>
    workspace.required().withSession(async (session) => {
      const text = given ?? (await readStoredRates(session))?.text ?? null;
      const rates = text === null ? null : parseRates(text);
      const [until] = rowsOf<{ end_ns: bigint | null }>(await session.query(queries.windowEnd, [asked_ns], signal));
      const end_ns = until?.end_ns ?? asked_ns;
      const shares = rowsOf<RequestShare>(await session.query(queries.requestShares, [start_ns, end_ns], signal));
      const gpusOf = affectedGpus(await readGpuWorld(session), { start_ns, end_ns });
      const window_s = firstNumber(await session.query(queries.recordedSeconds, [start_ns, end_ns], signal));
      const services = shares
        .filter(({ dimension }) => dimension === 'service')
        .map(({ service, part_s }) => servingOf(service, { busy_s: part_s, window_s }, gpusOf(service), rates))
        .sort((a, b) => b.gpus + b.shared_gpus - (a.gpus + a.shared_gpus));
      const served = new Set(services.filter(({ gap }) => gap !== 'no_gpus').map(({ service }) => service));
      return {
        currency: rates?.currency ?? 'USD',
        window_s,
        services,
        lines: shares
          .filter(({ service }) => served.has(service))
          .map((share) => shareCost(share, gpusOf(share.service), rates)),
        truncated: shares.length >= MOST_LINES,
      };
    }),
});
