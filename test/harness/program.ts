import { fileURLToPath } from 'node:url'

/** Set by a run of tests whose processes are those of the build (test/run.ts). */
export const ON_BUILD = 'TOCSIN_TEST_ON_BUILD'
export const isOnBuild = process.env[ON_BUILD] === '1'

/** The checkout, or the build in it: what a real process is started from. */
export const programRoot = fileURLToPath(new URL(isOnBuild ? '../../dist/' : '../../', import.meta.url))
export const PROGRAM = `${programRoot}bin/tocsin.js`
