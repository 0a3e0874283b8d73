import { createContext, Script } from 'node:vm'

const SCREENED = 4 * 1024
/** At 4 KB a linear expression takes some microseconds, a quadratic one ten milliseconds. */
const SUSPICIOUS_MS = 2
const FULL = 64 * 1024
/** A quadratic expression takes seconds for 64 KB, a linear one about a millisecond. */
const BOUND_MS = 250
const TRIES = 4
/** All inputs at 4 KB; an expression that is worse than quadratic does not come to the end. */
const SCREENING_MS = 5_000

/** What strangers send: of each class of characters one, and what text is seldom tried with. */
const USUAL = [
  ...['\0', ' ', '\n', '\r', '\t', '"', "'", '/', '\\', '.', ':', '-', '_'],
  ...['0', 'a', 'A', 'é', '\ud800', '😀', '{'],
]
/** Members of the classes that an expression names by a letter. */
const MEMBERS: Readonly<Record<string, string>> = {
  d: '0',
  w: 'a',
  s: ' ',
  S: 'x',
  D: 'x',
  W: '!',
  n: '\n',
  r: '\r',
  t: '\t',
}
/** What ends a run without fitting anything. */
const ENDS = ['', '\u0001', '\n']
const CUT = '\u0001'

/** The characters that an expression names. */
function charactersOf(source: string): readonly string[] {
  const named = source.matchAll(/\\u\{?([0-9a-fA-F]{4,6})\}?|\\x([0-9a-fA-F]{2})|\\p\{\w+(?:=\w+)?\}|\\(.)|([^\\])/gsu)
  const characters = new Set<string>()
  for (const [whole, unicode, byte, escaped, plain] of named) {
    if (unicode ?? byte) characters.add(String.fromCodePoint(Number.parseInt((unicode ?? byte)!, 16)))
    else if (whole.startsWith('\\p')) characters.add('é').add('\u0085').add('\u0301')
    else if (escaped !== undefined) characters.add(MEMBERS[escaped] ?? escaped)
    else if (plain !== undefined) characters.add(plain)
  }
  return [...characters].slice(0, 16)
}

/** Words that have to stand there as they are: `https` and `://` of `https?:\/\/\S+`. */
const wordsOf = (source: string): readonly string[] => [
  ...new Set(
    source
      .replace(/\[(?:\\.|[^\]\\])*\]|\(\?[:=!]|\(\?<[=!]|[$^]/g, CUT)
      .replace(/\\[dwsSDWbBpP](?:\{[^}]*\})?/g, CUT)
      .replace(/\\(.)/g, '$1')
      .replace(/[()|+*{}]/g, CUT)
      .split(CUT)
      .flatMap((word) => [word.replaceAll('?', ''), word.replace(/.\?/g, '')])
      .filter((word) => word.length > 1),
  ),
]

/**
 * Texts of about `length` on which an expression may have a hard time: runs, and beginnings of what it looks
 * for, again and again.
 */
function inputsFor(source: string): readonly ((length: number) => string)[] {
  const named = charactersOf(source)
  const words = wordsOf(source)
  const units = [...new Set([...USUAL, ...named, ...words])]
  const run = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length))
  const inputs: ((length: number) => string)[] = []
  for (const unit of units) for (const end of ENDS) inputs.push((length) => run(unit, length) + end)
  for (const front of [...words, words.join(''), ...named.slice(0, 3)]) {
    for (const unit of units) for (const end of ENDS) inputs.push((length) => front + run(unit, length) + end)
    for (const unit of named) inputs.push((length) => run(front + unit, length))
  }
  for (const one of named.slice(0, 8)) {
    for (const other of [...named.slice(0, 8), ' ', '\n']) {
      inputs.push((length) => run(one + other, length) + CUT)
      inputs.push((length) => run(one, length / 2) + run(other, length / 2) + CUT)
    }
  }
  return inputs
}

/** An expression as it is used here. One that is sticky is asked at one place only. */
function milliseconds(expression: RegExp, text: string): number {
  const began = performance.now()
  expression.lastIndex = 0
  if (expression.global) text.replace(expression, '')
  else if (expression.sticky) expression.test(text)
  else text.split(expression)
  return performance.now() - began
}

/** Runs `work`, which V8 interrupts inside an expression, too. Null where it was. */
function interruptible<T>(timeout: number, work: () => T): T | null {
  try {
    return new Script('work()').runInContext(createContext({ work }), { timeout })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null
    throw error
  }
}

/**
 * The least of some tries, of which none may take longer than `maxMs`: a machine that is busy elsewhere
 * makes one slow, not all.
 */
function leastMs(maxMs: number, expression: RegExp, text: string): number | null {
  let least: number | null = null
  for (let n = 0; n < TRIES && (least === null || least > SUSPICIOUS_MS); n++) {
    const ms = interruptible(maxMs, () => milliseconds(expression, text))
    if (ms !== null && (least === null || ms < least)) least = ms
  }
  return least
}

/**
 * What 64 KB of the worst input that was found cost, in milliseconds; null where that is more than a linear expression
 * takes. All inputs are tried at 4 KB; at full length those that are slow there, and in any case the slowest.
 */
export function worstCaseMs(source: string, flags: string): number | null {
  const expression = new RegExp(source, flags)
  const inputs = inputsFor(source)
  const screened = interruptible(SCREENING_MS, () =>
    inputs.map((input) => ({ input, ms: milliseconds(expression, input(SCREENED)) })),
  )
  if (screened === null) return null
  screened.sort((one, other) => other.ms - one.ms)
  let worst = 0
  for (const [nth, { input, ms }] of screened.entries()) {
    if (nth >= 3 && ms < SUSPICIOUS_MS) break
    const full = leastMs(BOUND_MS, expression, input(FULL))
    if (full === null) return null
    worst = Math.max(worst, full)
  }
  return worst
}
