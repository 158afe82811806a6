import { linkOf, objectOf, textOf } from './format.ts';
import { leavesOf, propertyOf, throttleMask } from './properties.ts';
import type { Resource } from './resource-tree.ts';
import { each, excerpt, of, status, type Walk } from './walk.ts';

const METRICS = ['ProcessorMetrics', 'MemoryMetrics', 'PortMetrics', 'NvidiaProcessorResetMetrics'] as const;

/** Processors, their memory and their links. */
export function readProcessors(walk: Walk): void {
  for (const [{ id, doc }, now] of each(walk, 'Processor')) status(now, walk.machine.of(id), doc);
  for (const [{ id, doc }, { time_ns, place }] of each(walk, 'Memory')) {
    const entity = walk.machine.exact(id);
    if (entity?.kind !== 'gpu') continue;
    for (const member of ['RowRemappingPending', 'RowRemappingFailed']) {
      const flags = objectOf(objectOf(doc['Oem'])['Nvidia']);
      const property = propertyOf(entity, 'Memory', member, flags[member]);
      if (property) walk.sampler.sample({ entity, time_ns, place, ...property });
    }
  }
  for (const [{ id, doc }, now] of each(walk, 'Port')) {
    const entity = walk.machine.exact(id);
    if (entity?.kind !== 'nvlink') continue;
    const link = textOf(doc['LinkStatus']);
    const value = /^LinkUp$/i.test(link) ? 1 : /^(LinkDown|NoLink)$/i.test(link) ? 0 : undefined;
    const { time_ns, place } = now;
    if (value !== undefined) walk.sampler.sample({ entity, quantity: of('hw.link.state', '1'), value, time_ns, place });
    excerpt(now, entity, of('redfish.CurrentSpeedGbps', 'Gbit/s'), doc['CurrentSpeedGbps']);
  }
  for (const [resource, now] of each(walk, ...METRICS)) readMetrics(now, resource);
}

function readMetrics(walk: Walk, { id, type, doc }: Resource): void {
  const entity = walk.machine.of(id.replace(/\/(ProcessorMetrics|MemoryMetrics|Metrics|Oem\/.*)$/, ''));
  // Network adapters have port metrics too, but the resource does not state their connections.
  if (type === 'PortMetrics' && entity.kind !== 'nvlink') return;
  // A memory summary repeats the metrics of the memory itself.
  if (/\/MemorySummary\//.test(id) && repeatedByMemory(walk, id)) return;
  const part = type === 'MemoryMetrics' && entity.kind !== 'gpu' ? { memory: id.split('/').at(-2) } : {};
  for (const [path, value] of leavesOf(doc)) {
    if (/ThrottleReasons$/.test(path)) {
      const mask = throttleMask(value);
      if (!mask || entity.kind !== 'gpu') continue;
      const attributes = mask.unnamed.length > 0 ? { hw: mask.unnamed.join() } : {};
      const quantity = of('hw.gpu.clocks_event_reasons', '1');
      walk.sampler.sample({ entity, quantity, value: mask.mask, time_ns: walk.time_ns, attributes, place: id });
      continue;
    }
    const reading = objectOf(value);
    const property = propertyOf(entity, type, path, 'DataSourceUri' in reading ? reading['Reading'] : value);
    if (!property) continue;
    const attributes = { ...part, ...property.attributes };
    const place = `${id}#/${path}`;
    if ('DataSourceUri' in reading)
      excerpt(walk, entity, property.quantity, value, { sure: true, attributes, member: path });
    else walk.sampler.sample({ entity, time_ns: walk.time_ns, ...property, attributes, place });
  }
}

function repeatedByMemory(walk: Walk, id: string): boolean {
  const processor = id.replace(/\/MemorySummary\/.*$/, '');
  return (
    walk.tree
      .ofType('MemoryMetrics')
      .some(
        (other) => !/\/MemorySummary\//.test(other.id) && walk.machine.of(other.id) === walk.machine.exact(processor),
      ) && linkOf(walk.tree.get(processor)?.doc) !== ''
  );
}
