/** A value and the time at which it was measured, in minutes since the sampling began. */
export interface TimedValue {
  readonly minutes: number;
  readonly value: number;
}

// About 95 % of the slopes that noise alone causes are within two standard errors of zero.
const errorsMax = 2;
// Neighbouring samples are correlated, so the standard error understates the noise. Growth of less than this share of
// the mean over the evaluated half therefore also counts as noise.
const noiseShare = 0.03;

/**
 * Fits a line to the samples from the second half of the run; the first half is the warm-up. The value is flat if the
 * slope is at most two standard errors above zero, or if the growth over the second half is less than 3 % of the mean.
 *
 * @param samples ordered by time
 */
export function memoryTrend(samples: readonly TimedValue[]) {
  const last = samples.at(-1)?.minutes ?? Number.NaN;
  const half = samples.filter(({ minutes, value }) => minutes >= last / 2 && Number.isFinite(value));
  const { slope, standardError } = regression(half);
  const mean = half.reduce((total, { value }) => total + value, 0) / half.length;
  const growth = slope * (last / 2);
  return { slope, standardError, mean, isFlat: slope <= errorsMax * standardError || growth < noiseShare * mean };
}

/** Fits a line by least squares. @returns NaN for fewer than three samples */
export function regression(samples: readonly TimedValue[]): { readonly slope: number; readonly standardError: number } {
  const count = samples.length;
  if (count < 3) return { slope: Number.NaN, standardError: Number.NaN };
  const meanOf = (values: readonly number[]) => values.reduce((total, value) => total + value, 0) / count;
  const meanTime = meanOf(samples.map(({ minutes }) => minutes));
  const meanValue = meanOf(samples.map(({ value }) => value));
  const spread = count * meanOf(samples.map(({ minutes }) => (minutes - meanTime) ** 2));
  const slope =
    (count * meanOf(samples.map(({ minutes, value }) => (minutes - meanTime) * (value - meanValue)))) / spread;
  const residual = (sample: TimedValue) => sample.value - meanValue - slope * (sample.minutes - meanTime);
  const variance = (count * meanOf(samples.map((sample) => residual(sample) ** 2))) / (count - 2);
  return { slope, standardError: Math.sqrt(variance / spread) };
}
