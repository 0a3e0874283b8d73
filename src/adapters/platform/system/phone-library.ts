import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Loaded with the first number, if not before (service/warm-up.ts): a start does not wait for it. */
export const phoneLibrary = (): typeof import('libphonenumber-js/min') => require('libphonenumber-js/min')
