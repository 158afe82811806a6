/** Solution of weighted least squares. */
export interface Solution {
  readonly value: Float64Array;
  /** Standard deviation of each unknown. */
  readonly deviation: Float64Array;
}

/**
 * Weighted least squares over few unknowns per row, by the Cholesky factor of the normal matrix. Every unknown needs
 * a prior, or the matrix is singular. n^3 / 3 steps for n unknowns.
 */
export class SymmetricSystem {
  private readonly size: number;
  private readonly matrix: Float64Array;
  private readonly right: Float64Array;

  constructor(size: number) {
    this.size = size;
    this.matrix = new Float64Array(size * size);
    this.right = new Float64Array(size);
  }

  /** One observation: the sum of `factor * unknown` was observed as `value`, with this variance. */
  observe(terms: readonly (readonly [unknown: number, factor: number])[], value: number, variance: number): void {
    for (const [i, a] of terms) {
      this.right[i] = this.right[i]! + (a * value) / variance;
      for (const [j, b] of terms) {
        const at = i * this.size + j;
        this.matrix[at] = this.matrix[at]! + (a * b) / variance;
      }
    }
  }

  solve(): Solution {
    const { size } = this;
    const factor = this.factor();
    const value = this.substitute(factor, this.right);
    const deviation = new Float64Array(size);
    // The variance of unknown i is the squared length of column i of the factor's inverse.
    const column = new Float64Array(size);
    for (let i = 0; i < size; i++) {
      column.fill(0);
      let sum = 0;
      for (let row = i; row < size; row++) {
        let rest = row === i ? 1 : 0;
        for (let k = i; k < row; k++) rest -= factor[row * size + k]! * column[k]!;
        column[row] = rest / factor[row * size + row]!;
        sum += column[row]! ** 2;
      }
      deviation[i] = Math.sqrt(sum);
    }
    return { value, deviation };
  }

  private factor(): Float64Array {
    const { size, matrix } = this;
    const factor = new Float64Array(size * size);
    for (let i = 0; i < size; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = matrix[i * size + j]!;
        for (let k = 0; k < j; k++) sum -= factor[i * size + k]! * factor[j * size + k]!;
        factor[i * size + j] = i === j ? Math.sqrt(Math.max(sum, Number.MIN_VALUE)) : sum / factor[j * size + j]!;
      }
    }
    return factor;
  }

  private substitute(factor: Float64Array, right: Float64Array): Float64Array {
    const { size } = this;
    const forward = new Float64Array(size);
    for (let i = 0; i < size; i++) {
      let sum = right[i]!;
      for (let k = 0; k < i; k++) sum -= factor[i * size + k]! * forward[k]!;
      forward[i] = sum / factor[i * size + i]!;
    }
    const value = new Float64Array(size);
    for (let i = size - 1; i >= 0; i--) {
      let sum = forward[i]!;
      for (let k = i + 1; k < size; k++) sum -= factor[k * size + i]! * value[k]!;
      value[i] = sum / factor[i * size + i]!;
    }
    return value;
  }
}
