import { severities } from '../../../model/entity.ts';
import { contradictionText } from '../../../model/incident/contradicted-reading.ts';
import type { FindingView } from '../../../model/incident/finding.ts';
import type { Reader } from '../../store/facts/reader.ts';
import { eventsOf, readContradictions } from '../contradictions/contradicted-readings.ts';
import { shortHash } from '../statistics.ts';
import type { CaseFacts } from './case-facts.ts';
import { patternTexts } from './catalog.ts';
import { patterns } from './index.ts';
import type { Finding, Pattern, Sign } from './pattern.ts';
import { readFacts } from './read-facts.ts';
import { applyThresholds, type ChangedThreshold } from './thresholds.ts';

/** Characters of a headline. */
const LONGEST = 320;

/**
 * Findings of all patterns in a case, by severity, then by time.
 * @param changed thresholds that are not the defaults
 */
export async function findPatterns(reader: Reader, changed: readonly ChangedThreshold[] = []): Promise<Finding[]> {
  applyThresholds(changed);
  const facts = await readFacts(reader);
  if (!facts) return [];
  // Meanwhile another case of this process may have been read, with other thresholds.
  applyThresholds(changed);
  const found = patterns.flatMap((pattern) => pattern.detect(facts).map((sign) => toFinding(facts, pattern, sign)));
  const merged = [...Map.groupBy(found, ({ view }) => view.id).values()]
    .map(mergeAlike)
    .sort((a, b) => rank(a.view) - rank(b.view) || order(a.start_ns, b.start_ns) || (a.view.id < b.view.id ? -1 : 1));
  return withContradictions(reader, merged);
}

/** Findings rest on what events state: samples that contradict one of them are named beside it. */
async function withContradictions(reader: Reader, found: readonly Finding[]): Promise<Finding[]> {
  const refsOf = ({ view }: Finding): string[] => view.evidence.flatMap(({ refs }) => refs);
  const known = await readContradictions(reader, eventsOf(found.flatMap(refsOf)));
  if (known.size === 0) return [...found];
  return found.map((finding) => {
    const contradictions = [...new Set(eventsOf(refsOf(finding)))].flatMap((event) => {
      const one = known.get(event);
      return one ? [{ text: contradictionText(one), refs: [`event:${event}`, one.ref] }] : [];
    });
    return { ...finding, view: { ...finding.view, contradictions } };
  });
}

/** Equal findings from several data sources are one finding with the evidence of all. */
function mergeAlike(alike: readonly Finding[]): Finding {
  const [first] = alike as [Finding, ...Finding[]];
  const evidence = alike.flatMap(({ view }) => view.evidence);
  return alike.length === 1 ? first : { ...first, evidence, view: { ...first.view, evidence } };
}

const rank = ({ severity }: FindingView): number => severities.indexOf(severity);
const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

function toFinding(facts: CaseFacts, { id }: Pattern, sign: Sign): Finding {
  const texts = patternTexts()[id];
  if (!texts) throw new Error(`no texts of pattern ${id}`);
  const entityIds = [...new Set(sign.entities)].filter((entity) => entity >= 0);
  const entities = entityIds.flatMap((entity) => {
    const known = facts.entityNode(entity);
    return known ? [{ kind: known.kind, id: known.id }] : [];
  });
  const who = entities.map(({ kind, id: name }) => `${kind}:${name}`).join();
  const view: FindingView = {
    id: `${id}-${shortHash(`${who} ${sign.start_ns} ${sign.evidence.flatMap(({ refs }) => refs).join()}`)}`,
    pattern: id,
    title: texts.title,
    headline: sentence(sign.headline),
    severity: sign.severity,
    start_ns: sign.start_ns,
    end_ns: sign.end_ns < sign.start_ns ? sign.start_ns : sign.end_ns,
    entities,
    evidence: sign.evidence.map(({ text, refs }) => ({ text, refs: [...refs] })),
    verdict: sign.missing.length > 0 ? 'partial' : 'complete',
    missing: sign.missing.map((one) => ({ ...one })),
    remediation: texts.remediation.map((one) => ({ ...one })),
    estimates: [...(sign.estimates ?? [])],
    contradictions: [],
  };
  return { ...sign, entities: entityIds, view };
}

/** Quoted messages may be long, contain line breaks, and end with any character. */
function sentence(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?:\s?[.:;,])+ \(/g, ' (')
    .replace(/[\s.:;,]+$/, '');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : `${line}.`;
}
