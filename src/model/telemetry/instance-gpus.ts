/**
 * The GPU of cloud instance types, by the words that prices name it with. Sources, read in 2026:
 * https://aws.amazon.com/ec2/instance-types/accelerated-computing/, https://cloud.google.com/compute/docs/gpus,
 * https://learn.microsoft.com/azure/virtual-machines/sizes/overview (ND, NC), https://docs.oracle.com/iaas/Content/Compute/References/computeshapes.htm
 */
const families: readonly (readonly [type: RegExp, model: string])[] = [
  [/^p3\.|^p3dn\./, 'V100'],
  [/^p4d\./, 'A100 40GB'],
  [/^p4de\./, 'A100 80GB'],
  [/^p5\./, 'H100 80GB'],
  [/^p5en?\./, 'H200 141GB'],
  [/^p6-b200\./, 'B200'],
  [/^g4dn\./, 'T4'],
  [/^g5\./, 'A10G'],
  [/^g6\./, 'L4'],
  [/^g6e\./, 'L40S'],
  [/^a2-(?:high|mega)gpu-/, 'A100 40GB'],
  [/^a2-ultragpu-/, 'A100 80GB'],
  [/^a3-(?:high|mega|edge)gpu-/, 'H100 80GB'],
  [/^a3-ultragpu-/, 'H200 141GB'],
  [/^a4-highgpu-/, 'B200'],
  [/^g2-standard-/, 'L4'],
  [/^standard_nd96asr_v4$/, 'A100 40GB'],
  [/^standard_nd96amsr_a100_v4$|^standard_nc\d+ads_a100_v4$/, 'A100 80GB'],
  [/^standard_nd96isr_h100_v5$/, 'H100 80GB'],
  [/^standard_nc\d+ad(?:i)?s_h100_v5$/, 'H100 94GB'],
  [/^standard_nd96isr_h200_v5$/, 'H200 141GB'],
  [/^bm\.gpu4\.8$/, 'A100 40GB'],
  [/^bm\.gpu\.a100-v2\.8$/, 'A100 80GB'],
  [/^bm\.gpu\.h100\.8$/, 'H100 80GB'],
  [/^bm\.gpu\.h200\.8$/, 'H200 141GB'],
];

/** `p5.48xlarge` has `H100 80GB`. null: it has no GPU, or is not known here. */
export function gpuOfInstanceType(type: string): string | null {
  const name = type.toLowerCase();
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
