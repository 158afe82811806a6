import { z } from 'zod';
import type { AnyFeedKind } from '../feed-kind.ts';
import type { CheckedFeed } from './plan-file.ts';
import type { Shape } from './plan-form.ts';

/** Which secrets a feed of a plan sends where. */
export interface Reach {
  /** `https://bmc-3.example`, `snmp 10.0.0.4:161`: the target, as far as the plan names it. */
  readonly origin: string;
  readonly host: string;
  /** `env:NAME`, `keychain:NAME`, or credentials of this machine. */
  readonly secrets: readonly string[];
}

/** Targets of a feed, from the schema alone: URLs, and fields marked as targets. */
export function reachOf(kind: Pick<AnyFeedKind, 'plan' | 'ambientCredentials'>, plan: CheckedFeed): Reach[] {
  const shape = z.toJSONSchema(kind.plan, { io: 'input', unrepresentable: 'any' }) as Shape;
  const planValues = [...valuesOf(shape, plan)];
  const secrets = planValues.flatMap(({ field, value }) => (field.secret ? [value] : []));
  return planValues.flatMap(({ field, value }) => {
    if (!field.target && field.format !== 'uri') return [];
    if (field.target) return [{ origin: `snmp ${value}:${String(portOf(plan))}`, host: value, secrets }];
    // A provider's default address is not chosen by the plan.
    if (value === field.default && secrets.length === 0) return [];
    const url = new URL(value);
    // Credentials of this machine are sent to an address that replaces a provider's default.
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
