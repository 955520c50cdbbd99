// A pseudo-random generator that repeats its numbers for the same seed. Tests print the seed.

export type Random = ReturnType<typeof seeded>;

export function seeded(name: string) {
  const seed = Number(process.env.SHOPBELL_SEED ?? Math.floor(Math.random() * 2 ** 32));
  console.log(`${name}: SHOPBELL_SEED=${seed}`);
  let state = seed >>> 0;
  /** Returns an integer n with 0 ≤ n < most. */
  const below = (most: number) => {
    // The algorithm is xorshift32 on a Weyl sequence: short, and good enough to spread test data.
    state = (state + 0x9e3779b9) >>> 0;
    let x = state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    x = Math.imul(x, 0x85ebca6b) >>> 0;
    return Math.floor((x / 2 ** 32) * most);
  };
  return {
    below,
    between: (from: number, to: number) => from + below(to - from + 1),
    one: <T>(of: readonly T[]) => of[below(of.length)]!,
    chance: (percent: number) => below(100) < percent,
  };
}
