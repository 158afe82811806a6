export const BUCKETS = 60;
const HEIGHT = 14;

/** Lines over the window, one bar a bucket; the onset as a line. */
export function Sparkline({ counts, onset }: { readonly counts: Int32Array; readonly onset: number | null }) {
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const bars = Array.from(counts, (count, at) =>
    count === 0 ? '' : `M${at} ${HEIGHT}h1v${-Math.max(1, (count / most) * HEIGHT).toFixed(2)}h-1z`,
  ).join('');
  return (
    <svg className="sparkline" viewBox={`0 0 ${counts.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={bars} className="sparkline-bars" />
      {onset === null ? null : <path d={`M${onset * counts.length} 0v${HEIGHT}`} className="sparkline-onset" />}
    </svg>
  );
}
