import { distance } from 'fastest-levenshtein'
import type { z } from 'zod'

/** One mistake in the configuration. `key` is its path (`http.port`), or empty for the file as a whole. */
export type ConfigProblem = {
  readonly key: string
  /** The environment variable with the value, if it came from one. */
  readonly variable: string | null
  /** The line of the key in the file, from 1, if it is there. */
  readonly line: number | null
  readonly message: string
}

/** The problem in one line. */
export const problemText = ({ key, variable, line, message }: ConfigProblem): string => {
  const source = variable ?? (line === null ? null : `line ${line}`)
  const where = source === null || key === '' ? (variable ?? key) : `${key} (${source})`
  return where === '' ? message : `${where}: ${message}`
}

/** The problem in the format of compilers, so that editors can jump to it: `FILE:3: log.level: must be …`. */
export const problemPlace = (problem: ConfigProblem, file: string | null): string =>
  problem.line === null || problem.key === '' || file === null
    ? problemText(problem)
    : `${file}:${problem.line}: ${problemText({ ...problem, line: null })}`

/** `['notifications', 'providers', 1]` as `notifications.providers[1]`. */
export const keyOf = (path: readonly PropertyKey[]): string =>
  path.map((part, at) => (typeof part === 'number' ? `[${part}]` : (at > 0 ? '.' : '') + String(part))).join('')

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'on or off',
  number: 'a number',
  object: 'a section with its own keys',
  record: 'a mapping',
  string: 'text',
}

/** A zod message, worded as the end of a sentence that begins with the key. Our own messages already are. */
export function messageOf(issue: z.core.$ZodIssue): string {
  if (!/^(Invalid|Too) /.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'too_small':
      return bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    case 'too_big':
      return bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    default:
      return issue.message.replace(/^./, (first) => first.toLowerCase())
  }
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === 'array') return `must have ${relation} ${limit} entries`
  if (origin === 'string' && limit === 1) return 'must not be empty'
  return origin === 'string' ? `must be ${relation} ${limit} characters long` : `must be ${relation} ${limit}`
}

/** The name in `known` that `unknown` was most likely meant to be, or null. */
export function nearest(unknown: string, known: readonly string[]): string | null {
  const near = known
    .map((candidate) => ({ candidate, edits: distance(unknown.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.edits - b.edits)
  return near[0]?.candidate ?? null
}
