import type { ComparedCall, ComparedGraph, ComparedService } from './service-change.ts';

export const NODE = { width: 208, height: 48 } as const;
const ACROSS = 96;
const DOWN = 20;
const EDGE = 16;
/** Services in the picture; the others are in the table. */
const MOST = 60;

export interface PlacedService {
  readonly node: ComparedService;
  readonly x: number;
  readonly y: number;
}

export interface PlacedCall {
  readonly call: ComparedCall;
  readonly path: string;
  /** Width of the line: by the logarithm of the calls. */
  readonly width: number;
}

export interface ServiceLayout {
  readonly services: readonly PlacedService[];
  readonly calls: readonly PlacedCall[];
  readonly width: number;
  readonly height: number;
  /** Services that are not in the picture. */
  readonly left: number;
}

/** Callers to the left of what they call, those with most calls above; a call against this direction is drawn as one. */
export function layoutServices({ services, calls }: Omit<ComparedGraph, 'isCompared'>): ServiceLayout {
  const callsOf = new Map(services.map(({ service }) => [service, 0]));
  for (const { caller, callee, calls: count, before } of calls)
    for (const one of [caller, callee])
      if (one !== null) callsOf.set(one, (callsOf.get(one) ?? 0) + Math.max(count, before?.calls ?? 0));
  const shown = services
    .toSorted((a, b) => callsOf.get(b.service)! - callsOf.get(a.service)! || (a.service < b.service ? -1 : 1))
    .slice(0, MOST);
  const known = new Set(shown.map(({ service }) => service));
  const inner = calls.filter(({ caller, callee }) => caller !== null && known.has(caller) && known.has(callee));
  const columns = columnsOf([...known], inner);
  const placed = place(shown, columns, inner);
  const at = new Map(placed.map((one) => [one.node.service, one]));
  const most = Math.max(1, ...inner.map((one) => one.calls));
  return {
    services: placed,
    calls: inner.map((call) => drawCall(call, at.get(call.caller ?? '')!, at.get(call.callee)!, most)),
    width: Math.max(0, ...placed.map(({ x }) => x + NODE.width)) + EDGE,
    height: Math.max(0, ...placed.map(({ y }) => y + NODE.height)) + EDGE,
    left: services.length - shown.length,
  };
}

/** The longest way to each service from one that nobody calls; a call back to a service on the way counts nothing. */
function columnsOf(services: readonly string[], calls: readonly ComparedCall[]): ReadonlyMap<string, number> {
  const callees = Map.groupBy(calls, ({ caller }) => caller ?? '');
  const called = new Set(calls.map(({ callee }) => callee));
  const columns = new Map<string, number>();
  const onWay = new Set<string>();
  const walk = (service: string, column: number): void => {
    if (onWay.has(service) || (columns.get(service) ?? -1) >= column) return;
    columns.set(service, column);
    onWay.add(service);
    for (const { callee } of callees.get(service) ?? []) walk(callee, column + 1);
    onWay.delete(service);
  };
  for (const service of services) if (!called.has(service)) walk(service, 0);
  // Of a circle that nobody enters the first service begins.
  for (const service of services) if (!columns.has(service)) walk(service, 0);
  return columns;
}

/** Within a column by the mean place of the callers, so that few lines cross. */
function place(
  services: readonly PlacedService['node'][],
  columns: ReadonlyMap<string, number>,
  calls: readonly ComparedCall[],
): PlacedService[] {
  const rows = new Map<string, number>();
  const byColumn = Map.groupBy(services, ({ service }) => columns.get(service) ?? 0);
  const placed: PlacedService[] = [];
  for (const column of [...byColumn.keys()].sort((a, b) => a - b)) {
    const own = byColumn.get(column)!;
    const wanted = new Map(
      own.map(({ service }, at) => {
        const from = calls.flatMap(({ caller, callee }) => (callee === service ? (rows.get(caller ?? '') ?? []) : []));
        return [service, from.length === 0 ? at : from.reduce((sum, row) => sum + row, 0) / from.length];
      }),
    );
    const ordered = own.toSorted((a, b) => wanted.get(a.service)! - wanted.get(b.service)!);
    for (const [row, node] of ordered.entries()) {
      rows.set(node.service, row);
      placed.push({ node, x: EDGE + column * (NODE.width + ACROSS), y: EDGE + row * (NODE.height + DOWN) });
    }
  }
  return placed;
}

const THICKEST = 4;

function drawCall(call: ComparedCall, from: PlacedService, to: PlacedService, most: number): PlacedCall {
  const width = 1 + (THICKEST - 1) * (Math.log1p(call.calls) / Math.log1p(most));
  const [y0, y1] = [from.y + NODE.height / 2, to.y + NODE.height / 2];
  const isOnward = to.x > from.x;
  const [x0, x1] = isOnward ? [from.x + NODE.width, to.x] : [from.x, to.x + NODE.width];
  const bend = isOnward ? (x1 - x0) / 2 : -ACROSS / 2;
  return {
    call,
    path: `M${x0} ${y0}C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1} ${y1}`,
    width,
  };
}
