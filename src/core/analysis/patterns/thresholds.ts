import { z } from 'zod';
import { nearestName } from '../../../base/nearest-name.ts';
import { issueText, readYaml, type YamlIssue } from '../../../base/yaml-issues.ts';
import { fail } from '../../../model/problem.ts';
import { type StageParameters, stageOf } from '../parameter.ts';
import { facilityPatterns } from './facility/parameters.ts';
import { gpuPatterns } from './gpu/parameters.ts';
import { networkPatterns } from './network/parameters.ts';
import { patterns } from './parameters.ts';
import { platformPatterns } from './platform/parameters.ts';
import { servingPatterns } from './serving/parameters.ts';
import { trainingPatterns } from './training/parameters.ts';

/** Groups of the file. */
const groups: Readonly<Record<string, StageParameters>> = {
  shared: patterns,
  facility: facilityPatterns,
  gpu: gpuPatterns,
  network: networkPatterns,
  platform: platformPatterns,
  serving: servingPatterns,
  training: trainingPatterns,
};

interface Threshold {
  /** `facility.redundancySeconds`. */
  readonly name: string;
  readonly group: string;
  readonly key: string;
  /** As Faultline defines it. */
  readonly default_value: number;
  readonly meaning: string;
  /** `s`, `%`; '' for shares, counts and ratios. */
  readonly unit: string;
  readonly least: number;
  readonly most: number;
}

/** A threshold that the user's file changes. */
export interface ChangedThreshold {
  readonly name: string;
  readonly value: number;
  readonly default_value: number;
  readonly unit: string;
}

/** What the end of a name states: its unit, and the largest value that makes sense in it. */
const units: readonly (readonly [RegExp, string, number])[] = [
  [/Seconds$/, 's', 366 * 86_400],
  [/(Share|Chance)$/, '', 1],
  [/Percent$/, '%', 100],
  [/$/, '', 1_000_000],
];

const listThresholds = (): Threshold[] =>
  Object.entries(groups).flatMap(([group, stage]) =>
    [...stageOf(stage).definitions].map(([key, { value, meaning, least = 0, most }]) => {
      const [, unit = '', largest = 0] = units.find(([end]) => end.test(key)) ?? [];
      return { name: `${group}.${key}`, group, key, default_value: value, meaning, unit, least, most: most ?? largest };
    }),
  );

const fileSchema = z.strictObject({
  version: z.literal(1),
  thresholds: z.record(z.string(), z.record(z.string(), z.unknown()).nullable()).superRefine((file, context) => {
    const known = new Map(listThresholds().map((one) => [one.name, one]));
    const refuse = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
    for (const [group, own] of Object.entries(file)) {
      if (!Object.hasOwn(groups, group))
        refuse([group], `no group of thresholds, the nearest is ${nearestName(group, Object.keys(groups))}`);
      else
        for (const [key, value] of Object.entries(own ?? {})) {
          const threshold = known.get(`${group}.${key}`);
          if (!threshold) refuse([group, key], `no threshold, the nearest is ${nearestThreshold(group, key)}`);
          else if (typeof value !== 'number' || !Number.isFinite(value)) refuse([group, key], 'must be a number');
          else if (value < threshold.least || value > threshold.most)
            refuse([group, key], `must be ${rangeText(threshold)}, not ${value}`);
        }
    }
  }),
});

/** In another group, if it has the very name. */
function nearestThreshold(group: string, key: string): string | undefined {
  const all = listThresholds();
  const elsewhere = all.find((one) => one.key === key);
  const own = all.filter((one) => one.group === group).map((one) => one.key);
  return elsewhere?.name ?? nearestName(key, own);
}

const rangeText = ({ least, most, unit }: Threshold): string => `${least} to ${most}${unit === '' ? '' : ` ${unit}`}`;

/** All errors in a file of thresholds; empty if it is valid. */
export function checkThresholds(yaml: string): readonly YamlIssue[] {
  const read = readYaml(yaml, fileSchema);
  return 'issues' in read ? read.issues : [];
}

/** Those that are not the defaults. @throws ProblemError thresholds.invalid */
export function parseThresholds(yaml: string): ChangedThreshold[] {
  const read = readYaml(yaml, fileSchema);
  if ('issues' in read)
    return fail('thresholds.invalid', `the thresholds are not valid: ${read.issues.map(issueText).join('; ')}`, {
      hint: '`faultline thresholds` prints all of them with their defaults',
    });
  const { thresholds } = read.data;
  return listThresholds().flatMap(({ name, group, key, default_value, unit }) => {
    const value = thresholds[group]?.[key];
    return typeof value !== 'number' || value === default_value ? [] : [{ name, value, default_value, unit }];
  });
}

/** The file: every threshold with unit, range and meaning, as changed here. */
export function thresholdsYaml(changed: readonly ChangedThreshold[]): string {
  const values = new Map(changed.map(({ name, value }) => [name, value]));
  const all = Map.groupBy(listThresholds(), ({ group }) => group);
  const lines = [...all].flatMap(([group, own]) => [
    `  ${group}:`,
    ...own.flatMap((one) => {
      const value = values.get(one.name) ?? one.default_value;
      const was = value === one.default_value ? '' : `; default ${one.default_value}`;
      return [`    # ${one.meaning} (${rangeText(one)}${was})`, `    ${one.key}: ${value}`];
    }),
  ]);
  return [
    '# Thresholds of the patterns of Faultline. Names that are left out keep their defaults.',
    'version: 1',
    'thresholds:',
    ...lines,
    '',
  ].join('\n');
}

/** `facility.redundancySeconds 600 s (default 300 s)`. */
export const thresholdText = ({ name, value, default_value, unit }: ChangedThreshold): string => {
  const own = unit === '' ? '' : ` ${unit}`;
  return `${name} ${value}${own} (default ${default_value}${own})`;
};

let _inUse: readonly ChangedThreshold[] = [];

/**
 * Makes these thresholds count in this process, and all others as they are defined. Without changes before and now nothing
 * is touched: a sweep may have set them (`setParameters`).
 */
export function applyThresholds(changed: readonly ChangedThreshold[]): void {
  for (const { name, default_value } of _inUse) setThreshold(name, default_value);
  for (const { name, value } of changed) setThreshold(name, value);
  _inUse = changed;
}

function setThreshold(name: string, value: number): void {
  const [group = '', key = ''] = name.split('.');
  const stage = groups[group];
  if (stage) stageOf(stage).values[key] = value;
}
