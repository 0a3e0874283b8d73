const LEVEL = process.env.TOCSIN_TEST_SOAK

/**
 * How often a test repeats its work: `usual` times in `npm test`, `soak` times in `npm run test:soak`, which runs every
 * file that imports this one. `ci`: in CI, where the same seed meets almost the same code each time. By default it is
 * as many times `usual` as `soak` is times that.
 */
export const effort = (usual: number, soak: number, ci = Math.round(Math.sqrt(usual * soak))): number =>
  LEVEL === '1' ? soak : LEVEL === 'ci' ? ci : usual
