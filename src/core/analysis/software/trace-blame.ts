import type { SpanShiftFact } from '../../store/facts/reader.ts';
import { weighedLine } from '../evidence/kind.ts';
import { failingSpan, noAnswer, oneInstance, slowService, slowSpan } from '../evidence/software.ts';
import { software } from './parameters.ts';
import type { OwnShare } from './service-suspects.ts';
import { binomialTail, oddsAgainstChance } from './significance.ts';
import { type Finding, finding } from './suspect.ts';

/** Results from the spans of a baseline and a window. */
export interface TraceBlame {
  readonly findings: Finding[];
  /** Share of a service's degradation that is its own. */
  readonly own: ReadonlyMap<number, OwnShare>;
  /** Services that are called but do not answer anymore. */
  readonly unreachable: ReadonlySet<number>;
}

const UNKNOWN: OwnShare = { latency: Number.NaN, errors: Number.NaN };
const CLIENT = 3;
const PRODUCER = 4;

/** One span name of a service in both phases; `before` is missing if it is new. */
interface Pair {
  readonly before: SpanShiftFact | undefined;
  readonly after: SpanShiftFact;
}

/**
 * Where time is spent and where errors begin, from spans: self time per service and span name compared with its baseline, and
 * errors without a failing child. Names the pod or instance if only one of several changed.
 * @param callsKnown whether calls between services were recorded; without, what is a service's own is unknown
 */
export function traceBlame(
  facts: readonly SpanShiftFact[],
  nameOf: (service: number) => string,
  callsKnown = true,
): TraceBlame {
  const whole = pairs(facts.filter(({ of_instance }) => !of_instance));
  const instances = Map.groupBy(pairs(facts.filter(({ of_instance }) => of_instance)), ({ after }) => spanKey(after));
  const excess = whole.reduce((sum, pair) => sum + Math.max(0, excessMs(pair)), 0);
  const tests = Math.max(1, whole.length);
  const findings = whole.flatMap((pair) => {
    const siblings = instances.get(spanKey(pair.after)) ?? [];
    const about = { pair, siblings, tests, excess, nameOf, callsKnown };
    // Time in unanswered calls is not the caller's own.
    const gone = unanswered(about);
    return gone ? [gone] : [slower(about), failing(about)].filter((found) => found !== null);
  });
  const unansweredCalls = new Set(
    whole
      .filter((pair) => isHanging(pair) || unanswered({ pair, siblings: [], tests, excess, nameOf, callsKnown }))
      .map(({ after }) => spanKey(after)),
  );
  // What is known of a service by its callers alone may be that of its own callees.
  const shares = ownShares(
    whole.filter(({ after }) => !after.as_called),
    unansweredCalls,
  );
  const own = callsKnown ? shares : new Map([...shares.keys()].map((service) => [service, UNKNOWN]));
  findings.push(...slowServices(whole, own, nameOf));
  return {
    findings: findings.sort((a, b) => b.weight - a.weight || a.key - b.key),
    own,
    unreachable: new Set(findings.filter(({ type }) => type === 'service_unreachable').map(({ key }) => key)),
  };
}

const spanKey = ({ service, kind, name }: SpanShiftFact): string => `${service} ${kind} ${name}`;

function pairs(facts: readonly SpanShiftFact[]): Pair[] {
  const groups = Map.groupBy(facts, (fact) => `${spanKey(fact)} ${fact.instance}`);
  return [...groups.values()].flatMap((group) => {
    const after = group.find(({ phase }) => phase === 1);
    return after ? [{ before: group.find(({ phase }) => phase === 0), after }] : [];
  });
}

/** Total added self time of the window's spans. */
const excessMs = ({ before, after }: Pair): number =>
  before ? (after.self_mean_ms - before.self_mean_ms) * after.spans : 0;

interface About {
  readonly pair: Pair;
  /** The same span name, per instance. */
  readonly siblings: readonly Pair[];
  /** Number of tested span names, for the correction of significance. */
  readonly tests: number;
  /** Added self time over all span names, ms. */
  readonly excess: number;
  readonly callsKnown: boolean;
  nameOf(service: number): string;
}

/** Log-odds against chance that so many spans are slower than 95 % of the baseline's; 0 if the shift is not relevant. */
function slownessOdds({ before, after }: Pair, tests: number): number {
  if (!before || before.spans < software.leastSpans) return 0;
  const rise = after.self_mean_ms - before.self_mean_ms;
  if (
    !(
      after.self_mean_ms > software.leastSelfTimeRatio * before.self_mean_ms &&
      rise > software.leastSelfTimeMilliseconds
    )
  )
    return 0;
  return oddsAgainstChance(
    tests * binomialTail(after.above, after.spans, normalAbove(before.spans)),
    software.mostOdds,
  );
}

