/** Lines and labels of a time axis, behind and below `height`. */
export function TimeTicks({
  ticks,
  height,
}: {
  readonly ticks: readonly { readonly x: number; readonly label: string }[];
  readonly height: number;
}) {
  return ticks.map(({ x, label }) => (
    <g key={x}>
      <line className="chart-grid" x1={x} x2={x} y1={0} y2={height} />
      <text className="chart-text" x={x} y={height + 14} textAnchor="middle">
        {label}
      </text>
    </g>
  ));
}
