import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { configKeys, valueOfText } from './keys.ts'
import { type ConfigProblem, keyOf, nearest } from './problem.ts'
import { SECRETS_KEY_VARIABLE } from './secrets-key.ts'
import { type Tree, withValue } from './tree.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Names the configuration file; not a key in it. */
export const FILE_VARIABLE = 'TOCSIN_CONFIG'

/**
 * The variable that a systemd credential file stands for. systemd prefixes the file names with the name of a directory.
 */
function variableOf(file: string): string | null {
  const at = `_${file}`.indexOf('_TOCSIN_')
  const variable = file.slice(at)
  return at >= 0 && /^TOCSIN_[A-Z0-9_]+$/.test(variable) ? variable : null
}

/**
 * `env` with those files of `$CREDENTIALS_DIRECTORY` that are named like our variables. A variable that is already set
 * wins. Never throws: a file that cannot be read is reported as a problem.
 */
export function withCredentials(env: Environment): { env: Environment; problems: readonly ConfigProblem[] } {
  const directory = env.CREDENTIALS_DIRECTORY
  if (!directory) return { env, problems: [] }
  const found: Record<string, string> = {}
  try {
    for (const name of readdirSync(directory)) {
      const variable = variableOf(name)
      if (variable !== null) found[variable] = readFileSync(join(directory, name), 'utf8').trim()
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const message = `the credentials in ${directory} could not be read (${code})`
    return { env, problems: [{ key: '', variable: null, line: null, message }] }
  }
  const set = Object.entries(env).filter(([, value]) => value?.trim())
  return { env: { ...env, ...found, ...Object.fromEntries(set) }, problems: [] }
}

/** Variables that Kubernetes and Docker set for a service called tocsin. */
const foreign = /^TOCSIN_(SERVICE_(HOST|PORT\w*)|PORT(_\d+_(TCP|UDP)\w*)?|NAME|ENV_\w+)$/

function readMapping(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return text
  }
}

/**
 * `tree` with the values from the environment, and the variable behind each of those keys. An empty variable counts as
 * not set.
 */
export function overriddenBy(env: Environment, tree: Tree): { tree: Tree; variables: ReadonlyMap<string, string> } {
  const variables = new Map<string, string>()
  let overridden = tree
  for (const { path, variable, schema } of configKeys) {
    const text = env[variable]?.trim()
    if (!text) continue
    overridden = withValue(overridden, path, valueOfText(schema, text, readMapping))
    variables.set(keyOf(path), variable)
  }
  return { tree: overridden, variables }
}

/** Variables with our prefix that are not settings: a misspelt one must not go unnoticed. */
export function unknownVariables(env: Environment): readonly ConfigProblem[] {
  const known = [FILE_VARIABLE, SECRETS_KEY_VARIABLE, ...configKeys.map(({ variable }) => variable)]
  return Object.keys(env)
    .filter((name) => name.startsWith('TOCSIN_') && !known.includes(name) && !foreign.test(name))
    .map((variable) => ({
      key: '',
      variable,
      line: null,
      message: `is not a known setting${suggestion(nearest(variable, known))}`,
    }))
}

/**
 * The variables with our prefix that are set, also those of credentials: with the file, all that a site is set up by.
 * Without those that say where a machine keeps it.
 */
export function settingsIn(sources: Environment): Readonly<Record<string, string>> {
  const { env } = withCredentials(sources)
  const places = [FILE_VARIABLE, 'TOCSIN_DATA_DIR']
  const ours = Object.entries(env).filter(
    ([name, value]) => /^TOCSIN_[A-Z0-9_]+$/.test(name) && !places.includes(name) && !foreign.test(name) && value,
  )
  return Object.fromEntries(ours) as Record<string, string>
}

export const suggestion = (meant: string | null): string => (meant === null ? '' : `; did you mean ${meant}?`)
