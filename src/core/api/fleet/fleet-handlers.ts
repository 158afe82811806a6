import { onAbort } from '../../../base/on-abort.ts';
import type { CallContext, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import { nanoseconds } from '../../../model/time.ts';
import { fleetImpacts } from '../../fleet/fleet-impacts.ts';
import { fleetLogs } from '../../fleet/fleet-logs.ts';
import { fleetTrace, searchFleet } from '../../fleet/fleet-traces.ts';
import type { FleetQuestion } from '../../fleet/question.ts';
import { templatesOf } from '../logs/logs.ts';
import { archivesOf } from '../pulls/pull-handlers.ts';
import type { Workspace } from '../workspace.ts';

/** Questions to archives in place. */
export function fleetHandlers(workspace: Workspace) {
  return {
    'fleet.impacts': async (input: Parsed<'fleet.impacts'>, context: CallContext) => {
      const { impacts, ...about } = await asked(workspace, input, context, (question) =>
        fleetImpacts(question, input.parts),
      );
      return { ...about, impacts: impacts.map((one) => ({ ...one, parts: [...one.parts] })) };
    },
    'fleet.traces': (input: Parsed<'fleet.traces'>, context: CallContext) =>
      asked(workspace, input, context, (question) => searchFleet(question, input)),
    'fleet.trace': (input: Parsed<'fleet.trace'>, context: CallContext) =>
      asked(workspace, input, context, (question) => fleetTrace(question, input.trace_id)),
    'fleet.logs': (input: Parsed<'fleet.logs'>, context: CallContext) =>
      asked(workspace, input, context, async (question) => {
        const { from_ns: start_ns, until_ns: end_ns } = question.window;
        const window = { from_ns: start_ns - nanoseconds(input.before_s), until_ns: end_ns };
        const { index, services } = await fleetLogs({ ...question, window });
        const senders = {
          entityOf: (resource: number) => (services[resource] ? `service:${services[resource]}` : null),
        };
        return templatesOf(index, {
          start_ns,
          end_ns,
          since_ns: null,
          buckets: input.buckets,
          selected: null,
          senders,
        });
      }),
  };
}

type Question = Pick<Parsed<'fleet.impacts'>, 'plan' | 'from_ns' | 'until_ns' | 'services'>;

/** @throws ProblemError fleet.no_store, fleet.empty_window, and those of the plan */
async function asked<T>(
  workspace: Workspace,
  { plan, from_ns, until_ns, services }: Question,
  context: CallContext,
  answer: (question: FleetQuestion) => Promise<T>,
): Promise<T> {
  if (from_ns >= until_ns) fail('fleet.empty_window', 'the time ends before it begins');
  const { fleet, kind } = await (await archivesOf(workspace)).open(plan);
  if (!fleet)
    return fail('fleet.no_store', `an archive of kind ${kind} cannot be asked in place`, {
      hint: 'clickhouse can; pull from others',
    });
  const cancel = new AbortController();
  onAbort(context.signal, () => cancel.abort(new Error('cancelled')));
  return answer({ store: fleet, window: { from_ns, until_ns }, services, signal: cancel.signal });
}
