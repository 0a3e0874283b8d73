import { createSecrets } from '../adapters/platform/secrets/site-secrets.ts'
import { printWithSecrets } from '../config/fields.ts'
import { overlaps } from '../config/overlaps.ts'
import { pathOf, providerSections, type SettableProvider, settable, settableKeys } from '../config/settable.ts'
import { type Effective, type SiteSettings, withSettings, writtenIn } from '../config/settings.ts'
import { at } from '../config/tree.ts'
import type { Config } from '../config.ts'
import type { SettingValue } from '../core/operator/site-setting.ts'
import { oneAtATime } from '../lib/waits.ts'
import type { Log } from '../ports/log.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { SettingsStore } from '../ports/store.ts'

/** The name that the seal of a setting is bound to. */
export const settingSeal = (key: string): string => `site_settings/${key}`

/** The secrets of a site for a process beside its service. */
export const secretsOf = ({ dataDir, secretsKey, store }: Config): Secrets =>
  createSecrets({ dataDir, key: secretsKey?.reveal() ?? null, isShared: store.url !== null })

/** `config` with the console's settings, for a command. */
export async function withStoredSettings(config: Config, store: Pick<SettingsStore, 'siteSettings'>): Promise<Config> {
  const rows = await store.siteSettings()
  if (rows.length === 0) return config
  const { values, unreadable } = readSettings(rows, secretsOf(config))
  return withSettings(config, values, unreadable).config
}

/** The stored settings that this node can read. */
type StoredSettings = {
  readonly values: SiteSettings
  /** The keys that it cannot read, with the reason. */
  readonly unreadable: Readonly<Record<string, string>>
}

/** The values of rows. One that cannot be read is left out, with the reason. Never throws. */
export function readSettings(rows: readonly SettingValue[], secrets: Pick<Secrets, 'open'>): StoredSettings {
  const values: Record<string, unknown> = {}
  const unreadable: Record<string, string> = {}
  for (const { key, value, sealed } of rows) {
    if (value === null || !Object.hasOwn(settable, key)) continue
    const opened = sealed ? secrets.open(settingSeal(key), value) : { value }
    if ('refused' in opened) {
      unreadable[key] = opened.why
      continue
    }
    try {
      values[key] = JSON.parse(String(opened.value))
    } catch {
      unreadable[key] = `the stored value of ${key} is damaged: set it again`
    }
  }
  return { values, unreadable }
}

/** Whether a value was sealed with a key that this node does not have. */
export const isSealedElsewhere = (rows: readonly SettingValue[], { open }: Pick<Secrets, 'open'>): boolean =>
  rows.some(({ key, value, sealed }) => {
    const opened = sealed && value !== null ? open(settingSeal(key), value) : null
    return opened !== null && 'refused' in opened && opened.refused === 'other_key'
  })

type SiteConfigNeeds = {
  readonly store: Pick<SettingsStore, 'siteSettings'>
  readonly secrets: Pick<Secrets, 'open'>
  readonly log: Log
}
type Follower = { readonly keys: readonly string[]; readonly apply: (now: Config) => unknown }

/** The configuration in force: that of the file and the environment, over the settings in the console. */
export class SiteConfig {
  readonly #base: Config
  readonly #needs: SiteConfigNeeds
  readonly #followers: Follower[] = []
  /** Settings that could not be put in force, by their first key. */
  readonly #failed = new Map<string, string>()
  #stored: StoredSettings = { values: {}, unreadable: {} }
  #effective: Effective
  /** Overlaps that the log has. */
  #told: ReadonlySet<string> = new Set()

  constructor(base: Config, needs: SiteConfigNeeds) {
    this.#base = base
    this.#needs = needs
    this.#effective = withSettings(base, {})
  }

  /** That of the file and the environment alone. */
  get base(): Config {
    return this.#base
  }

  get now(): Config {
    return this.#effective.config
  }

