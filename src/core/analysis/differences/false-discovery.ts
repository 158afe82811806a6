/**
 * For each probability the false-discovery rate at which it would just be told: of all that are told with q at most 0.05,
 * one in twenty is chance at most (Y. Benjamini and Y. Hochberg, J. R. Stat. Soc. B 57, 1995), also where tests resemble
 * each other as the values of one attribute do (Benjamini and Yekutieli, Ann. Statist. 29, 2001). In the order of `chances`.
 * @param tested at least as many as there are `chances`: tests whose probability nobody needs count as 1
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
