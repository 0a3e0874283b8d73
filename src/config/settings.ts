import { type Config, configOf } from '../config.ts'
import { namelessProblem } from './acme.ts'
import { variableOfKey } from './keys.ts'
import type { ConfigProblem } from './problem.ts'
import { pathOf, providerSections, type SettableProvider, settable, settableIn, settableKeys } from './settable.ts'
import { at, isTree, type Tree, withValue } from './tree.ts'

const PROVIDERS = 'notifications.providers'
const SERVERS = 'lorawan.servers'
const PROFILES = 'lorawan.profiles'

/** Values of settable keys by key, as the file would have them. */
export type SiteSettings = Readonly<Record<string, unknown>>

/** The origin of a settable key's value. */
type SettingSource = 'default' | 'console' | 'file' | 'environment'

/** A configuration with the console's settings. */
export type Effective = {
  readonly config: Config
  readonly sources: ReadonlyMap<string, SettingSource>
  /** Values that do not count, each with the reason. */
  readonly left: readonly Pick<ConfigProblem, 'key' | 'message'>[]
  /** Providers set up in the console that this node cannot use, each with the reason. */
  readonly lame: readonly { readonly provider: string; readonly message: string }[]
}

/** The place outside the console that sets a key; null if none. */
export function writtenIn({ written }: Pick<Config, 'written'>, key: string): 'file' | 'environment' | null {
  const { tree, env } = written.reveal()
  if (env[variableOfKey(key) ?? '']?.trim()) return 'environment'
  return at(tree, pathOf(key)) === undefined ? null : 'file'
}

/**
 * `config` with the console's settings: defaults < console < file < environment. Never refuses: a value that does
 * not validate, alone or with the others, is left out. `unreadable`: keys whose secret this node cannot open, with the
 * reason.
 */
export function withSettings(
  config: Config,
  settings: SiteSettings,
  unreadable: Readonly<Record<string, string>> = {},
): Effective {
  const { tree, env, cwd } = config.written.reveal()
  const left: { key: string; message: string }[] = []
  let values = Object.fromEntries(
    Object.entries(settings).filter(([key]) => Object.hasOwn(settable, key) && writtenIn(config, key) === null),
  )
  const lame = lameProviders(config, values, unreadable)
  const named = values[PROVIDERS]
  for (;;) {
    const usable = Array.isArray(named)
      ? named.filter((name) => !lame.some(({ provider }) => provider === String(name)))
      : named
    // Without a provider that this node can use, messages wait: they do not go where nobody has sent them.
    const isEmptied = lame.length > 0 && (!Array.isArray(usable) || usable.every((name) => name === 'outbox'))
    const { [PROVIDERS]: _, ...others } = values
    values = isEmptied || usable === undefined ? others : { ...others, [PROVIDERS]: usable }
    const checked = configOf(withValues(tree, values), env, cwd)
    if ('config' in checked) {
      const { notifications } = checked.config
      const live = isEmptied
        ? { ...checked.config, notifications: { ...notifications, providers: [] } }
        : checked.config
      return { config: onlySettable(config, live), sources: sourcesOf(config, values), left, lame }
    }
    // Profiles first: a server that names a wrong one only lacks it then.
    const kept = [PROFILES, SERVERS]
      .map((key) => ({ key, found: withoutWrong(key, values[key], checked.problems) }))
      .find(({ found }) => found !== null)
    if (kept?.found) {
      left.push(...kept.found.wrong)
      values = { ...values, [kept.key]: kept.found.right }
      continue
    }
    const bad = checked.problems.flatMap(({ key, message }) => {
      const found = settableIn(key)
      return found !== null && found !== PROVIDERS && found in values ? [{ key: found, message }] : []
    })
    // A companion is missing, or the configuration itself is broken: the one that asks for it goes, else all.
    const [first] = checked.problems
    const rest = Object.keys(values)
    const check = (some: SiteSettings) => configOf(withValues(tree, some), env, cwd)
    const asks = first === undefined || bad.length > 0 ? [] : asking(values, first, check)
    if (rest.length === 0) return { config, sources: sourcesOf(config, {}), left, lame }
    if (bad.length === 0 && asks.length === 0 && rest.includes(PROVIDERS)) {
      lame.push(...wanting(checked.problems, [usable].flat().map(String)))
      continue
    }
    const blamed = asks.length > 0 ? asks : rest
    const gone = bad.length > 0 ? bad : blamed.map((key) => ({ key, message: first?.message ?? 'is not valid' }))
    left.push(...gone)
    values = Object.fromEntries(Object.entries(values).filter(([key]) => !gone.some((one) => one.key === key)))
  }
}

/**
 * The settings that require the missing key: without any one of them the problem is gone, else those of the same part.
 * The list of providers decides alone.
 */
