import { severityStyle } from '../../draw/text/log-text.ts';

export function SeverityLabel({ severity }: { readonly severity: number }) {
  const { word, tone } = severityStyle(severity);
  return <span className={`severity-word ${tone}`}>{word}</span>;
}