  get effective(): Effective {
    return this.#effective
  }

  get stored(): StoredSettings {
    return this.#stored
  }

  /** Calls `apply`, from here on, when one of these keys gets another value. A section stands for all of its keys. */
  follow(keys: readonly string[], apply: (now: Config) => unknown): void {
    this.#followers.push({ keys, apply })
  }

  /** Reads the stored settings and puts them in force, one reading at a time. Rejects with a StoreError. */
  readonly reread = oneAtATime(() => this.#read())

  /** Whether every part has taken over the last reading. */
  get isInForce(): boolean {
    return this.#failed.size === 0
  }

  /** Settings that do not count on this node: sentences for the operator. */
  concerns(): readonly string[] {
    const left = this.#effective.left.map(
      ({ key, message }) => `${key}, set in the console, is left out: it ${message}`,
    )
    return [...left, ...this.#failed.values()]
  }

  /** Settings in both the file and the console, in sentences for the operator, each with the value that counts. */
  overlaps(): readonly string[] {
    const { values, unreadable } = this.#stored
    return overlaps(this.#base, [...Object.keys(values), ...Object.keys(unreadable)])
  }

  /** Why this node cannot do what the others do; null if it can. */
  trouble(): string | null {
    const [lame] = this.#effective.lame
    if (lame !== undefined) return `this node cannot send through ${lame.provider}: ${lame.message}`
    const [[key, why] = []] = Object.entries(this.#stored.unreadable)
    return key === undefined ? null : `this node cannot read ${key}, set in the console: ${why}`
  }

  /** Whether this key is set in the console, counts, and cannot be read on this node. */
  unreadableHere(key: string): boolean {
    return key in this.#stored.unreadable && writtenIn(this.#base, key) === null
  }

  /** Whether the console's value for this key cannot count on this node. */
  isOutOfForce(key: string): boolean {
    return this.unreadableHere(key) || this.#effective.left.some((one) => one.key === key)
  }

  async #read(): Promise<void> {
    const { store, secrets, log } = this.#needs
    const before = { ...this.#effective, ...this.#stored }
    this.#stored = readSettings(await store.siteSettings(), secrets)
    this.#effective = withSettings(this.#base, this.#stored.values, this.#stored.unreadable)
    const trouble = this.trouble()
    if (trouble !== null) log.error({}, trouble)
    for (const concern of this.concerns()) log.error({}, concern)
    const told = this.overlaps().filter((overlap) => !this.#told.has(overlap))
    for (const overlap of told) log.warn({}, overlap)
    this.#told = new Set(this.overlaps())
    const after = { ...this.#effective, ...this.#stored }
    for (const { keys, apply } of this.#followers) {
      const isOther = keys.some((key) => printOf(before, key) !== printOf(after, key))
      if (!isOther && !this.#failed.has(keys[0]!)) continue
      try {
        await apply(this.now)
        this.#failed.delete(keys[0]!)
        log.info({ keys }, 'settings of the console are in force')
      } catch (error) {
        const concern = `${keys.join(', ')}, set in the console, could not be put in force: ${(error as Error).message}`
        this.#failed.set(keys[0]!, concern)
        log.error({ err: error }, concern)
      }
    }
  }
}

/**
 * The value of a key or a section, with its secrets, which providers are lame, and what cannot be read: to see whether
 * it has changed.
 */
function printOf({ config, lame, unreadable }: Effective & StoredSettings, key: string): string {
  const value = at(config, pathOf(key))
  const names = key === 'notifications.providers' ? lame.map(({ provider }) => provider) : []
  const unread = Object.keys(unreadable).filter((one) => `${one}.`.startsWith(`${key}.`))
  return printWithSecrets([value, names, unread])
}

export const isSettableProvider = (name: string): name is SettableProvider => Object.hasOwn(providerSections, name)
export const keysOfProvider = (name: SettableProvider): readonly string[] => settableKeys(providerSections[name])
