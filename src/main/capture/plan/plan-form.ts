import { z } from 'zod';
import type { FeedField, FeedKindInfo } from '../../../model/storage/feed.ts';
import type { AnyFeedKind } from '../feed-kind.ts';

/** The parts of JSON Schema (2020-12) that plans use. */
export interface Shape {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  /** A secret reference; set by `secretSchema`. */
  readonly secret?: boolean;
  readonly title?: string;
  /** A path of this machine, which no window may set; set by `localPathSchema`. */
  readonly local?: boolean;
  /** A path or a pattern that a window may set for a folder that the investigator offered; set by `watchedFolderSchema`. */
  readonly watched?: 'folder' | 'names';
  /** A host to connect to, if no URL names it. */
  readonly target?: boolean;
  /** `uri`: a URL. */
  readonly format?: string;
}

/**
 * Describes the form of a kind from its schema.
 *
 * @param folders references to folders that plans may watch; null: they name paths
 */
export function formOfPlan(
  { kind, plan }: Pick<AnyFeedKind, 'kind' | 'plan'>,
  folders: readonly string[] | null = null,
): FeedKindInfo {
  const shape = z.toJSONSchema(plan, { io: 'input', unrepresentable: 'any' }) as Shape;
  return {
    kind,
    title: shape.title ?? kind,
    about: shape.description ?? '',
    fields: fieldsOf(shape, '', { inOptional: false, folders }),
  };
}

/** Whether every plan of a kind names a path, so that no window can make one. */
export function needsLocalPath({ plan }: AnyFeedKind): boolean {
  const { properties = {}, required = [] } = z.toJSONSchema(plan, { io: 'input', unrepresentable: 'any' }) as Shape;
  return required.some((name) => properties[name]?.local === true && properties[name].watched === undefined);
}

interface Place {
  readonly inOptional: boolean;
  readonly folders: readonly string[] | null;
}

function fieldsOf({ properties = {}, required = [] }: Shape, group: string, place: Place): FeedField[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = group === '' ? name : `${group}.${name}`;
    const shape = withoutNull(property);
    const isOfFolder = property.watched !== undefined && place.folders !== null;
    if (path === 'kind' || ((shape.local || property.local) && !isOfFolder)) return [];
    const isOptional = place.inOptional || !required.includes(name);
    if (shape.properties) return fieldsOf(shape, path, { ...place, inOptional: isOptional });
    const isFolder = property.watched === 'folder';
    return [
      {
        path,
        group,
        about: aboutOf(property.description ?? shape.description ?? '', property.default),
        type: isFolder ? 'folder' : typeOf(shape),
        isOptional,
        fallback: property.default === undefined || property.default === null ? '' : valueText(property.default),
        choices: isFolder ? [...(place.folders ?? [])] : (shape.enum ?? []).map(String),
      },
    ];
  });
}

/** A plan states `null`, the meaning of which a form has for a field that is empty, or, beside another default, for the word. */
const aboutOf = (text: string, fallback: unknown): string =>
  text.replace(
    /(^|; )null: /,
    (_, before: string) => `${before}${(fallback ?? null) === null ? 'empty' : 'the word null'}: `,
  );

/** The non-null part of a nullable schema. */
function withoutNull(shape: Shape): Shape {
  const some = (shape.anyOf ?? []).filter(({ type }) => type !== 'null');
  return some.length === 1 ? some[0]! : shape;
}

function typeOf({ type, secret, items, ...shape }: Shape): FeedField['type'] {
  const types = typeof type === 'string' ? [type] : (type ?? []);
  const [only, ...more] = types.filter((one) => one !== 'null');
  if (secret) return 'secret';
  if (shape.enum) return 'choice';
  if (more.length > 0) return 'yaml';
  if (only === 'string') return 'text';
  if (only === 'number' || only === 'integer') return 'number';
  if (only === 'boolean') return 'yes-no';
  return only === 'array' && items?.type === 'string' ? 'list' : 'yaml';
}

const valueText = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? JSON.stringify(value) : String(value);
