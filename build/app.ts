import { buildApp } from '../webapp/build.ts'

/**
 * `npm run build:app`: builds the app in the box into `dist/app`. In a checkout, the service runs it when somebody
 * first opens the app, if that is missing or out of date.
 */
const began = performance.now()
await buildApp()
console.log(`built the app in ${Math.round(performance.now() - began)} ms`)
