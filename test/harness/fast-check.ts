import fc from 'fast-check'
import { SEED } from './seed.ts'

/** fast-check, with properties that try the same values in every run unless a seed is given. */
fc.configureGlobal({ seed: SEED })

export default fc
