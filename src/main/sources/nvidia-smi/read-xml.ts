import { monthNumber, wallClockToNanos } from '../../../model/local-time.ts';
import { fail } from '../../../model/problem.ts';
import type { Nanos } from '../../../model/time.ts';
import { gpuUuid } from '../nvidia/gpu-uuid.ts';
import type { GpuRecord, ProcessRecord, Property, SliceRecord } from './gpu-record.ts';
import { childAt, textAt, type XmlElement } from './xml.ts';
import { propertyOf } from './xml-fields.ts';

/** One `gpu` element with its child elements. */
export interface XmlGpu {
  readonly record: GpuRecord;
  readonly slices: readonly SliceRecord[];
  readonly processes: readonly ProcessRecord[];
}

const DATE = /^[A-Za-z]{3} +([A-Za-z]{3}) +(\d{1,2}) +(\d{2}):(\d{2}):(\d{2}) +(\d{4})$/;

/**
 * `Fri Aug  4 11:44:30 2023`, the only time in a log; it has no zone.
 * @throws ProblemError time.unreadable, time.out_of_range
 */
export function logTime(text: string, zone: string): Nanos {
  const [, name = '', day, hour, minute, second, year] = DATE.exec(text.trim()) ?? [];
  const month = monthNumber(name);
  if (month === 0) return fail('time.unreadable', `cannot read the time "${text.slice(0, 60)}"`);
  const clock = {
    year: +`${year}`,
    month,
    day: +`${day}`,
    hour: +`${hour}`,
    minute: +`${minute}`,
    second: +`${second}`,
  };
  return wallClockToNanos(clock, zone);
}

/** The GPUs of a log. Their place in it is their index when all GPUs of the machine are there. */
export function gpusOf(log: XmlElement, time_ns: bigint, host: string | undefined): XmlGpu[] {
  const gpus = log.children.filter(({ name }) => name === 'gpu');
  const complete = Number(textAt(log, 'attached_gpus')) === gpus.length;
  return gpus.map((gpu, index) => {
    const uuid = gpuUuid(textAt(gpu, 'uuid'));
    const record: GpuRecord = {
      names: {
        uuid,
        host,
        index: complete ? index : undefined,
        pci: gpu.attributes.get('id') ?? textAt(gpu, 'pci/pci_bus_id'),
      },
      attributes: {
        model: textAt(gpu, 'product_name'),
        driver_version: textAt(log, 'driver_version'),
        serial: reported(textAt(gpu, 'serial')),
        vbios_version: reported(textAt(gpu, 'vbios_version')),
      },
      time_ns,
      properties: propertiesOf(gpu),
      reasons: activeReasons(gpu),
      limits: limitsOf(gpu),
    };
    return { record, slices: slicesOf(gpu), processes: processesOf(gpu) };
  });
}

const reported = (text: string): string | undefined => (/^\[?N\/A\]?$/i.test(text) ? undefined : text);

function propertiesOf(element: XmlElement, path = ''): Property[] {
  return element.children.flatMap((child) => {
    const below = path === '' ? child.name : `${path}/${child.name}`;
    if (child.children.length > 0) return propertiesOf(child, below);
    const text = child.text.trim();
    const name = propertyOf(below, text);
    return name === undefined ? [] : [{ name, text, unit: '' }];
  });
}

function activeReasons(gpu: XmlElement): string[] | undefined {
  const reasons = childAt(gpu, 'clocks_event_reasons') ?? childAt(gpu, 'clocks_throttle_reasons');
  if (!reasons) return undefined;
  const states = reasons.children.filter(({ text }) => /^(not )?active$/i.test(text.trim()));
  if (states.length === 0) return undefined;
  return states.filter(({ text }) => /^active$/i.test(text.trim())).map(({ name }) => name);
}

const thresholds: Readonly<Record<string, readonly (readonly [path: string, attribute: string])[]>> = {
  'temperature.gpu': [
    ['gpu_temp_max_gpu_threshold', 'upper_warning'],
    ['gpu_temp_slow_threshold', 'upper_critical'],
    ['gpu_temp_max_threshold', 'upper_fatal'],
  ],
  'temperature.memory': [['gpu_temp_max_mem_threshold', 'upper_critical']],
  'temperature.gpu.tlimit': [
    ['gpu_temp_max_gpu_tlimit_threshold', 'lower_warning'],
    ['gpu_temp_slow_tlimit_threshold', 'lower_critical'],
    ['gpu_temp_max_tlimit_threshold', 'lower_fatal'],
  ],
};

function limitsOf(gpu: XmlElement): GpuRecord['limits'] {
  const limits = new Map<string, Record<string, number>>();
  for (const [property, paths] of Object.entries(thresholds)) {
    const known: Record<string, number> = {};
    for (const [path, attribute] of paths) {
      const match = /^(-?\d{1,4}(?:\.\d+)?) C$/.exec(textAt(gpu, `temperature/${path}`));
      if (match) known[attribute] = Number(match[1]);
    }
    if (Object.keys(known).length > 0) limits.set(property, known);
  }
  return limits;
}

/** Compute instances share the memory of their GPU instance, so only GPU instances are slices. */
function slicesOf(gpu: XmlElement): SliceRecord[] {
  const slices = new Map<string, SliceRecord>();
  for (const device of childAt(gpu, 'mig_devices')?.children ?? []) {
    const instance = textAt(device, 'gpu_instance_id');
    if (device.name !== 'mig_device' || !/^\d{1,3}$/.test(instance) || slices.has(instance)) continue;
    const memory = childAt(device, 'fb_memory_usage');
    slices.set(instance, {
      instance,
      uuid: textAt(device, 'uuid') || textAt(device, 'mig_uuid'),
      properties: memory ? propertiesOf(memory, 'fb_memory_usage') : [],
    });
  }
  return [...slices.values()];
}

function processesOf(gpu: XmlElement): ProcessRecord[] {
  return (childAt(gpu, 'processes')?.children ?? []).flatMap((process) => {
    const pid = textAt(process, 'pid');
    if (process.name !== 'process_info' || !/^\d{1,10}$/.test(pid)) return [];
    const instance = textAt(process, 'gpu_instance_id');
    return {
      pid,
      name: textAt(process, 'process_name'),
      instance: /^\d{1,3}$/.test(instance) ? instance : '',
      used: textAt(process, 'used_memory'),
      unit: '',
    };
  });
}
