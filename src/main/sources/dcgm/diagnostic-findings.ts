import type { Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import { type Json, objectOf, objectsOf, textOf, textsOf } from './format.ts';

/** One finding of a diagnostic or a health check. */
export interface Finding {
  /** Undefined: the machine as a whole. */
  readonly part: { readonly group: string; readonly number: string } | undefined;
  readonly type: EventType;
  readonly severity: Severity;
  readonly message: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly raw: Json;
}

/** dcgmErrorSeverity_enum: 2 take the GPU out of service, 3 unknown, 4 look closer, 6 reset; 1 and 5 leave it in use. */
const graveness: ReadonlyMap<number, Severity> = new Map([
  [1, 'medium'],
  [2, 'critical'],
  [3, 'high'],
  [4, 'high'],
  [5, 'medium'],
  [6, 'high'],
]);
const order: readonly Severity[] = ['critical', 'high', 'medium', 'low'];

/** Results of every test for every part; `skipped` counts tests without a result. */
export function diagnosticFindings(root: Json, document: Json): { findings: Finding[]; skipped: number } {
  const metadata = objectOf(document['metadata']);
  const about = {
    dcgm_version: textOf(root['version']) || textOf(metadata['version']),
    driver_version: textOf(root['Driver Version Detected']) || textOf(metadata['Driver Version Detected']),
  };
  const findings: Finding[] = [];
  let skipped = 0;
  for (const category of objectsOf(root['test_categories'])) {
    for (const test of objectsOf(category['tests'])) {
      const names = { category: textOf(category['category']), test: textOf(test['name']) };
      const results = objectsOf(test['results']);
      // The summary of DCGM 4 counts only if there are no results per part.
      const all = results.length > 0 ? results : objectsOf([test['test_summary']]);
      for (const result of all) {
        const found = findingsOf(result, { ...names, ...about });
        if (found.length === 0) skipped++;
        findings.push(...found);
      }
    }
  }
  const failure = textOf(root['runtime_error']);
  if (failure !== '') findings.push(notRun(failure, about, root));
  return { findings, skipped };
}

const notRun = (failure: string, attributes: Finding['attributes'], root: Json): Finding => ({
  part: undefined,
  type: 'health_check_failed',
  severity: 'medium',
  message: `the diagnostic did not run: ${failure}`,
  attributes,
  raw: root,
});

function findingsOf(result: Json, names: Readonly<Record<string, string>>): Finding[] {
  const status = textOf(result['status']);
  const passed = /^pass/i.test(status);
  if (!passed && !/^(fail|warn|error)/i.test(status)) return [];
  const listed = Array.isArray(result['warnings']) ? result['warnings'] : [result['warnings']];
  const warnings = listed.map((warning) => (typeof warning === 'string' ? { warning } : objectOf(warning)));
  const warningTexts = warnings.map((warning) => textOf(warning['warning'])).filter((text) => text !== '');
  const numbers = (member: string) => warnings.map((warning) => warning[member]).filter((n) => typeof n === 'number');
  const info = textsOf(result['info']);
  const attributes = {
    ...names,
    status,
    error_id: listOf(numbers('error_id')),
    error_category: listOf(numbers('error_category')),
    error_severity: listOf(numbers('error_severity')),
    info: info.length > 0 ? info.join('\n') : undefined,
  };
  const severity = passed ? 'low' : /^warn/i.test(status) ? 'medium' : severityOf(numbers('error_severity'));
  const message = [`${names['test']}: ${status}`, ...warningTexts].join('; ');
  const type = passed ? 'health_check_passed' : 'health_check_failed';
  return partsOf(result).map((part) => ({ part, type, severity, message, attributes, raw: result }));
}

const listOf = (values: readonly unknown[]): unknown => (values.length > 1 ? values : values[0]);

function severityOf(numbers: readonly unknown[]): Severity {
  const grades = numbers.flatMap((number) => graveness.get(number as number) ?? []);
  return order.find((grade) => grades.includes(grade)) ?? 'high';
}

/** Whom a result is about: one entity since DCGM 4, before that a list of GPUs in one text. */
function partsOf(result: Json): Finding['part'][] {
  const group = textOf(result['entity_group']);
  const number = textOf(result['entity_id']);
  if (group !== '' && /^\d{1,9}$/.test(number)) return [{ group, number }];
  const gpus = textOf(result['gpu_ids'] ?? result['gpu_id'])
    .split(',')
    .map((id) => id.trim())
    .filter((id) => /^\d{1,9}$/.test(id));
  return gpus.length > 0 ? gpus.map((id) => ({ group: 'GPU', number: id })) : [undefined];
}
