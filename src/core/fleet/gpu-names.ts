/**
 * Which metrics of an archive may be figures of GPUs, by their names in lower case: one of a device, and of what is measured. RE2 and JavaScript
 * read these patterns alike. What a metric is, the importers decide; a test looks for all names of exporters that they know.
 */
export const gpuDevices = 'gpu|dcgm|nvidia|amd|rocm|smi|habana|xpu|hw[._]|temperature';
export const gpuMeasures =
  'util|temp|xid|ecc|throttl|violation|clocks?_?(event|slow)|error|busy|activ|use|engine_ratio';
