import { parse } from 'yaml'
import { isTree } from '../config/tree.ts'
import type { FieldProblem } from '../core/ingest/fields.ts'

const KEY = 'lorawan.profiles'
const MAX_CHARACTERS = 64 * 1024
/** An uplink of a tracker without a profile is compared with each of them. */
const MAX_PROFILES = 50

const TOO_LARGE = 'must have at most 50 profiles, and 65536 characters together'
const NO_MAPPING = 'must be profiles by name, as in docs/lorawan.md'

/** Profiles of trackers as typed: YAML, as the file has it, or a mapping. Null: none. */
export function profilesIn(given: unknown, problems: FieldProblem[]): unknown {
  const refused = (message: string): null => {
    problems.push({ field: KEY, message })
    return null
  }
  if (given === null) return null
  if (String(JSON.stringify(given)).length > MAX_CHARACTERS) return refused(TOO_LARGE)
  const read = typeof given === 'string' ? mappingIn(given) : { mapping: given }
  if (read === null) return refused('is not valid YAML')
  // Pasted with the lines above it.
  const profiles = isTree(read.mapping) ? inner(read.mapping) : read.mapping
  if (profiles === null || profiles === undefined) return null
  if (!isTree(profiles)) return refused(NO_MAPPING)
  const names = Object.keys(profiles)
  if (names.length > MAX_PROFILES || JSON.stringify(profiles).length > MAX_CHARACTERS) return refused(TOO_LARGE)
  return names.length === 0 ? null : profiles
}

/** Without aliases: a short text of them is a huge mapping. */
function mappingIn(text: string): { readonly mapping: unknown } | null {
  try {
    return { mapping: parse(text, { maxAliasCount: 0, logLevel: 'error' }) as unknown }
  } catch {
    return null
  }
}

function inner(mapping: Readonly<Record<string, unknown>>): unknown {
  const [name, ...others] = Object.keys(mapping)
  const isWrapped = others.length === 0 && (name === 'lorawan' || name === 'profiles') && isTree(mapping[name])
  return isWrapped ? inner(mapping[name] as Readonly<Record<string, unknown>>) : mapping
}
