import { severityLook } from '../../draw/text/log-words.ts';

export function SeverityWord({ severity }: { readonly severity: number }) {
  const { word, tone } = severityLook(severity);
  return <span className={`severity-word ${tone}`}>{word}</span>;
}
