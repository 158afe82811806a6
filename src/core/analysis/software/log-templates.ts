import type { LogBodyFact, Phases } from '../../store/reader.ts';
import { binomialTail, oddsAgainstChance } from './significance.ts';
import { type Finding, figure, finding, line } from './suspect.ts';
import { TemplateMiner } from './template-miner.ts';

/** One template of one service in both phases. */
interface Tally {
  readonly service: number;
  readonly template: number;
  failure: boolean;
  before_lines: number;
  window_lines: number;
  before_seconds: number;
  window_seconds: number;
  first_ns: bigint;
  ref: string;
}

export interface LogVerdict {
  readonly findings: Finding[];
  /** Lines that were read, and those for which the templates had no room. */
  readonly lines: number;
  readonly left_out: number;
  readonly templates: number;
}

/** What a template can say at most: an error message much, a remark little. */
const MOST_ERROR = 3.5;
const MOST_OTHER = 2;
const SURGE = 2;
/** Lines of a template below which it is an oddity. */
const LEAST_LINES = 2;
/** Templates of one service that are told; the rest repeat the same story. */
const TOLD = 3;
const MOST_TALLIES = 50_000;
const SHOWN = 160;

/**
 * Log templates that a window brought: new ones, absent in the baseline, and surging ones, by service. Rates are compared
 * as counts (given the total of both phases, the window's is binomial when nothing changed), lines of one second that
 * come together count as one, and chance is corrected for the number of templates. Memory is bounded whatever is logged.
 */
export async function logTemplates(
  stretches: AsyncIterable<readonly LogBodyFact[]>,
  phases: Phases,
  nameOf: (service: number) => string,
): Promise<LogVerdict> {
  const miner = new TemplateMiner();
  const tallies = new Map<string, Tally>();
  let lines = 0;
  let left_out = 0;
  for await (const facts of stretches) {
    for (const fact of facts) {
      const count = fact.before_lines + fact.window_lines;
      lines += count;
      const template = miner.add(fact.body);
      const key = `${fact.service} ${template}`;
      if (template < 0 || (tallies.size >= MOST_TALLIES && !tallies.has(key))) left_out += count;
      else add(tallies, key, template, fact);
    }
  }
  const told = judge([...tallies.values()], phases).map(({ tally, odds }) => tell(tally, odds, miner, nameOf));
  return { findings: grouped(told), lines, left_out, templates: miner.count };
}

function add(tallies: Map<string, Tally>, key: string, template: number, fact: LogBodyFact): void {
  const tally = tallies.get(key) ?? {
    service: fact.service,
    template,
    failure: false,
    before_lines: 0,
    window_lines: 0,
    before_seconds: 0,
    window_seconds: 0,
    first_ns: fact.first_ns ?? 2n ** 62n,
    ref: fact.ref ?? '',
  };
  tallies.set(key, tally);
  tally.failure ||= fact.failure;
  tally.before_lines += fact.before_lines;
  tally.window_lines += fact.window_lines;
  // Texts of one template may share a second; their sum is an upper bound, and no more than the lines themselves.
  tally.before_seconds = Math.min(tally.before_lines, tally.before_seconds + fact.before_seconds);
  tally.window_seconds = Math.min(tally.window_lines, tally.window_seconds + fact.window_seconds);
  if (fact.first_ns !== null && fact.first_ns <= tally.first_ns) {
    tally.first_ns = fact.first_ns;
    tally.ref = fact.ref ?? tally.ref;
  }
}

interface Odd {
  readonly tally: Tally;
  readonly odds: number;
}

function judge(tallies: readonly Tally[], phases: Phases): Odd[] {
  const before = Number(phases.before_to_ns - phases.before_from_ns);
  const window = Number(phases.window_to_ns - phases.window_from_ns);
  const totals = new Map<number, { before: number; window: number }>();
  for (const { service, before_lines, window_lines } of tallies) {
    const sum = totals.get(service) ?? { before: 0, window: 0 };
    totals.set(service, { before: sum.before + before_lines, window: sum.window + window_lines });
  }
  return tallies.flatMap((tally) => {
    const total = totals.get(tally.service) ?? { before: 0, window: 0 };
    // A service that was not heard of before has only new templates: that is no news of any one of them.
    if (total.before === 0 || tally.window_lines < LEAST_LINES) return [];
    // Twice the traffic logs twice as much: what the service's other lines did is expected of this one too.
    const others = { before: total.before - tally.before_lines + 1, window: total.window - tally.window_lines + 1 };
    const usual = Math.max(window / (window + before), others.window / (others.window + others.before));
    const expected = (tally.before_lines * usual) / (1 - usual);
    if (tally.window_lines < SURGE * expected) return [];
    const clump = clumping(tally);
    const after = Math.max(1, Math.round(tally.window_lines / clump));
    const past = Math.round(tally.before_lines / clump);
    const p = tallies.length * binomialTail(after, after + past, usual);
    const odds = oddsAgainstChance(p, tally.failure ? MOST_ERROR : MOST_OTHER);
    return odds > 0 ? [{ tally, odds }] : [];
  });
}

/** Lines that come together, in one second: as many as the template's quieter phase has, or its only one. */
function clumping({ before_lines, before_seconds, window_lines, window_seconds }: Tally): number {
  const window = window_lines / Math.max(1, window_seconds);
  return before_seconds === 0 ? window : Math.min(window, before_lines / before_seconds);
}

function tell(tally: Tally, odds: number, miner: TemplateMiner, nameOf: (service: number) => string): Finding {
  const template = miner.textOf(tally.template);
  const shown = template.length > SHOWN ? `${template.slice(0, SHOWN)}…` : template;
  const kind = tally.failure ? 'error message' : 'log line';
  const text =
    tally.before_lines === 0
      ? `new ${kind} in ${nameOf(tally.service)}, ${tally.window_lines} times and never before: "${shown}"`
      : `${kind} of ${nameOf(tally.service)} surged from ${figure(tally.before_lines)} to ${figure(tally.window_lines)}: "${shown}"`;
  return finding({
    key: tally.service,
    type: 'log_template',
    layer: 'log',
    template,
    evidence: [line(odds, text, tally.ref === '' ? [] : [tally.ref])],
  });
}

/** Per service one finding: the strongest template, then what two more add at half their weight each. */
function grouped(findings: readonly Finding[]): Finding[] {
  const services = Map.groupBy(findings, ({ key }) => key);
  return [...services.values()]
    .map((list) => {
      const [first, ...rest] = list.toSorted((a, b) => b.weight - a.weight).slice(0, TOLD) as [Finding, ...Finding[]];
      const more = rest.flatMap(({ evidence }) =>
        evidence.map(({ weight, text, refs }) => line(weight / 4, text, refs)),
      );
      return finding({ ...first, evidence: [...first.evidence, ...more], weight: sum([...first.evidence, ...more]) });
    })
    .sort((a, b) => b.weight - a.weight || a.key - b.key);
}

const sum = (evidence: readonly { readonly weight: number }[]): number =>
  evidence.reduce((total, { weight }) => total + weight, 0);
