import { MATRIX_HEADER, NIC_LINE, RELATION } from './format.ts';

/** One row of the matrix: a device, its relation to each other one, and which processors are near it. */
interface Row {
  readonly device: string;
  readonly relations: readonly (readonly [device: string, relation: string])[];
  readonly cpus: string;
  readonly numa: string;
}

/** Reads the lines of a matrix as they come. */
export class Matrix {
  readonly rows: Row[] = [];
  /** `NIC0` to `mlx5_0`. */
  readonly nics = new Map<string, string>();
  columns: readonly string[] = [];

  /** @returns false when the line is none of a matrix, a reason when it is a broken one */
  line(text: string): boolean | string {
    const header = MATRIX_HEADER.exec(text);
    if (header) {
      this.columns = header[1]!.split(/\s+/);
      return true;
    }
    const nic = NIC_LINE.exec(text);
    if (nic && this.columns.includes(nic[1]!)) {
      this.nics.set(nic[1]!, nic[2]!);
      return true;
    }
    const [device = '', ...cells] = text.trim().split(/\s+/);
    return this.columns.includes(device) && !text.includes(':') ? this.row(device, cells) : false;
  }

  private row(device: string, cells: readonly string[]): boolean | string {
    const { columns } = this;
    const relations = cells.slice(0, columns.length);
    if (relations.length < columns.length) return `${relations.length} cells below ${columns.length} devices`;
    const strange = relations.find((cell) => !RELATION.test(cell));
    if (strange !== undefined) return `"${strange}" is no relation of two devices`;
    const [cpus = '', numa = ''] = cells.slice(columns.length).map((cell) => (/^\d[\d,-]*$/.test(cell) ? cell : ''));
    this.rows.push({ device, relations: relations.map((relation, i) => [columns[i]!, relation]), cpus, numa });
    return true;
  }
}
