import type { LogBodyFact, Phases } from '../../store/facts/reader.ts';
import { reweighed, weighedLine } from '../evidence/kind.ts';
import { logTemplate } from '../evidence/software.ts';
import { software } from './parameters.ts';
import { binomialTail, oddsAgainstChance } from './significance.ts';
import { type Finding, finding } from './suspect.ts';
import { TemplateMiner } from './template-miner.ts';

interface Stretch {
  lines: number;
  /** Seconds with texts of the template, per text. */
  seconds: number;
  first_ns: bigint;
  last_ns: bigint;
}

/** One template of one service in both phases. */
interface Tally {
  readonly service: number;
  readonly template: number;
  readonly before: Stretch;
  readonly window: Stretch;
  failure: boolean;
  ref: string;
}

export interface LogVerdict {
  readonly findings: Finding[];
  /** Lines read, and lines dropped because the template limit was reached. */
  readonly lines: number;
  readonly left_out: number;
  readonly templates: number;
}

const SHOWN = 160;

/**
 * New and surging log templates of a window, by service. Rates are compared as counts (given the total of both phases, the
 * window's count is binomial if nothing changed), lines within one second count as one, and significance is corrected for the
 * number of templates. Memory is bounded.
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
      if (template < 0 || (tallies.size >= software.mostTallies && !tallies.has(key))) left_out += count;
      else add(tallies, key, template, fact);
    }
  }
  const templateFindings = judge([...tallies.values()], phases).map(({ tally, odds }) =>
    templateFinding(tally, odds, miner, nameOf),
  );
  return { findings: grouped(templateFindings), lines, left_out, templates: miner.count };
}

const nothing = (): Stretch => ({ lines: 0, seconds: 0, first_ns: 2n ** 62n, last_ns: -(2n ** 62n) });

function add(tallies: Map<string, Tally>, key: string, template: number, fact: LogBodyFact): void {
  let tally = tallies.get(key);
  if (!tally) {
    tally = { service: fact.service, template, before: nothing(), window: nothing(), failure: false, ref: '' };
    tallies.set(key, tally);
  }
  tally.failure ||= fact.failure;
  if (fact.ref !== null && fact.window_first_ns !== null && fact.window_first_ns < tally.window.first_ns)
    tally.ref = fact.ref;
  const { before_lines, before_seconds, before_first_ns, before_last_ns } = fact;
  if (before_first_ns !== null && before_last_ns !== null)
    extend(tally.before, {
      lines: before_lines,
      seconds: before_seconds,
      first_ns: before_first_ns,
      last_ns: before_last_ns,
    });
  const { window_lines, window_seconds, window_first_ns, window_last_ns } = fact;
  if (window_first_ns !== null && window_last_ns !== null)
    extend(tally.window, {
      lines: window_lines,
      seconds: window_seconds,
      first_ns: window_first_ns,
      last_ns: window_last_ns,
    });
}

function extend(stretch: Stretch, more: Stretch): void {
  stretch.lines += more.lines;
  stretch.seconds += more.seconds;
  if (more.first_ns < stretch.first_ns) stretch.first_ns = more.first_ns;
  if (more.last_ns > stretch.last_ns) stretch.last_ns = more.last_ns;
}

/** Upper bound of the seconds with a template: texts share seconds, and none is outside first and last. */
const busySeconds = ({ lines, seconds, first_ns, last_ns }: Stretch): number =>
  Math.min(lines, seconds, Math.max(0, Number(last_ns - first_ns)) / 1e9 + 1);

interface Odd {
  readonly tally: Tally;
  readonly odds: number;
}

function judge(tallies: readonly Tally[], phases: Phases): Odd[] {
  const before = Number(phases.before_to_ns - phases.before_from_ns);
  const window = Number(phases.window_to_ns - phases.window_from_ns);
  const totals = new Map<number, { before: number; window: number }>();
  for (const { service, ...tally } of tallies) {
    const sum = totals.get(service) ?? { before: 0, window: 0 };
    totals.set(service, { before: sum.before + tally.before.lines, window: sum.window + tally.window.lines });
  }
  return tallies.flatMap((tally) => {
    const total = totals.get(tally.service) ?? { before: 0, window: 0 };
    // All templates of a new service are new, which is no evidence.
    if (total.before === 0 || tally.window.lines < software.leastLines) return [];
    // Twice the traffic logs twice as much: the change of the other lines is expected of this one.
    const others = { before: total.before - tally.before.lines + 1, window: total.window - tally.window.lines + 1 };
    const expectedShare = Math.max(window / (window + before), others.window / (others.window + others.before));
    const expected = (tally.before.lines * expectedShare) / (1 - expectedShare);
    if (tally.window.lines < software.surgeTimes * expected) return [];
    const clump = clumping(tally);
    const after = Math.max(1, Math.round(tally.window.lines / clump));
    const past = Math.round(tally.before.lines / clump);
    const p = tallies.length * binomialTail(after, after + past, expectedShare);
    const odds = oddsAgainstChance(p, tally.failure ? software.mostFailureLogOdds : software.mostOtherLogOdds);
    return odds > 0 ? [{ tally, odds }] : [];
  });
}

/** Lines per second that count as one: as many as in the template's quieter phase, or its only one. */
function clumping({ before, window }: Tally): number {
  const now = window.lines / busySeconds(window);
  return before.lines === 0 ? now : Math.min(now, before.lines / busySeconds(before));
}

function templateFinding(
  tally: Tally,
  odds: number,
  miner: TemplateMiner,
  nameOf: (service: number) => string,
): Finding {
  const template = miner.textOf(tally.template);
  const shown = template.length > SHOWN ? `${template.slice(0, SHOWN)}…` : template;
  const parameters = {
    service: nameOf(tally.service),
    template: shown,
    isFailure: tally.failure,
    before: tally.before.lines,
    after: tally.window.lines,
  };
  return finding({
    key: tally.service,
    type: 'log_template',
    layer: 'log',
    template,
    evidence: [weighedLine(logTemplate, odds, parameters, tally.ref === '' ? [] : [tally.ref])],
  });
}

/** Per service one suspect: the strongest template, plus the next ones at a share of their weight. */
function grouped(findings: readonly Finding[]): Finding[] {
  const services = Map.groupBy(findings, ({ key }) => key);
  return [...services.values()]
    .map((list) => {
      const [first, ...rest] = list.toSorted((a, b) => b.weight - a.weight).slice(0, software.mostFindings) as [
        Finding,
        ...Finding[],
      ];
      const more = rest.flatMap(({ evidence }) =>
        evidence.map((one) => reweighed(one, software.furtherTemplateShare * one.weight)),
      );
      return finding({ ...first, evidence: [...first.evidence, ...more], weight: sum([...first.evidence, ...more]) });
    })
    .sort((a, b) => b.weight - a.weight || a.key - b.key);
}

const sum = (evidence: readonly { readonly weight: number }[]): number =>
  evidence.reduce((total, { weight }) => total + weight, 0);
