import { z } from 'zod';
import type { AnyFeedKind } from '../feed-kind.ts';
import type { CheckedFeed } from './plan-file.ts';
import type { Shape } from './plan-form.ts';

/** What a feed of a plan sends where. */
export interface Reach {
  /** `https://bmc-3.example`, `snmp 10.0.0.4:161`: where it connects to, as far as the plan names it. */
  readonly origin: string;
  readonly host: string;
  /** What is sent there: `env:NAME`, `keychain:NAME`, or credentials that this machine has of itself. */
  readonly secrets: readonly string[];
}

/** Where a feed connects to by what its plan says, found by the schema alone: addresses, and fields marked as targets. */
export function reachOf(kind: AnyFeedKind, plan: CheckedFeed): Reach[] {
  const shape = z.toJSONSchema(kind.plan, { io: 'input', unrepresentable: 'any' }) as Shape;
  const planValues = [...valuesOf(shape, plan)];
  const secrets = planValues.flatMap(({ field, value }) => (field.secret ? [value] : []));
  return planValues.flatMap(({ field, value }) => {
    if (!field.target && field.format !== 'uri') return [];
    if (field.target) return [{ origin: `snmp ${value}:${String(portOf(plan))}`, host: value, secrets }];
    // Where a provider is by default was not chosen by the plan.
    if (value === field.default && secrets.length === 0) return [];
    const url = new URL(value);
    // Of providers: what the machine has of itself is sent to whatever the plan puts in the provider's place.
    const ambient = kind.ambientCredentials !== undefined && value !== field.default ? [kind.ambientCredentials] : [];
    return [{ origin: `${url.protocol}//${url.host}`, host: url.hostname, secrets: [...secrets, ...ambient] }];
  });
}

const portOf = (plan: CheckedFeed): unknown => (plan as { readonly port?: unknown }).port ?? '';

function* valuesOf(
  { properties = {}, anyOf = [], items, ...field }: Shape,
  value: unknown,
): Generator<{
  readonly field: Shape;
  readonly value: string;
}> {
  if (typeof value === 'string') yield { field: anyOf.find((one) => one.type === 'string') ?? field, value };
  for (const one of anyOf) if (typeof value === 'object') yield* valuesOf(one, value);
  if (Array.isArray(value)) for (const one of value) yield* items ? valuesOf(items, one) : [];
  else if (typeof value === 'object' && value !== null)
    for (const [name, shape] of Object.entries(properties))
      yield* valuesOf(shape, (value as Readonly<Record<string, unknown>>)[name]);
}
