/** Of the dashboard that `archive init --grafana` prints. */
export const DASHBOARD = 'faultline-incidents';

/** Address of the dashboard of incidents at a time. @param base address of Grafana */
export function dashboardLink(
  base: string,
  { from_ns, until_ns }: { readonly from_ns: bigint; readonly until_ns: bigint },
): string {
  return `${base.replace(/\/+$/, '')}/d/${DASHBOARD}?from=${from_ns / 1_000_000n}&to=${until_ns / 1_000_000n}`;
}