function slower({ pair, siblings, tests, excess, nameOf, callsKnown }: About): Finding | null {
  const { before, after } = pair;
  const odds = slownessOdds(pair, tests);
  const share = excess > 0 ? excessMs(pair) / excess : 0;
  if (!before || odds <= 0 || share < software.leastTimeShare) return null;
  const instance = confinedTo(siblings, (one) => slownessOdds(one, tests) > 0);
  const isCall = after.kind === CLIENT || after.kind === PRODUCER;
  const isLeaf = isCall && before.answered === 0 && !after.as_called;
  const quantile: 'p50' | 'p95' = after.self_p95_ms > software.leastSelfTimeRatio * before.self_p95_ms ? 'p95' : 'p50';
  const [before_ms, after_ms] =
    quantile === 'p95' ? [before.self_p95_ms, after.self_p95_ms] : [before.self_p50_ms, after.self_p50_ms];
  const parameters = {
    span: after.name,
    service: nameOf(after.service),
    quantile,
    before_ms,
    after_ms,
    spans: after.spans,
    share,
    isLeaf,
    callsKnown,
    asCalled: after.as_called,
  };
  const evidence = [weighedLine(slowSpan, odds * Math.min(1, share / software.fullTimeShare), parameters, [after.ref])];
  if (instance !== null) evidence.push(weighedLine(oneInstance, 0, { instance, others: 'move' }, [after.ref]));
  const key = isHanging(pair) ? before.callee : after.service;
  return finding({ key, type: 'service_latency', layer: 'trace', span: after.name, instance, evidence });
}

/**
 * Services in which every span name got slower, each possibly with few spans: CPU starvation, a long garbage collection, a slow
 * disk. Tested over all names together, by the share of the slowness that is the service's own.
 */
function slowServices(
  whole: readonly Pair[],
  own: ReadonlyMap<number, OwnShare>,
  nameOf: (service: number) => string,
): Finding[] {
  const services = Map.groupBy(
    whole.filter(({ before }) => before !== undefined),
    ({ after }) => after.service,
  );
  return [...services].flatMap(([service, list]) => {
    const part = own.get(service)?.latency ?? 0;
    const slow = list.filter(
      ({ before, after }) => before && after.self_p50_ms > software.leastSelfTimeRatio * before.self_p50_ms,
    );
    if (
      !(part >= software.ownTimeShare) ||
      list.length < software.leastSpanNames ||
      slow.length < software.slowNamesShare * list.length
    )
      return [];
    const count = (of: (pair: Pair) => number): number => list.reduce((total, pair) => total + of(pair), 0);
    const spans = count(({ after }) => after.spans);
    const above = count(({ after }) => after.above);
    const chance = count(({ before, after }) => after.spans * normalAbove(before?.spans ?? 0)) / spans;
    const odds = oddsAgainstChance(services.size * binomialTail(above, spans, chance), software.mostOdds);
    const [{ after: example }] = slow.toSorted((a, b) => excessMs(b) - excessMs(a)) as [Pair];
    if (odds <= 0 || count(excessMs) < software.leastSelfTimeMilliseconds * spans) return [];
    const parameters = { service: nameOf(service), above, spans, names: list.length, share: part };
    return [
      finding({
        key: service,
        type: 'service_latency',
        layer: 'trace',
        evidence: [weighedLine(slowService, odds * part, parameters, [example.ref])],
      }),
    ];
  });
}

/** The quantile of few spans is biased low: one more span than observed may be above it. */
const normalAbove = (spans: number): number => (0.05 * spans + 1) / (spans + 1);

function errorOdds({ before, after }: Pair, tests: number): number {
  const chance = ((before?.originating ?? 0) + 1) / ((before?.spans ?? 0) + 2);
  const normalShare = before ? before.originating / before.spans : 0;
  if (after.originating / after.spans < normalShare + software.leastErrorRiseShare) return 0;
  // A span name without a past gets a failure rate of one half by the rule of succession: only consistent failure is significant then.
  return oddsAgainstChance(tests * binomialTail(after.originating, after.spans, chance), software.mostOdds);
}

