const LINE_END = 0x0a;
const COMMENT = 0x23;

/**
 * Counts the samples of a text page while it arrives: lines that are neither empty nor comments, as `sample_limit` of a
 * Prometheus server does.
 */
export class SampleCount {
  count = 0;
  private isLineStart = true;

  take(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const first = chunk[at]!;
      if (this.isLineStart && first !== LINE_END && first !== COMMENT) this.count++;
      const end = chunk.indexOf(LINE_END, at);
      this.isLineStart = end >= 0;
      if (end < 0) return;
      at = end + 1;
    }
  }
}
