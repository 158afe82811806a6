/** A record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg). */
export interface KernelRecord {
  /** Counts every message since boot. */
  readonly sequence: number;
  /** Time since boot, by the clock of printk. */
  readonly uptime_ns: bigint;
  /** syslog level 0 to 7. */
  readonly level: number;
  /** Whether the kernel wrote it: programs cannot write messages with its facility. */
  readonly isKernel: boolean;
  readonly message: string;
  /** ` SUBSYSTEM=pci`, ` DEVICE=+pci:0000:9b:00.0`: the subject of the message. */
  readonly properties: Readonly<Record<string, string>>;
  readonly raw: string;
}

const HEAD = /^(\d{1,4}),(\d{1,15}),(\d{1,15}),[^;]*;(.*)$/;
const PROPERTY = /^ ([A-Za-z_][\w]*)=(.*)$/;
/** Longer lines are dropped. */
const LONGEST_LINE = 64 * 1024;

/** Splits input into records: the kernel returns whole records, a pipe any part of them. */
export class RecordReader {
  private rest = '';
  private open: KernelRecord | undefined;
  private readonly decoder = new TextDecoder();
  /** Lines that are no records. */
  unparsedLines = 0;

  /** Complete records; the last one is complete when the next starts, or at `end`. */
  read(bytes: Uint8Array): KernelRecord[] {
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n');
    this.rest = lines.pop() ?? '';
    if (this.rest.length > LONGEST_LINE) this.rest = '';
    return lines.flatMap((line) => this.line(line));
  }

  /** No more input for now: the last record is complete. */
  end(): KernelRecord[] {
    const { open } = this;
    this.open = undefined;
    return open ? [open] : [];
  }

  private line(line: string): KernelRecord[] {
    const property = PROPERTY.exec(line);
    if (property) {
      if (!this.open) return [];
      const [, name = '', value = ''] = property;
      this.open = { ...this.open, properties: { ...this.open.properties, [name]: plain(value) } };
      return [];
    }
    const head = HEAD.exec(line);
    if (!head) {
      if (line !== '') this.unparsedLines++;
      return [];
    }
    const [, priority = '', sequence = '', microseconds = '', message = ''] = head;
    const before = this.end();
    this.open = {
      sequence: Number(sequence),
      uptime_ns: BigInt(microseconds) * 1000n,
      level: Number(priority) & 7,
      isKernel: Number(priority) >> 3 === 0,
      message: plain(message),
      properties: {},
      raw: line,
    };
    return before;
  }
}

/** Non-printable and non-ASCII bytes are written as `\x0a`. */
function plain(text: string): string {
  if (!text.includes('\\x')) return text;
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = /^\\x([0-9a-f]{2})/.exec(text.slice(at, at + 4))?.[1];
    if (code === undefined) bytes.push(...Buffer.from(text[at]!));
    else {
      bytes.push(Number.parseInt(code, 16));
      at += 3;
    }
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
