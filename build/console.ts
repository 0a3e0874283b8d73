import { buildConsole } from '../console/build.ts'

/**
 * `npm run build:console`: builds the console into `dist/console`. A start in a checkout runs it if that is missing or
 * out of date.
 */
const began = performance.now()
await buildConsole()
console.log(`built the console in ${Math.round(performance.now() - began)} ms`)
