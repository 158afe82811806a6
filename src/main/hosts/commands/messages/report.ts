export const messages = {
  summary: 'write the post-mortem of a case',
  usage: [
    'faultline report CASE [--out FILE] [--format markdown|html|json|grafana] [--incident ID]',
    '  --rates FILE | --gpu-rate USD_PER_HR   GPU prices (docs/rates.example.yaml), instead of those selected in the app',
    '  --template sre|blameless|customer|rma  one document of one incident, for that use (docs/report.md)',
    '  --template FILE                        your own Markdown with {{summary}}, {{impact}}, ... in it',
    '  --thresholds FILE                      of patterns, in place of your own; `faultline thresholds` prints one',
    '  --figures files|data|words             in Markdown: beside the report (with --out), embedded, or described in text',
  ].join('\n'),
  noPdf: {
    message: 'only the desktop app prints PDF: Report, Export, PDF',
    hint: 'or write --format html and print it from a browser',
  },
  figuresNeedOut: '--figures files needs --out FILE',
  templateFormats: '--template needs --format markdown or html',
  ratesTwice: 'use either --rates or --gpu-rate, not both',
  negativeRate: '--gpu-rate cannot be negative',
  /** The report shows it as the source of the price. YAML: without colon and quotation marks. */
  rateSource: 'given as --gpu-rate',
  leaks: (names: readonly string[]) => `caution: texts for customers hold internal names: ${names.join(', ')}`,
  wrote: (file: string) => `wrote ${file}`,
  figures: (count: number) => ` and ${count} figures in report.assets`,
} as const;
