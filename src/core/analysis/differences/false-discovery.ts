/**
 * The false-discovery rate at which each probability would just be reported: of all reported with q of at most 0.05, at most one
 * in twenty is chance (Y. Benjamini and Y. Hochberg, J. R. Stat. Soc. B 57, 1995), also for correlated tests such as values of
 * one attribute (Benjamini and Yekutieli, Ann. Statist. 29, 2001). In the order of `chances`.
 * @param tested at least the number of `chances`: tests whose probability is not needed count as 1
 */
export function falseDiscoveryRates(chances: readonly number[], tested = chances.length): number[] {
  const order = chances.map((_, i) => i).sort((a, b) => chances[b]! - chances[a]!);
  const rates = new Array<number>(chances.length).fill(1);
  let least = 1;
  order.forEach((at, place) => {
    least = Math.min(least, (chances[at]! * tested) / (chances.length - place));
    rates[at] = least;
  });
  return rates;
}
