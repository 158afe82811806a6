import type { LineChange, Move, RankingChange } from '../../model/incident/what-if.ts';
import { escapeMarkdown, typeText } from './report-text.ts';

/** What an assumption changes, in front of the incident under it; of each incident the most important moves. */
export function renderChanges(
  supposed: string,
  changes: readonly RankingChange[],
  format: 'timeline' | 'markdown',
): string {
  const lines = changes.flatMap((change) => [
    `${format === 'markdown' ? '- ' : ''}${change.incident}  ${escapedText(change.sentence, format)}`,
    ...change.moves
      .slice(0, MOST_MOVES)
      .flatMap((move) => [
        `${item(format, 1)}${escapedText(moveText(move), format)}`,
        ...move.evidence.slice(0, MOST_LINES).map((line) => `${item(format, 2)}${escapedText(lineText(line), format)}`),
      ]),
  ]);
  if (format === 'markdown')
    return `# What if: ${escapeMarkdown(supposed)}\n\n${lines.join('\n') || 'No incident.'}\n\n`;
  return `what if: ${supposed}\n${lines.map((text) => `  ${text}\n`).join('')}\nresult:\n\n`;
}

const MOST_MOVES = 4;
const MOST_LINES = 6;

const escapedText = (text: string, format: 'timeline' | 'markdown'): string =>
  format === 'markdown' ? escapeMarkdown(text) : text;

const item = (format: 'timeline' | 'markdown', depth: number): string =>
  format === 'markdown' ? `${'  '.repeat(depth)}- ` : '  '.repeat(depth);

function moveText({ subject, type, ...move }: Move): string {
  const name = subject ? `${typeText(type)} on ${subject.id}` : typeText(type);
  const place = (rank: number | null, probability: number | null): string =>
    rank === null ? 'not listed' : `${rank}. at ${(probability ?? 0).toFixed(2)}`;
  return `${name}: ${place(move.rank_before, move.probability_before)}, then ${place(move.rank_after, move.probability_after)}`;
}

function lineText({ change, text, weight_before, weight_after }: LineChange): string {
  const signed = (weight: number | null): string =>
    weight === null ? '' : `${weight < 0 ? '-' : '+'}${Math.abs(weight).toFixed(2)}`;
  const weights = [signed(weight_before), signed(weight_after)].filter(Boolean).join(' to ');
  return `${change} (${weights}): ${text}`;
}
