import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { acmeProblems } from './config/acme.ts'
import { missingCompanions } from './config/companions.ts'
import {
  type Environment,
  FILE_VARIABLE,
  overriddenBy,
  suggestion,
  unknownVariables,
  withCredentials,
} from './config/environment.ts'
import { type Secret, secret } from './config/fields.ts'
import { keyLines } from './config/key-lines.ts'
import { configKeys } from './config/keys.ts'
import { missingProfiles } from './config/lorawan.ts'
import { type ConfigProblem, keyOf, nearest, problemText, valueMessage } from './config/problem.ts'
import { configSchema } from './config/schema.ts'
import { SECRETS_KEY_VARIABLE, secretsKeyOf } from './config/secrets-key.ts'
import { isTree, type Tree, withoutBlanks } from './config/tree.ts'
import { fileOf } from './lib/installation.ts'

export type { ConfigProblem } from './config/problem.ts'
export { problemPlace, problemText } from './config/problem.ts'

type Frozen<T> = T extends (...input: never[]) => unknown ? T : { readonly [K in keyof T]: Frozen<T[K]> }

/**
 * The validated configuration, deeply frozen. Secrets are `Secret` values, visible only where they are revealed.
 * `dataDir`, `tls.cert` and `tls.key` are absolute paths. Keys without a default are null. protocol.md#configuration.
 */
export type Config = Frozen<z.output<typeof configSchema>> & {
  /** `TOCSIN_SECRETS_KEY`: never in the file. */
  readonly secretsKey: Secret<Uint8Array> | null
  /** The file and the environment, over which nothing that is set in the console counts. */
  readonly written: Secret<Written>
}

type Written = { readonly tree: Tree; readonly env: Environment; readonly cwd: string }

export type Configured =
  | { readonly config: Config; readonly file: string | null }
  | { readonly problems: readonly ConfigProblem[]; readonly file: string | null }

const listenerNames = ['mqtt', 'mqtts', 'http', 'https'] as const
export type ListenerName = (typeof listenerNames)[number]

/** The listeners whose port is not `off`. */
export const listenersOn = (config: Config): readonly ListenerName[] =>
  listenerNames.filter((name) => config[name].port !== 'off')

const INSTALLED_FILE = fileURLToPath(fileOf('config/tocsin.yaml'))

/**
 * Reads the configuration from `file`, else the file in `TOCSIN_CONFIG`, else the installation's config/tocsin.yaml if
 * it exists, else the defaults. The environment overrides it. Reports every mistake at once. Never throws.
 */
export function readConfig(sources: {
  readonly file?: string | undefined
  readonly env: Environment
  readonly cwd: string
}): Configured {
  const { cwd } = sources
  const { env, problems } = withCredentials(sources.env)
  const named = sources.file ?? (env[FILE_VARIABLE] || undefined)
  const file = named === undefined ? installedFile() : resolve(cwd, named)
  const written = file === null ? { tree: {}, lineOf: () => null } : readTree(file)
  if ('problems' in written) return { ...written, file }
  if (problems.length > 0) return { problems, file }
  const checked = configOf(written.tree, env, cwd)
  if ('config' in checked) return { ...checked, file }
  const placed = checked.problems.map((problem) => ({
    ...problem,
    line: problem.variable === null ? written.lineOf(problem.key) : null,
  }))
  return { problems: placed, file }
}

/** `readConfig` for a parsed YAML file. Relative paths are resolved against `cwd`. */
export function configOf(
  file: Tree,
  env: Environment = {},
  cwd: string = process.cwd(),
): { readonly config: Config } | { readonly problems: readonly ConfigProblem[] } {
  const { tree, variables } = overriddenBy(env, withoutBlanks(file))
  // Read once: generating code for it would take longer than reading it does.
  const parsed = configSchema.safeParse(tree, { jitless: true, error: valueMessage })
  const secretsKey = secretsKeyOf(env[SECRETS_KEY_VARIABLE])
  const problems = [
    ...('problem' in secretsKey ? [secretsKey.problem] : []),
    ...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => problemsOf(issue, variables))),
    ...missingCompanions(tree),
    ...unknownVariables(env),
    ...(parsed.success ? missingProfiles(parsed.data.lorawan).map(withoutPlace) : []),
    ...(parsed.success ? acmeProblems(parsed.data).map(withoutPlace) : []),
  ]
  if (!parsed.success || 'problem' in secretsKey || problems.length > 0) return { problems: withoutRepeats(problems) }
  const { dataDir, tls } = parsed.data
  const absolute = (path: string | null) => (path === null ? null : resolve(cwd, path))
  const config = frozen({
    ...parsed.data,
    dataDir: resolve(cwd, dataDir),
    tls: { ...tls, cert: absolute(tls.cert), key: absolute(tls.key) },
  })
  const written = secret({ tree: withoutBlanks(file), env, cwd })
  return { config: Object.freeze({ ...config, secretsKey: secretsKey.key, written }) }
}

const withoutPlace = (problem: Pick<ConfigProblem, 'key' | 'message'>): ConfigProblem => ({
  ...problem,
  variable: null,
  line: null,
})

const installedFile = (): string | null => (existsSync(INSTALLED_FILE) ? INSTALLED_FILE : null)

type WrittenFile = { readonly tree: Tree; readonly lineOf: (key: string) => number | null }

function readTree(file: string): WrittenFile | { readonly problems: readonly ConfigProblem[] } {
  const broken = (...messages: string[]) => ({
    problems: messages.map((message) => ({ key: '', variable: null, line: null, message: `${file}: ${message}` })),
  })
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return broken(code === 'ENOENT' ? 'file not found' : `could not be read (${code})`)
  }
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter })
  const mistakes = [...document.errors, ...document.warnings]
  // The first line says what and where. The excerpt below it could show a secret.
  if (mistakes.length > 0) return broken(...mistakes.map(({ message }) => message.split('\n', 1)[0]!.replace(/:$/, '')))
  const tree: unknown = document.toJS() ?? {}
  return isTree(tree) ? { tree, lineOf: keyLines(document, counter) } : broken('must be a mapping of keys to values')
}

function problemsOf(issue: z.core.$ZodIssue, variables: ReadonlyMap<string, string>): readonly ConfigProblem[] {
  const key = keyOf(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((unknown) => {
      const full = keyOf([...issue.path, unknown])
      const known = configKeys.flatMap(({ path }) => path.map((_, at) => keyOf(path.slice(0, at + 1))))
      return { key: full, variable: null, line: null, message: `is not a known key${suggestion(nearest(full, known))}` }
    })
  }
  const source = [...variables].find(
    ([from]) => key === from || key.startsWith(`${from}.`) || key.startsWith(`${from}[`),
  )
  return [{ key, variable: source?.[1] ?? null, line: null, message: issue.message }]
}

const withoutRepeats = (problems: readonly ConfigProblem[]): readonly ConfigProblem[] => [
  ...new Map(problems.map((problem) => [problemText(problem), problem])).values(),
]

function frozen<T>(value: T): Frozen<T> {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) frozen(inner)
    Object.freeze(value)
  }
  return value as Frozen<T>
}
