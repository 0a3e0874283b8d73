import { distance } from 'fastest-levenshtein'
import type { z } from 'zod'
import { fieldMessage } from '../core/ingest/field-message.ts'

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

/** Types as the file and the command line have them. */
const kinds = { array: 'a list', boolean: 'on or off', object: 'a section with its own keys', record: 'a mapping' }

/** The problem with a value of the file, a variable or an option, as `fieldMessage`. Pass it to zod as `error`. */
export const valueMessage = (issue: z.core.$ZodRawIssue): string => fieldMessage(issue, kinds)

/** The name in `known` that `unknown` was most likely meant to be, or null. */
export function nearest(unknown: string, known: readonly string[]): string | null {
  const near = known
    .map((candidate) => ({ candidate, edits: distance(unknown.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.floor(candidate.length / 3)))
    .sort((a, b) => a.edits - b.edits)
  return near[0]?.candidate ?? null
}
