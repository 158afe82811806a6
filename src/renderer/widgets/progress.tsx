/** Without a total, it only shows that work is in progress. */
export function Progress({
  label,
  done,
  total,
}: {
  readonly label: string;
  readonly done?: number;
  readonly total?: number;
}) {
  return (
    <div className="progress">
      <span className="muted">{label}</span>
      {total ? (
        <progress aria-label={label} value={Math.min(done ?? 0, total)} max={total} />
      ) : (
        <progress aria-label={label} />
      )}
    </div>
  );
}
