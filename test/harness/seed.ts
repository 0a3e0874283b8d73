/**
 * What random tests begin from. It stays the same, so that a test which fails tells something about the last change.
 * `npm run test:explore` looks for what nobody knows yet, with a new one each time; `TEST_SEED` repeats its run.
 */
export const SEED = Number(process.env.TEST_SEED ?? 20_261_122)
