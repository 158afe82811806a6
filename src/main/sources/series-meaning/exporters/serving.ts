import { genericNaming } from '../naming.ts';
import { isServing, servingNames, servingOf } from '../serving.ts';
import { servingNaming } from '../serving-naming.ts';
import type { Exporter } from './exporter.ts';

/** Inference servers: their metrics are about a service and a model. */
export const serving: Exporter = {
  title:
    'inference servers: vLLM, SGLang, TGI, Triton, TensorRT-LLM, Dynamo, Ray Serve, KServe, NIM, llama.cpp, proxies of Ollama',
  names: servingNames,
  owns: isServing,
  reading: ({ name, labels }) => servingOf(name, labels)?.reading,
  naming: ({ name, labels }, surroundings) => {
    const found = servingOf(name, labels);
    return found ? servingNaming(found, labels, surroundings) : genericNaming(labels, surroundings);
  },
};
