import { setTimeout } from 'node:timers/promises';
import { load, YAMLException } from 'js-yaml';
import { z } from 'zod';
import type { Feed, Feeds } from '../../model/feed.ts';
import { fail } from '../../model/problem.ts';
import { otlpFeed } from './otlp/index.ts';
import { prometheusFeed } from './prometheus/index.ts';
import { raplFeed } from './rapl/index.ts';
import { snmpFeed } from './snmp/index.ts';

/** The one list of live feeds. */
const kinds = [otlpFeed, prometheusFeed, raplFeed, snmpFeed] as const;

/** What is captured: YAML, checked before anything is asked. */
const planSchema = z.strictObject({
  feeds: z
    .array(z.discriminatedUnion('kind', [otlpFeed.plan, prometheusFeed.plan, raplFeed.plan, snmpFeed.plan]))
    .min(1)
    .max(1000),
});

/** @throws ProblemError plan.invalid */
function readPlan(text: string): z.output<typeof planSchema> {
  const parsed = planSchema.safeParse(parseYaml(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  return fail(
    'plan.invalid',
    `the plan is not valid: ${place === '' ? '' : `${place}: `}${issue?.message ?? 'unknown'}`,
    {
      hint: `a plan lists feeds, each with its kind: ${kinds.map(({ kind }) => kind).join(', ')}`,
    },
  );
}

function parseYaml(text: string): unknown {
  try {
    return load(text);
  } catch (error) {
    if (error instanceof YAMLException) return fail('plan.invalid', `the plan is no YAML: ${error.reason}`);
    throw error;
  }
}

function openFeed(plan: z.output<typeof planSchema>['feeds'][number]): Feed {
  switch (plan.kind) {
    case 'otlp':
      return otlpFeed.open(plan);
    case 'prometheus':
      return prometheusFeed.open(plan);
    case 'rapl':
      return raplFeed.open(plan);
    case 'snmp':
      return snmpFeed.open(plan);
  }
}

/** Live feeds by their plan. */
export const feeds: Feeds = {
  open: async (plan) => {
    const opened = readPlan(plan).feeds.map(openFeed);
    const names = opened.map(({ name }) => name);
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined)
      fail('plan.invalid', `two feeds of the plan are called ${twice}`, { hint: 'give each a name of its own' });
    return opened;
  },
  wait: async (milliseconds, signal) => {
    await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
  },
};
