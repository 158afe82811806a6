import type { Output } from '../otlp/output.ts';
import { kindOf, type MappedRow, resourceText, textOf } from './values.ts';

/** Where a row comes from, as numbers of the batch at hand. */
export interface Origin {
  readonly service: number;
  readonly resource: number;
  readonly scope: number;
}

/** Columns with the origin of a row. */
export const originColumns = ['service', 'service_kind', 'resource_attributes', 'schema_url', 'scope', 'scope_version'];
/** And, if rows have no entity, the entity of the resource. */
export const subjectColumns = ['entity_kind', 'entity'];

/** Resource and scope of a row; an entity that the table states takes precedence. */
export function originOf(out: Output, row: MappedRow): Origin {
  out.enterResource(resourceText(row), textOf(row.schema_url));
  out.enterScope(textOf(row.scope), textOf(row.scope_version), '');
  return { service: out.serviceCode, resource: out.resourceCode, scope: out.scopeCode };
}

/** The same of a row whose `entity` is that of its resource. */
export function statedOriginOf(out: Output, row: MappedRow): Origin {
  const origin = originOf(out, row);
  const service = entityOf(out, row.service_kind, row.service);
  const subject = entityOf(out, row.entity_kind, row.entity);
  if (service < 0 && subject < 0) return origin;
  const attributes = resourceText(row);
  const isNone = attributes === '' && subject < 0;
  const resource = isNone
    ? -1
    : out.batch.resource({ entity: subject, attributes, schema_url: textOf(row.schema_url) });
  return { ...origin, service, resource };
}

const entityOf = (out: Output, kind: unknown, id: unknown): number =>
  textOf(kind) === '' || textOf(id) === '' ? -1 : out.batch.entity(kindOf(textOf(kind)), textOf(id));
