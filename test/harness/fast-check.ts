import fc from 'fast-check'
import { SEED } from './seed.ts'

/** fast-check, with properties that try the same values in every run unless a seed is given. */
fc.configureGlobal({ seed: SEED })

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800
const MAX_CODE_POINT = 0x10ffff

function numberOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined
  if (point === undefined || String.fromCodePoint(point) !== character) throw new Error('not one character')
  return point < FIRST_SURROGATE ? point : point - SURROGATES
}

const anyCharacter = fc
  .nat({ max: MAX_CODE_POINT - SURROGATES })
  .map((n) => String.fromCodePoint(n < FIRST_SURROGATE ? n : n + SURROGATES), numberOf)

/**
 * Strings of all characters, the same as those of fast-check's unit `binary`: that one first writes down the number of
 * each of the million characters, which takes every process a second of processor time.
 */
export const anyText = (limits: Pick<fc.StringConstraints, 'minLength' | 'maxLength'> = {}): fc.Arbitrary<string> =>
  fc.string({ ...limits, unit: anyCharacter })

export default fc
