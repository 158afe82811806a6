import { onAbort } from '../../../base/on-abort.ts';
import type { CallContext, FleetHeatEvent, Output, Parsed } from '../../../model/contract/index.ts';
import { fail } from '../../../model/problem.ts';
import type { FleetStore } from '../../../model/storage/fleet-store.ts';
import { nanoseconds } from '../../../model/time.ts';
import { fleetHeat } from '../../fleet/fleet-heat.ts';
import { type FleetImpact, fleetImpacts, measureImpacts } from '../../fleet/fleet-impacts.ts';
import { type CaseConclusions, fleetIncident } from '../../fleet/fleet-incident.ts';
import { fleetLogs } from '../../fleet/fleet-logs.ts';
import { fleetMetric, fleetTrace, searchFleet } from '../../fleet/fleet-traces.ts';
import { pushCase } from '../../fleet/push-case.ts';
import type { FleetQuestion } from '../../fleet/question.ts';
import { type SimilarIncident, similarIncidents } from '../../fleet/similar-incidents.ts';
import { readAnnotations } from '../../store/case-file/annotations.ts';
import { unknownIncident } from '../incidents/incident-view.ts';
import { listIncidents } from '../incidents/investigation.ts';
import { templatesOf } from '../logs/logs.ts';
import { archivesOf } from '../pulls/pull-handlers.ts';
import type { Workspace } from '../workspace.ts';
import { fleetEvents } from './fleet-events.ts';
import { fleetGpus } from './fleet-gpus.ts';

/** Questions to archives in place. */
export function fleetHandlers(workspace: Workspace) {
  return {
    'fleet.impacts': async (input: Parsed<'fleet.impacts'>, context: CallContext) => {
      const { impacts, ...about } = await asked(workspace, input, context, (question) =>
        fleetImpacts(question, input.parts),
      );
      return { ...about, impacts: impacts.map(impactView) };
    },
    'fleet.heat': async function* (
      { buckets, rows: most, ...input }: Parsed<'fleet.heat'>,
      context: CallContext,
    ): AsyncGenerator<FleetHeatEvent> {
      const question = await questionOf(workspace, input, context);
      const asking = measureImpacts(question, false);
      let step = await asking.next();
      for (; !step.done; step = await asking.next()) yield { kind: 'progress', ...step.value };
      const { impacts, services, requests } = step.value;
      const { rows, values } = fleetHeat(step.value, question.window, { buckets, most });
      yield { kind: 'heat', impacts: impacts.map(impactView), services, requests, rows: [...rows], values };
    },
    'fleet.traces': (input: Parsed<'fleet.traces'>, context: CallContext) =>
      asked(workspace, input, context, (question) => searchFleet(question, input)),
    'fleet.metric': (input: Parsed<'fleet.metric'>, context: CallContext) =>
      asked(workspace, input, context, (question) => fleetMetric(question, input)),
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
    'fleet.events': async (
      { at_ns, around_s, limit, ...input }: Parsed<'fleet.events'>,
      context: CallContext,
    ): Promise<Output<'fleet.events'>> => {
      const around_ns = nanoseconds(around_s);
      const window = { from_ns: at_ns - around_ns, until_ns: at_ns + around_ns + 1n };
      const question = await questionOf(workspace, { ...input, ...window }, context);
      return fleetEvents(workspace, question, { at_ns, limit });
    },
    'fleet.gpus': async ({ buckets, ...input }: Parsed<'fleet.gpus'>, context: CallContext) =>
      fleetGpus(workspace, await questionOf(workspace, input, context), buckets),
    'fleet.push': ({ plan }: Parsed<'fleet.push'>, context: CallContext) => push(workspace, plan, context),
    'fleet.similar': (input: Parsed<'fleet.similar'>, context: CallContext) => similar(workspace, input, context),
    'fleet.create_tables': async ({ plan, ...days }: Parsed<'fleet.create_tables'>, { signal }: CallContext) => ({
      statements: await (await ownStore(workspace, plan)).createTables(days, cancelledBy(signal)),
    }),
  };
}

const impactView = (one: FleetImpact) => ({ ...one, parts: [...one.parts] });

