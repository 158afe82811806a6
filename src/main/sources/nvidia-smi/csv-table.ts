import { csvFields } from '../../../base/csv-reader.ts';
import { gpuUuid } from '../nvidia/gpu-uuid.ts';
import { queryField, queryFieldName, queryFieldNames } from '../nvidia/query-fields.ts';
import type { GpuRecord, ProcessRecord, Property } from './gpu-record.ts';

interface Column {
  readonly name: string;
  /** `W` of `power.draw [W]`. */
  readonly unit: string;
}

const CELL = /^([a-z][\w.-]*)(?: \[([^\]]{1,12})\])?$/i;
/** Names that only nvidia-smi's answers have. */
const DISTINCTIVE_NAME = /\.|^(pstate|gpu_uuid|gpu_bus_id|used_gpu_memory|used_memory)$/;
const KNOWN: ReadonlySet<string> = new Set([
  ...queryFieldNames,
  'pid',
  'process_name',
  'used_gpu_memory',
  'used_memory',
]);

/** A header of `--query-gpu=… --format=csv`; undefined when the line is none. */
export function headerOf(line: string): CsvTable | undefined {
  if (line.length > 100_000) return undefined;
  const columns: Column[] = [];
  for (const cell of csvFields(line)) {
    const [, name, unit = ''] = CELL.exec(cell) ?? [];
    if (name === undefined) return undefined;
    columns.push({ name: queryFieldName(name), unit });
  }
  const known = columns.filter(
    ({ name }) => KNOWN.has(name) || /^(ecc|clocks\w*|retired_pages|remapped_rows|memory|power)\./.test(name),
  );
  // One word alone is a header only with its unit: lists of properties look like it otherwise.
  const isDistinctive = known.some(
    ({ name, unit }) => unit !== '' || (columns.length > 1 && DISTINCTIVE_NAME.test(name)),
  );
  return isDistinctive && known.length * 2 >= Math.min(columns.length, 4) ? new CsvTable(columns) : undefined;
}

/** Rows without a header: their columns cannot be known. */
export const looksHeadless = (line: string): boolean =>
  /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d\.\d{3}, /.test(line) &&
  csvFields(line).some((cell) =>
    /^\d+(\.\d+)? (W|%|MiB|MHz)$|^GPU-[0-9a-f-]{36}$|^[0-9A-F]{8}:[0-9A-F]{2}:/.test(cell),
  );

/** The rows below one header. */
export class CsvTable {
  private readonly columns: readonly Column[];
  private readonly place = new Map<string, number>();

  constructor(columns: readonly Column[]) {
    this.columns = columns;
    columns.forEach(({ name }, index) => {
      if (!this.place.has(name)) this.place.set(name, index);
    });
  }

  get width(): number {
    return this.columns.length;
  }

  get hasTimes(): boolean {
    return this.place.has('timestamp');
  }

  get namesGpus(): boolean {
    return ['uuid', 'index', 'pci.bus_id'].some((name) => this.place.has(name));
  }

  /** Lists of retired pages, which are no measurements. */
  get isList(): boolean {
    return this.place.has('retired_pages.address') || this.place.has('retired_pages.cause');
  }

  cell(cells: readonly string[], name: string): string {
    const index = this.place.get(name);
    const text = index === undefined ? '' : (cells[index] ?? '');
    return /^\[.*\]$|^N\/A$/i.test(text) ? '' : text;
  }

  names(cells: readonly string[]): GpuRecord['names'] {
    return {
      uuid: gpuUuid(this.cell(cells, 'uuid')),
      host: this.cell(cells, 'hostname') || undefined,
      index: this.cell(cells, 'index') || undefined,
      pci: this.cell(cells, 'pci.bus_id') || undefined,
    };
  }

  attributes(cells: readonly string[]): GpuRecord['attributes'] {
    return {
      model: this.cell(cells, 'name') || undefined,
      driver_version: this.cell(cells, 'driver_version') || undefined,
      serial: this.cell(cells, 'serial') || undefined,
      vbios_version: this.cell(cells, 'vbios_version') || undefined,
    };
  }

  /** Every column but those that name the GPU. */
  properties(cells: readonly string[]): Property[] {
    return this.columns.flatMap(({ name, unit }, index) => {
      if (queryField(name) === undefined || /^clocks_event_reasons\.(?!active)/.test(name)) return [];
      return [{ name, text: cells[index] ?? '', unit: unit === 'C' ? 'Cel' : unit }];
    });
  }

  reasons(cells: readonly string[]): string[] | undefined {
    let listed = false;
    const active = this.columns.flatMap(({ name }, index) => {
      const text = cells[index] ?? '';
      if (!/^clocks_event_reasons\.(?!active|supported)/.test(name) || !/^(not )?active$/i.test(text)) return [];
      listed = true;
      return /^active$/i.test(text) ? [name] : [];
    });
    return listed ? active : undefined;
  }

  process(cells: readonly string[]): ProcessRecord | undefined {
    if (!this.place.has('pid')) return undefined;
    const column = this.columns.find(({ name }) => name === 'used_gpu_memory' || name === 'used_memory');
    const pid = this.cell(cells, 'pid');
    if (!/^\d{1,10}$/.test(pid)) return undefined;
    const used = column ? this.cell(cells, column.name) : '';
    return { pid, name: this.cell(cells, 'process_name'), instance: '', used, unit: column?.unit ?? '' };
  }

  get isOfProcesses(): boolean {
    return this.place.has('pid');
  }
}
