import { createContext, Script } from 'node:vm'

const SCREENED = 1024
/** At 1 KB a linear expression takes up to a tenth of a millisecond, a quadratic one 0.4 to 3 ms. */
const SUSPICIOUS_MS = 0.1
const FULL = 64 * 1024
/** A quadratic expression takes seconds for 64 KB, a linear one about a millisecond. */
const BOUND_MS = 100
const FAST_MS = 20
const TRIES = 3
/** For all inputs at 1 KB, which take a linear expression some 20 ms; one worse than quadratic exceeds it. */
const SCREENING_MS = 400

/** What strangers send: one character of each class, including unusual ones. */
const USUAL = [
  ...['\0', ' ', '\n', '\r', '\t', '"', "'", '/', '\\', '.', ':', '-', '_'],
  ...['0', 'a', 'A', 'é', '\ud800', '😀', '{'],
]
/** A member of each class that an expression names by a letter. */
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
/** Ends a run without matching. */
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

/** Words that must occur literally: `https` and `://` of `https?:\/\/\S+`. */
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

/** Difficult texts of about `length` for an expression: runs, and repeated beginnings of what it looks for. */
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

type Watch = () => number

/** Finer than a microsecond. A busy machine makes an expression suspicious, but never hides one. */
const wallTime: Watch = () => performance.now()

/**
 * Milliseconds of processor time that this thread has used: on a busy machine an expression takes no more of it. Many
 * kernels count it in steps of 4 ms.
 */
const processorTime: Watch = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Runs an expression as the sources use it. A sticky one is tried at one position only. */
function milliseconds(watch: Watch, expression: RegExp, text: string): number {
  const began = watch()
  expression.lastIndex = 0
  if (expression.global) text.replace(expression, '')
  else if (expression.sticky) expression.test(text)
  else text.split(expression)
  return watch() - began
}

/** To make one takes longer than most expressions. */
const room: { work: () => unknown } = { work: () => {} }
const context = createContext(room)
const script = new Script('work()')

/**
 * Runs `work`, which V8 can interrupt even inside an expression. Null if it was interrupted. V8 goes by the wall clock:
 * an interrupted run counts if it had at least half of the time as processor time, and is otherwise given longer.
 */
function interruptible<T>(maxMs: number, work: () => T): T | null {
  room.work = work
  for (let timeout = maxMs; ; timeout *= 2) {
    const began = processorTime()
    try {
      return script.runInContext(context, { timeout })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      if (processorTime() - began >= maxMs / 2) return null
    }
  }
}

/** The minimum of some tries, none of which may take longer than `maxMs`: a busy machine slows down one, not all. */
function leastMs(maxMs: number, expression: RegExp, text: string): number | null {
  let least: number | null = null
  for (let n = 0; n < TRIES && (least === null || least > FAST_MS); n++) {
    const ms = interruptible(maxMs, () => milliseconds(processorTime, expression, text))
    if (ms !== null && (least === null || ms < least)) least = ms
  }
  return least
}

/**
 * Milliseconds for 64 KB of the worst input found; null if that is more than a linear expression takes. All inputs are
 * tried at 1 KB, and at full length those that are slow there, at least the slowest.
 */
export function worstCaseMs(source: string, flags: string): number | null {
  const expression = new RegExp(source, flags)
  const inputs = inputsFor(source)
  const screened = interruptible(SCREENING_MS, () =>
    inputs.map((input) => ({ input, ms: milliseconds(wallTime, expression, input(SCREENED)) })),
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
