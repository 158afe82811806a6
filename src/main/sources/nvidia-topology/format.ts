/**
 * What `nvidia-smi topo -m`, `nvidia-smi nvlink --status`, `nvlink -e` and `nvidia-smi -L` print
 * (https://docs.nvidia.com/deploy/nvidia-smi/). All are meant for eyes: columns are parted by tabs, by spaces once
 * somebody has copied them, and the header of the matrix is underlined by escape codes.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are control characters
const ESCAPES = /\x1b\[[0-9;]*[A-Za-z]/g;
export const withoutEscapes = (text: string): string => text.replace(ESCAPES, '');

/** Header of the matrix: its first cell is empty, the devices follow, then what the rows end with. */
export const MATRIX_HEADER = /^[ \t]+(GPU\d+\b.*?)[ \t]+CPU Affinity\b/;
/** `GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-5269b708-…)` */
export const GPU_LINE = /^GPU (\d{1,4}): (.{1,200}) \(UUID: (GPU-[\w-]{1,80})\)\s*$/;
/** `  MIG 3g.20gb     Device  0: (UUID: MIG-…)` */
export const MIG_LINE = /^\s+MIG (\S+)\s+Device\s+\d+: \(UUID: (MIG-[\w/-]{1,80})\)\s*$/;
/** `Link 0: 25 GB/s`, `Link 3: <inactive>`, with one blank or many before it. */
export const LINK_LINE = /^\s+Link (\d{1,3}): (?:(\d+(?:\.\d+)?) (GB\/s)|<?(inactive|down|disabled)>?)\s*$/i;
/** `Link 0: Replay Errors: 0` */
export const ERROR_LINE = /^\s+Link (\d{1,3}): (\w+) Errors: (\d{1,19})\s*$/i;
/** `  NIC0: mlx5_0` below `NIC Legend:`. */
export const NIC_LINE = /^\s+(NIC\d+): (\S+)\s*$/;

/** Connection of two devices in a cell of the matrix; `X` is the device itself. */
export const RELATION = /^(X|NV\d{1,3}|PIX|PXB|PSB|PHB|NODE|SYS|SOC|C2C|INT)$/;
/** Paths that stay below one host bridge: over one PCIe switch, or several. */
export const NEAR = /^(PIX|PXB)$/;
export const NVLINK = /^NV\d+$/;

/** Lines above the first output: a prompt, a banner, the date. */
const LINES_BEFORE = 10;

/** Whether a text starts with one of the outputs. */
export function looksLikeTopology(text: string): boolean {
  const lines = withoutEscapes(text.slice(0, 8192))
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, LINES_BEFORE);
  return lines.some(
    (line, i) => GPU_LINE.test(line) || (MATRIX_HEADER.test(line) && /^GPU\d+[ \t]+X\b/.test(lines[i + 1] ?? '')),
  );
}
