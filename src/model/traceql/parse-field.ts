import { refuse } from './problem.ts';
import { type AttributeScope, type Field, type Intrinsic, intrinsics } from './syntax.ts';

/** The scoped names of newer versions beside the older ones without a scope. */
const scoped: Readonly<Record<string, Intrinsic>> = {
  'span:name': 'name',
  'span:duration': 'duration',
  'span:status': 'status',
  'span:statusMessage': 'statusMessage',
  'span:kind': 'kind',
  'span:id': 'spanId',
  'span:parentID': 'parentId',
  'span:childCount': 'childCount',
  'event:name': 'eventName',
  'event:timeSinceStart': 'eventTime',
  'link:spanID': 'linkSpanId',
  'link:traceID': 'linkTraceId',
  'instrumentation:name': 'scopeName',
  'instrumentation:version': 'scopeVersion',
  'trace:duration': 'traceDuration',
  'trace:rootName': 'rootName',
  'trace:rootService': 'rootServiceName',
  'trace:id': 'traceId',
};

/** These have names of their own only with a scope, and are not written without. */
const withScopeOnly: readonly Intrinsic[] = [
  ...(['spanId', 'traceId', 'parentId', 'childCount', 'eventName', 'eventTime'] as const),
  ...(['linkSpanId', 'linkTraceId', 'scopeName', 'scopeVersion'] as const),
];

const attributeScopes: readonly (readonly [string, AttributeScope])[] = [
  ['.', 'any'],
  ['span.', 'span'],
  ['resource.', 'resource'],
  ['event.', 'event'],
  ['link.', 'link'],
  ['instrumentation.', 'instrumentation'],
];
const otherScopes = ['event:', 'link:', 'instrumentation:'];

const PARENT = 'parent.';
/** What is asked of a parent beside its attributes. */
const parentIntrinsics: readonly Intrinsic[] = ['name', 'duration', 'status', 'statusMessage', 'kind'];

/** A name in braces that is no constant. A dotted name without a scope is an attribute, as if it began with a dot. */
export function parseField(text: string, at: number): Field {
  const intrinsic = scoped[text] ?? (Object.keys(intrinsics) as Intrinsic[]).find((name) => name === text);
  if (intrinsic !== undefined && !(withScopeOnly.includes(intrinsic) && text === intrinsic))
    return { kind: 'intrinsic', name: intrinsic, at };
  if (text.startsWith(PARENT)) return parentField(text.slice(PARENT.length), at);
  for (const [prefix, scope] of attributeScopes)
    if (text.startsWith(prefix)) return attribute(scope, text.slice(prefix.length), at);
  const foreign = otherScopes.find((prefix) => text.startsWith(prefix));
  if (foreign !== undefined)
    return refuse(
      'traceql.unsupported',
      at,
      `fields that begin with ${foreign} are not supported yet`,
      `for an attribute of that name write .${text}`,
    );
  if (text.includes('.')) return attribute('any', text, at);
  return refuse(
    'traceql.unknown',
    at,
    `unknown field ${text}`,
    `for an attribute of that name write .${text}; known are ${known.join(', ')}`,
  );
}

const known = Object.keys(intrinsics).filter((name) => !withScopeOnly.includes(name as Intrinsic));

function attribute(scope: AttributeScope, name: string, at: number): Field {
  if (name === '') return refuse('traceql.syntax', at, 'the name of the attribute is missing');
  return { kind: 'attribute', scope, name, at };
}

/** @param text behind `parent.` */
function parentField(text: string, at: number): Field {
  const name = parentIntrinsics.find((one) => one === text);
  if (name !== undefined) return { kind: 'intrinsic', name, at, ofParent: true };
  if (/^(?:event|link|instrumentation|parent)\./.test(text) || Object.hasOwn(intrinsics, text))
    return refuse(
      'traceql.unsupported',
      at,
      `a parent is asked for ${parentIntrinsics.join(', ')} and attributes`,
      'for example {parent.span.http.method = "GET"}',
    );
  const [, prefix, rest = ''] = /^(span\.|resource\.|\.)?(.*)$/s.exec(text) ?? [];
  const scope = prefix === 'span.' ? 'span' : prefix === 'resource.' ? 'resource' : 'any';
  return { ...attribute(scope, rest, at), ofParent: true };
}