/** What the open case concludes, for others to know. */
async function conclusionsOf(workspace: Workspace, signal?: AbortSignal): Promise<CaseConclusions> {
  const opened = workspace.required();
  return {
    case: opened.stored.name,
    incidents: await listIncidents(opened),
    findings: (await opened.findings(signal)).map(({ view }) => view),
    annotations: await opened.withSession(readAnnotations),
  };
}

async function push(workspace: Workspace, plan: string, { signal }: CallContext) {
  const fleet = await ownStore(workspace, plan);
  const conclusions = await conclusionsOf(workspace, signal);
  const { first_ns, last_ns } = await workspace.required().info();
  const covered = first_ns === null || last_ns === null ? null : { first_ns, last_ns };
  return pushCase(fleet, conclusions, covered, cancelledBy(signal));
}

/** @throws ProblemError incident.unknown */
async function similar(workspace: Workspace, { plan, incident }: Parsed<'fleet.similar'>, { signal }: CallContext) {
  const fleet = await ownStore(workspace, plan);
  const conclusions = await conclusionsOf(workspace, signal);
  const wanted = conclusions.incidents.filter((view) => incident === null || view.incident.id === incident);
  if (incident !== null && wanted.length === 0) unknownIncident(incident);
  const own = cancelledBy(signal);
  const answers: Output<'fleet.similar'>['incidents'] = [];
  for (const view of wanted) {
    const row = fleetIncident(view, conclusions);
    const past = (await similarIncidents(fleet, row, own)).map(toPast);
    answers.push({
      incident: row.Incident,
      impacted: row.Impacted,
      start_ns: view.onset_earliest_ns,
      cause: row.Cause,
      past,
    });
  }
  return { incidents: answers };
}

const toPast = (one: SimilarIncident): Output<'fleet.similar'>['incidents'][number]['past'][number] => ({
  case: one.Case,
  incident: one.Incident,
  impacted: one.Impacted,
  start_ns: one.start_ns,
  end_ns: one.end_ns,
  times_worse: one.TimesWorse,
  verdict: one.Verdict,
  cause: one.Cause,
  title: one.Title,
  severity: one.Severity,
  owner: one.Owner,
  actions: one.Actions.map((text) => ({ text, done: one.Done.includes(text) })),
  likeness: one.likeness,
  alike: [...one.alike],
});

type Question = Pick<Parsed<'fleet.impacts'>, 'plan' | 'from_ns' | 'until_ns' | 'services' | 'where'>;

const asked = async <T>(
  workspace: Workspace,
  input: Question,
  context: CallContext,
  answer: (question: FleetQuestion) => Promise<T>,
): Promise<T> => answer(await questionOf(workspace, input, context));

/** @throws ProblemError fleet.empty_window, and those of {@link storeOf} */
async function questionOf(
  workspace: Workspace,
  { plan, from_ns, until_ns, services, where }: Question,
  { signal }: CallContext,
): Promise<FleetQuestion> {
  if (from_ns >= until_ns) fail('fleet.empty_window', 'the time ends before it begins');
  const whole = await storeOf(workspace, plan);
  const store = where === null ? whole : whole.where(where);
  return { store, window: { from_ns, until_ns }, services, signal: cancelledBy(signal) };
}

/** @throws ProblemError fleet.no_store, and those of the plan */
async function storeOf(workspace: Workspace, plan: string): Promise<FleetStore> {
  const { fleet, kind } = await (await archivesOf(workspace)).open(plan);
  if (fleet) return fleet;
  return fail('fleet.no_store', `an archive of kind ${kind} cannot be asked in place`, {
    hint: 'clickhouse can; pull from others',
  });
}

/**
 * For what a case states about itself, and for tables: a page that is not ours any more must not send that anywhere.
 *
 * @throws ProblemError fleet.command_line, and those of {@link storeOf}
 */
function ownStore(workspace: Workspace, plan: string): Promise<FleetStore> {
  if (workspace.dependencies.host.kind !== 'cli')
    fail('fleet.command_line', 'an archive is written to by the command line only', { hint: 'faultline push' });
  return storeOf(workspace, plan);
}

function cancelledBy(signal: AbortSignal | undefined): AbortSignal {
  const cancel = new AbortController();
  onAbort(signal, () => cancel.abort(new Error('cancelled')));
  return cancel.signal;
}