function failing({ pair, siblings, tests, nameOf, callsKnown }: About): Finding | null {
  const { before, after } = pair;
  const odds = errorOdds(pair, tests);
  if (odds <= 0) return null;
  const instance = confinedTo(siblings, (one) => errorOdds(one, tests) > 0);
  const parameters = {
    span: after.name,
    service: nameOf(after.service),
    failed: after.originating,
    spans: after.spans,
    before_percent: before ? (100 * before.originating) / before.spans : null,
    callsKnown,
    asCalled: after.as_called,
  };
  const evidence = [weighedLine(failingSpan, odds, parameters, [after.ref])];
  if (instance !== null) evidence.push(weighedLine(oneInstance, 0, { instance, others: 'fail' }, [after.ref]));
  const key = before && isHanging(pair) ? before.callee : after.service;
  return finding({ key, type: 'service_errors', layer: 'trace', span: after.name, instance, evidence });
}

/** Whether most calls reach no span of the callee, which answered some before: their time is none of the caller's own, even if spans are sampled. */
const isHanging = ({ before, after }: Pair): boolean =>
  after.kind === CLIENT &&
  before !== undefined &&
  before.callee >= 0 &&
  before.answered >= software.leastSpans &&
  after.answered < after.spans / 2;

/** Calls that fail or hang without a span of the callee, which answered them before: the callee is gone. */
function unanswered({ pair, tests, nameOf }: About): Finding | null {
  const { before, after } = pair;
  if (!before || before.callee < 0 || before.answered < software.leastSpans) return null;
  const [was, is] = [before.answered / before.spans, after.answered / after.spans];
  // Calls that are only less frequent do not fail or hang.
  const suffers = errorOdds(pair, tests) > 0 || slownessOdds(pair, tests) > 0;
  if (was < software.answeredBeforeShare || is > (1 - software.unansweredShare) * was || !suffers) return null;
  const missing = after.spans - after.answered;
  const p = binomialTail(missing, after.spans, Math.min(1, (before.spans - before.answered + 1) / (before.spans + 1)));
  const odds = oddsAgainstChance(tests * p, software.mostOdds);
  if (odds <= 0) return null;
  const parameters = {
    span: after.name,
    service: nameOf(after.service),
    callee: nameOf(before.callee),
    missing,
    spans: after.spans,
    before_share: was,
  };
  return finding({
    key: before.callee,
    type: 'service_unreachable',
    layer: 'trace',
    span: after.name,
    evidence: [weighedLine(noAnswer, odds, parameters, [after.ref])],
  });
}

/** The only instance of several that changed; null if there is one instance, or if others changed too. */
function confinedTo(siblings: readonly Pair[], moved: (pair: Pair) => boolean): string | null {
  const reliableSiblings = siblings.filter(({ after }) => after.instance !== '' && after.spans >= software.leastSpans);
  const those = reliableSiblings.filter(moved);
  return reliableSiblings.length > 1 && those.length === 1 ? (those[0]?.after.instance ?? null) : null;
}

/** Added time and errors of a service, and the share that does not come from its callees. */
function ownShares(whole: readonly Pair[], unansweredCalls: ReadonlySet<string>): Map<number, OwnShare> {
  const services = Map.groupBy(whole, ({ after }) => after.service);
  return new Map(
    [...services].map(([service, list]) => {
      const sum = (of: (pair: Pair) => number): number => list.reduce((total, pair) => total + of(pair), 0);
      const total = sum(({ before, after }) =>
        before && after.entries > 0 && before.entries > 0
          ? (after.entry_mean_ms - before.entry_mean_ms) * after.entries
          : 0,
      );
      const mine = (pair: Pair): boolean => !unansweredCalls.has(spanKey(pair.after));
      const self = sum((pair) => (mine(pair) ? excessMs(pair) : 0));
      const errors = sum(({ before, after }) => after.errors - expected(before?.errors, before, after));
      const began = sum((pair) => {
        const { before, after } = pair;
        return mine(pair) ? after.originating - expected(before?.originating, before, after) : 0;
      });
      return [service, { latency: share(self, total), errors: share(began, errors) }];
    }),
  );
}

/** Expected number in the window's spans at the baseline's rate. */
const expected = (count: number | undefined, before: SpanShiftFact | undefined, after: SpanShiftFact): number =>
  before ? ((count ?? 0) * after.spans) / before.spans : 0;

const share = (part: number, whole: number): number =>
  whole > 0 ? Math.min(1, Math.max(0, part / whole)) : Number.NaN;
