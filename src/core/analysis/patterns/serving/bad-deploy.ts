import type { FindingEvidence } from '../../../../model/incident/finding.ts';
import { nanoseconds } from '../../../../model/time.ts';
import { measurementRef } from '../../impact/measurement-ref.ts';
import type { Measurements } from '../../impact/measurement-table.ts';
import { median } from '../../statistics.ts';
import type { CaseFacts } from '../case-facts.ts';
import { lengthText } from '../finding-text.ts';
import { lacks, type Pattern, type Sign } from '../pattern.ts';
import { servingPatterns } from './parameters.ts';

interface Change {
  readonly service: number;
  readonly time_ns: bigint;
  readonly what: string;
  readonly evidence: FindingEvidence;
}

export const badDeploy: Pattern = {
  id: 'bad-deploy',
  detect: (facts) => changesOf(facts).flatMap((change) => toSign(facts, change) ?? []),
};

/** A new version of a service, and a rollout that Kubernetes reports. */
function changesOf(facts: CaseFacts): Change[] {
  const versions = [...Map.groupBy(facts.rows.versions, ({ service }) => service).values()].flatMap((own) =>
    own.slice(1).map((version, at): Change => {
      const words = `version ${version.version}, after ${own[at]?.version}`;
      return {
        service: version.service,
        time_ns: version.first_ns,
        what: words,
        evidence: { text: `first span of ${words}`, refs: [version.ref] },
      };
    }),
  );
  const deployEvents = facts.of('kubernetes_event').flatMap((event): Change[] => {
    const set = event.details.replica_set;
    const service = set === undefined ? undefined : serviceNamed(facts, event.device_id);
    if (
      service === undefined ||
      versions.some(
        (one) =>
          one.service === service && abs(one.time_ns - event.time_ns) < nanoseconds(servingPatterns.deploySeconds),
      )
    )
      return [];
    return [
      {
        service,
        time_ns: event.time_ns,
        what: `rollout of ${set}`,
        evidence: { text: `${event.device_id}: ${event.message}`, refs: [event.ref] },
      },
    ];
  });
  return [...versions, ...deployEvents];
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

/** The service with the name of a deployment. */
function serviceNamed(facts: CaseFacts, deployment: string): number | undefined {
  const name = deployment.split('/').at(-1);
  return [...facts.rows.measurements.keys()].find((service) => facts.name(service) === name);
}

function toSign(facts: CaseFacts, { service, time_ns, what, evidence }: Change): Sign | undefined {
  const measured = facts.rows.measurements.get(service);
  const own = measured && riseAt(measured, time_ns);
  if (!own) return undefined;
  const graph = facts.at(time_ns);
  const isCaller = (other: number): boolean => graph.calleesOf(other).has(service);
  const risen = [...facts.rows.measurements.values()].filter(
    (other) => other.service !== service && riseAt(other, time_ns) && !isCaller(other.service),
  );
  // There was another fault at the time.
  if (risen.length > 0) return undefined;
  const isLinked = graph.calleesOf(service).size > 0 || [...facts.rows.measurements.keys()].some(isCaller);
  const name = facts.name(service);
  return {
    headline: `${name} has failed since its change (${what}): errors ${figure(own.before)} -> ${figure(own.after)} within ${lengthText(own.delay_s)}; only its callers failed too.`,
    severity: 'high',
    start_ns: time_ns,
    end_ns: own.end_ns,
    entities: [service],
    evidence: [
      evidence,
      { text: `error rate of ${name} after the change`, refs: own.refs.map((at_ns) => measurementRef(name, at_ns)) },
    ],
    missing: lacks(isLinked, 'traces', `callees of ${name} unknown: a failing callee is not excluded`),
  };
}

const figure = (percent: number): string => `${Number(percent.toPrecision(2))} %`;

interface Rise {
  readonly before: number;
  readonly after: number;
  readonly delay_s: number;
  readonly end_ns: bigint;
  readonly refs: readonly bigint[];
}

function riseAt({ time_ns, error_rate }: Measurements, change_ns: bigint): Rise | undefined {
  const rows = time_ns.map((at_ns, i) => ({ at_ns, rate: error_rate[i]! })).filter(({ rate }) => !Number.isNaN(rate));
  const before = rows.filter(
    ({ at_ns }) => at_ns <= change_ns && change_ns - at_ns <= nanoseconds(servingPatterns.deploySeconds),
  );
  const after = rows.filter(
    ({ at_ns }) => at_ns > change_ns && at_ns - change_ns <= nanoseconds(servingPatterns.deploySeconds),
  );
  if (before.length < servingPatterns.deployMeasurements || after.length < servingPatterns.deployMeasurements)
    return undefined;
  const normalRate = median(before.map(({ rate }) => rate));
  const since = median(after.map(({ rate }) => rate));
  if (since - normalRate < servingPatterns.deployRisePercent || since < servingPatterns.deployRatio * normalRate)
    return undefined;
  const bad = after.filter(({ rate }) => rate - normalRate >= servingPatterns.deployRisePercent);
  const [first] = bad;
  if (!first) return undefined;
  return {
    before: normalRate,
    after: since,
    delay_s: Number(first.at_ns - change_ns) / 1e9,
    end_ns: bad.at(-1)?.at_ns ?? first.at_ns,
    refs: bad.slice(0, 3).map(({ at_ns }) => at_ns),
  };
}
