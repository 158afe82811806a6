/** Line icons on a 16 px grid; each is next to its name or has a label. */
const paths = {
  timeline: 'M2 3.5h7M5 8h9M2 12.5h6',
  causes: 'M3 3.5h0M3 3.5v6.5h5M8 10l-2-2M8 10l-2 2M11 10h2.5',
  topology: 'M2 3h4v3H2zM10 2h4v3h-4zM10 11h4v3h-4zM6 4.5h2v8h2M8 3.5h2',
  logs: 'M2.5 3.5h1M6 3.5h7.5M2.5 8h1M6 8h5M2.5 12.5h1M6 12.5h7',
  patterns: 'M2.5 2.5h4v4h-4zM9.5 9.5h4v4h-4zM9.5 4.5h4M11.5 2.5v4M2.5 9.5l4 4M6.5 9.5l-4 4',
  differences: 'M3 13.5V6.5M6 13.5V9.5M10 13.5V2.5M13 13.5V11M2 13.5h12',
  traces: 'M2 3.5h12M4 6.5h7M6 9.5h6M8 12.5h2',
  report: 'M4 1.75h5.5L12.5 5v9.25h-8.5zM6 7.5h4.5M6 10.5h4.5',
  gpus: 'M4 4h8v8H4zM6.5 6.5h3v3h-3zM6 4V2M10 4V2M6 14v-2M10 14v-2M4 6H2M4 10H2M14 6h-2M14 10h-2',
  jobs: 'M2.5 2.5h3v3h-3zM6.5 2.5h3v3h-3zM10.5 2.5h3v3h-3zM2.5 6.5h3v3h-3zM10.5 6.5h3v3h-3zM2.5 10.5h3v3h-3zM6.5 10.5h3v3h-3z',
  lifecycle: 'M2 4h4M4.5 8h5M8 12h6M6 4v2.5M9.5 8v2.5',
  costs: 'M8 1.75v12.5M11 4.5c-.8-1-5.8-1.4-6 1.2-.2 2.8 6.2 1.6 6 4.6-.2 2.6-5.4 2.2-6.2.9',
  sql: 'M2.5 2.5h11v11h-11zM5 6l2 2-2 2M8.5 10.5h3',
  sources: 'M2.5 4c0-2.4 11-2.4 11 0s-11 2.4-11 0v8c0 2.4 11 2.4 11 0V4M2.5 8c0 2.4 11 2.4 11 0',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