function asking(
  values: SiteSettings,
  problem: ConfigProblem,
  check: (some: SiteSettings) => ReturnType<typeof configOf>,
): readonly string[] {
  const keys = Object.keys(values)
  const isGone = (checked: ReturnType<typeof configOf>): boolean =>
    'config' in checked ||
    !checked.problems.some(({ key, message }) => key === problem.key && message === problem.message)
  const found = keys.filter((one) => {
    const { [one]: _, ...others } = values
    return one !== PROVIDERS && isGone(check(others))
  })
  return found.length > 0 ? found : keys.filter((key) => isOfSamePart(key, problem.key))
}

/**
 * Without the wrong network servers, or profiles: trackers of the others still press SOS. A server whose profile does
 * not exist goes on without one, as any profile finds its SOS. Null if none is wrong, or all are.
 */
function withoutWrong(section: string, entries: unknown, problems: readonly ConfigProblem[]) {
  if (!isTree(entries)) return null
  const names = Object.keys(entries).sort((a, b) => b.length - a.length)
  // A profile's name is read in lower case.
  const isAbout = (key: string, name: string) => `${key}.`.toLowerCase().startsWith(`${section}.${name}.`.toLowerCase())
  const nameIn = (key: string) => names.find((name) => isAbout(key, name))
  const wrong = problems.filter(({ key }) => nameIn(key) !== undefined)
  const right = Object.entries(entries).flatMap(([name, entry]) => {
    const own = wrong.filter(({ key }) => nameIn(key) === name)
    if (own.length === 0) return [[name, entry]]
    const isOfProfile = section === SERVERS && own.every(({ key }) => key === `${SERVERS}.${name}.profile`)
    return isOfProfile ? [[name, { ...(entry as Tree), profile: null }]] : []
  })
  if (wrong.length === 0 || right.length === 0) return null
  return { wrong: wrong.map(({ key, message }) => ({ key, message })), right: Object.fromEntries(right) }
}

/** The providers that lack a companion; where that explains nothing, all of them, with the first problem. */
function wanting(problems: readonly ConfigProblem[], providers: readonly string[]): Effective['lame'] {
  const each = providers.flatMap((provider) => {
    const section = providerSections[provider as SettableProvider]
    const found = problems.find(({ key }) => section !== undefined && key.startsWith(`${section}.`))
    return found === undefined ? [] : [{ provider, message: `${found.key} ${found.message}` }]
  })
  const [first] = problems
  const message = `${first?.key ?? ''} ${first?.message ?? 'is not valid'}`.trim()
  if (each.length > 0) return each
  return providers.length > 0 ? providers.map((provider) => ({ provider, message })) : [{ provider: 'any', message }]
}

/** A provider's part is asked for by the list of providers, which decides alone; any other one by itself. */
const isOfSamePart = (key: string, problemKey: string): boolean => {
  const section = settable[key]?.section
  const isOfProviders = key === PROVIDERS || Object.values<unknown>(providerSections).includes(section)
  return section === settable[problemKey]?.section && !isOfProviders
}

/** The problems that `settings` would have, apart from those of keys that are written elsewhere. */
export function problemsOf(config: Config, settings: SiteSettings): readonly Pick<ConfigProblem, 'key' | 'message'>[] {
  const { tree, env, cwd } = config.written.reveal()
  const values = Object.entries(settings).filter(([key]) => writtenIn(config, key) === null)
  const checked = configOf(withValues(tree, Object.fromEntries(values)), env, cwd)
  if ('config' in checked) return [namelessProblem(checked.config)].filter((problem) => problem !== null)
  return checked.problems.map(({ key, message }) => ({ key, message }))
}

const withValues = (tree: Tree, values: SiteSettings): Tree =>
  Object.entries(values).reduce((under, [key, value]) => withValue(under, pathOf(key), value), tree)

/** Providers of the console's list that lack a secret here. */
function lameProviders(
  config: Config,
  values: SiteSettings,
  unreadable: Readonly<Record<string, string>>,
): { provider: string; message: string }[] {
  const named = values[PROVIDERS]
  if (!Array.isArray(named)) return []
  return named.flatMap((provider: string) => {
    const section = providerSections[provider as SettableProvider]
    const message = settableKeys(section)
      .filter((key) => section !== undefined && writtenIn(config, key) === null)
      .map((key) => unreadable[key])
      .find((why) => why !== undefined)
    return message === undefined ? [] : [{ provider, message }]
  })
}

const sourcesOf = (config: Config, values: SiteSettings): ReadonlyMap<string, SettingSource> =>
  new Map(settableKeys().map((key) => [key, writtenIn(config, key) ?? (key in values ? 'console' : 'default')]))

/** `config` with the settable keys of `live`: whatever else a caller has changed in it stays. */
function onlySettable(config: Config, live: Config): Config {
  let merged: Tree = { ...config }
  for (const key of settableKeys()) {
    merged = withValue(merged, pathOf(key), at(live, pathOf(key)))
  }
  return Object.freeze(merged) as Config
}
