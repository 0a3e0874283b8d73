import { fileURLToPath } from 'node:url'

/** Whether the processes of this run are those of the build (test/run.ts). */
export const isOnBuild = process.env.TEST_ON_BUILD === '1'

/** The checkout, or the build in it: what a real process is started from. */
const programRoot = fileURLToPath(new URL(isOnBuild ? '../../dist/' : '../../', import.meta.url))
export const PROGRAM = `${programRoot}bin/tocsin.js`
