const isSoak = process.env.TOCSIN_TEST_SOAK === '1'

/**
 * How often a test repeats its work: `usual` times in `npm test`, `soak` times in `npm run test:soak`, which runs every
 * file that imports this one.
 */
export const effort = (usual: number, soak: number): number => (isSoak ? soak : usual)
