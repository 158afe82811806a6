import checkpointLines from './jobs/checkpoint-lines.sql?raw';
import drawnIntervals from './jobs/drawn-intervals.sql?raw';
import heatCells from './jobs/heat-cells.sql?raw';
import jobOperations from './jobs/job-operations.sql?raw';
import lifeSigns from './jobs/life-signs.sql?raw';
import metricStepProcesses from './jobs/metric-step-processes.sql?raw';
import podGpus from './jobs/pod-gpus.sql?raw';
import slicesOfLines from './jobs/slices-of-lines.sql?raw';
import slicesOfSpans from './jobs/slices-of-spans.sql?raw';
import stepProcesses from './jobs/step-processes.sql?raw';
import stepReturns from './jobs/step-returns.sql?raw';
import stepsOfLines from './jobs/steps-of-lines.sql?raw';
import stepsOfMetrics from './jobs/steps-of-metrics.sql?raw';
import stepsOfSpans from './jobs/steps-of-spans.sql?raw';
import waitsOfRanks from './jobs/waits-of-ranks.sql?raw';
import serviceLogRanks from './measurements/service-log-ranks.sql?raw';
import serviceLogSteps from './measurements/service-log-steps.sql?raw';
import serviceMetricRanks from './measurements/service-metric-ranks.sql?raw';
import serviceSpanSteps from './measurements/service-span-steps.sql?raw';
import stepCounters from './measurements/step-counters.sql?raw';
import stepFigures from './measurements/step-figures.sql?raw';
import stepSeries from './measurements/step-series.sql?raw';
import stoppedRanks from './measurements/stopped-ranks.sql?raw';
import trainingLines from './measurements/training-lines.sql?raw';
import trainingRuns from './measurements/training-runs.sql?raw';
import trainingStepSpans from './measurements/training-step-spans.sql?raw';
import trainingLoops from './traces/training-loops.sql?raw';

/** Queries about the steps of training jobs, and what their ranks did. */
export const jobQueries = {
  countedSteps: stepSeries + stepCounters + stepFigures,
  serviceLogRanks: trainingLines + serviceLogRanks + stepFigures,
  serviceMetricRanks: stepSeries + serviceMetricRanks + stepFigures,
  stoppedRanks: stepSeries + stoppedRanks,
  serviceLogSteps: trainingLines + serviceLogSteps + stepFigures,
  trainingRuns: trainingLines + trainingStepSpans + trainingRuns,
  serviceSpanSteps: trainingLoops + stepsOfSpans + serviceSpanSteps + stepFigures,
  checkpointLines,
  jobOperations,
  lifeSigns,
  lineStepCells: trainingLines + stepsOfLines + slicesOfLines + heatCells,
  lineStepProcesses: trainingLines + stepsOfLines + stepProcesses,
  podGpus,
  lineStepReturns: trainingLines + stepsOfLines + stepReturns,
  rankWaitCells: waitsOfRanks + heatCells,
  rankWaitIntervals: waitsOfRanks + drawnIntervals,
  spanStepCells: trainingLoops + stepsOfSpans + slicesOfSpans + heatCells,
  spanStepProcesses: trainingLoops + stepsOfSpans + stepProcesses,
  metricStepCells: stepSeries + stepsOfMetrics + slicesOfLines + heatCells,
  metricStepProcesses: stepSeries + stepsOfMetrics + metricStepProcesses,
} as const;
