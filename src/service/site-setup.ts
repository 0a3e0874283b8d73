import { isSpool } from '../adapters/outbound/modem/spool-place.ts'
import { archivesIn, overlaysIn } from '../adapters/platform/map/archives.ts'
import { loneText } from '../app/sending/lone-text.ts'
import { variableOfKey } from '../config/keys.ts'
import { onlyInFile } from '../config/only-in-file.ts'
import { channelsOf } from '../config/provider-channels.ts'
import {
  boundTo,
  pathOf,
  providerSections,
  type SettableProvider,
  settable,
  settableIn,
  settableKeys,
} from '../config/settable.ts'
import { problemsOf, type SiteSettings, withSettings, writtenIn } from '../config/settings.ts'
import { at, isTree } from '../config/tree.ts'
import type { Config } from '../config.ts'
import { textChannels } from '../core/incident/delivery.ts'
import type { FieldProblem } from '../core/ingest/fields.ts'
import type { ConsoleSetup, SettingValues } from '../ports/console-setup.ts'
import type { Secrets } from '../ports/secrets.ts'
import { certificateProblems, directoryProblems, portProblems } from './certificate-setup.ts'
import type { Certificates } from './certificates.ts'
import { closedAddresses, withoutGateway } from './gateway-hosts.ts'
import { noArchive, noOverlays } from './setup-map.ts'
import { profilesIn } from './setup-profiles.ts'
import { isSettableProvider, keysOfProvider, readSettings, type SiteConfig, settingSeal } from './site-config.ts'
import { type ProviderNeeds, readyProvider } from './text-providers.ts'

/** Shown in place of a secret, and sent back for one that stays. */
const KEPT = '[secret]'
const PROVIDER = /^provider\/(.+)$/
const PROVIDERS = 'notifications.providers'
const SPOOL = 'modem.spool'
const PROFILES = 'lorawan.profiles'

/** The setup of the site in the console, on this node. */
export function siteSetup(
  site: SiteConfig,
  needs: ProviderNeeds & { readonly secrets: Secrets } & Pick<Certificates, 'whyNoPort'> &
    Pick<ConsoleSetup, 'certificate'>,
): ConsoleSetup {
  const { secrets } = needs

  const keysOf = (section: string): readonly string[] => {
    const [, provider] = PROVIDER.exec(section) ?? []
    if (provider === undefined) return isSection(section) ? settableKeys(section) : []
    return isSettableProvider(provider) ? keysOfProvider(provider) : []
  }

  const isSection = (section: string): section is NonNullable<Parameters<typeof settableKeys>[0]> =>
    settableKeys().some((key) => settable[key]?.section === section) &&
    !Object.values(providerSections).some((one) => one === section)

  /** With this provider alone. */
  const alone = (provider: string, values: SettingValues): Config => {
    const asked = without({ ...site.stored.values, ...values, [PROVIDERS]: [provider] }, null)
    return withSettings(site.base, asked).config
  }

  return {
    reread: () => site.reread(),
    whyNoChange: () => secrets.compareKey(),
    keyTrouble: () => secrets.keyTrouble(),
    mapFiles: () => archivesIn(site.base.dataDir),
    overlayFiles: () => overlaysIn(site.base.dataDir),
    onlyInFile,
    keysOf,
    isGuarded: (keys) => keys.some((key) => settable[key]?.guard === 'both'),

    settings() {
      const { config, sources, left } = site.effective
      const { unreadable } = site.stored
      return settableKeys().map((key) => {
        const { section, guard, isSecret = false } = settable[key]!
        const value = at(config, pathOf(key)) ?? null
        const source = sources.get(key) ?? 'default'
        // As entered, without the parts from the shipped ones.
        const own = key === PROFILES && source === 'console' ? (site.stored.values[key] ?? value) : value
        const shown: unknown = JSON.parse(JSON.stringify(own))
        const isStored = key in site.stored.values || key in unreadable
        const problem = unreadable[key] ?? left.find((one) => settableIn(one.key) === key)?.message ?? null
        return {
          ...{ key, section: sectionShown(section), guarded: guard === 'both', source },
          value: isSecret && !isTree(value) ? null : isSecret ? secretsApart(shown, value) : shown,
          secret: isSecret,
          set: source === 'default' ? isStored : value !== null,
          overridden: isStored && (source === 'file' || source === 'environment'),
          problem,
        }
      })
    },

    providers() {
      const { config, lame } = site.effective
      const stored = site.stored.values[PROVIDERS]
      const named = lame.length > 0 && Array.isArray(stored) ? stored : config.notifications.providers
      return Object.keys(providerSections).map((provider) => {
        const place = named.indexOf(provider as SettableProvider)
        const problem = lame.find((one) => one.provider === provider)?.message ?? null
        return { provider, place: place < 0 ? null : place + 1, problem }
      })
    },

    certificate: () => needs.certificate(),

    async check(section, given) {
      const keys = keysOf(section)
      const [, provider] = PROVIDER.exec(section) ?? []
      const { values: stored } = site.stored
      const problems: FieldProblem[] = []
      const values: Record<string, unknown> = {}
      for (const [key, value] of Object.entries(given)) {
        const written = keys.includes(key) ? writtenIn(site.base, key) : null
        if (!keys.includes(key)) problems.push({ field: key, message: 'is not a setting of this part' })
        else if (written !== null) problems.push({ field: key, message: whereWritten(key, written) })
        else if (key === PROFILES) values[key] = profilesIn(value, problems)
        else values[key] = keptIn(value, stored[key], key, problems)
      }
      problems.push(...leaked(given, site), ...certificateProblems(values, site.base, needs.clock.now()))
      problems.push(...untested(values[PROVIDERS], providersNow(site)))
      problems.push(...(await noSpool(values[SPOOL], site.base)))
      problems.push(...(await noArchive(values, site.base)), ...(await noOverlays(values, site.base)))
      if (problems.length > 0) return { problems }
      const next = without({ ...stored, ...values }, null)
      const asked = provider === undefined ? next : { ...next, [PROVIDERS]: [provider] }
      if (provider !== undefined && writtenIn(site.base, PROVIDERS) !== null) {
        return { problems: [{ field: PROVIDERS, message: whereWritten(PROVIDERS, writtenIn(site.base, PROVIDERS)!) }] }
      }
      const known = problemsOf(site.base, stored)
      const found = problemsOf(site.base, asked).filter(({ key, message }) => {
        const own = settableIn(key)
        const isNew = !known.some((one) => one.key === key && one.message === message)
        return own === null || keys.includes(own) || isNew
      })
      if (found.length > 0) return { problems: found.map(({ key, message }) => ({ field: key || section, message })) }
      const cut = await withoutGateway(values, site)
      if (cut.length > 0) return { problems: cut }
      const after = withSettings(site.base, next).config
      const closed = [
        ...(await closedAddresses(after, site)),
        ...(await directoryProblems(values, after)),
        ...(await portProblems(values, after, needs)),
      ]
      return closed.length > 0 ? { problems: closed } : { values }
    },

    async problemsWith(rows) {
      const { values, unreadable } = readSettings(rows, secrets)
      const others = Object.entries(site.stored.values).filter(([key]) => !rows.some((row) => row.key === key))
      const next = { ...Object.fromEntries(others), ...values }
      const { config, left, lame } = withSettings(site.base, next, { ...site.stored.unreadable, ...unreadable })
      const known = [...site.effective.left, ...site.effective.lame].map(({ message }) => message)
      const found = [...left.map(({ key, message }) => ({ field: key, message })), ...lame.map(unusable)].filter(
        ({ message }) => !known.includes(message),
      )
      const asked = Object.fromEntries(rows.map(({ key }) => [key, values[key] ?? null]))
      return [...found, ...(await withoutGateway(asked, site)), ...(await closedAddresses(config, site))]
    },

    inFront(provider) {
      const others = providersNow(site).filter((name) => name !== provider && name !== 'outbox')
      return [provider, ...others]
    },
    without(provider) {
      const left = providersNow(site).filter((name) => name !== provider)
      return left.length === 0 ? null : left
    },

    sealed: (values) =>
      Promise.all(
        Object.entries(values).map(async ([key, value]) => {
          if (value === null) return { key, value, sealed: false }
          const text = JSON.stringify(value)
          const isSecret = settable[key]?.isSecret === true
          return { key, value: isSecret ? await secrets.seal(settingSeal(key), text) : text, sealed: isSecret }
        }),
      ),

    channelsWith: (provider, values) => {
      const served = channelsOf(provider as SettableProvider, alone(provider, values))
      return textChannels.filter((channel) => served.includes(channel))
    },

    async tryProvider(provider, values, { now, ...message }) {
      try {
        const config = alone(provider, values)
        const ready = await readyProvider(provider as SettableProvider, config, needs)
        try {
          return await ready.provider.send(loneText({ ...message, claimedAt: now, purpose: 'test', first: true }))
        } finally {
          await ready.close()
        }
      } catch (error) {
        needs.log.error({ err: error, provider }, 'a provider could not be tried')
        return { kind: 'failed', error: (error as Error).message, retryable: false }
      }
    },

    seal: (name, text) => secrets.seal(name, text),
    open(name, sealed) {
      const opened = secrets.open(name, sealed)
      return 'value' in opened ? opened.value.toString('utf8') : null
    },
  }
}

const unusable = ({ message }: { readonly message: string }): FieldProblem => ({ field: PROVIDERS, message })

/** A provider's own part is named after it. */
const sectionShown = (section: string): string => {
  const provider = Object.entries(providerSections).find(([, one]) => one === section)?.[0]
  return provider === undefined ? section : `provider/${provider}`
}

/** The console's setting counts, even if this node cannot use it. */
function providersNow(site: SiteConfig): readonly string[] {
  const stored = site.stored.values[PROVIDERS]
  const isStored = Array.isArray(stored) && writtenIn(site.base, PROVIDERS) === null
  return isStored ? stored.map(String) : site.now.notifications.providers
}

const whereWritten = (key: string, written: 'file' | 'environment'): string =>
  written === 'file'
    ? 'is set in the configuration file, which wins: change it there'
    : `is set by ${variableOfKey(key)}, which wins: change it there`

/** A mapping with its secrets as `[secret]`; null for a secret that is the whole value. */
const secretsApart = (shown: unknown, value: unknown): unknown => ('reveal' in (value as object) ? null : shown)

const without = (values: SettingValues, what: unknown): SiteSettings =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== what))

/**
 * `given` with each `[secret]` replaced by its stored value. A secret beside an address stays only while the
 * address does: it must not be sent elsewhere.
 */
function keptIn(given: unknown, stored: unknown, field: string, problems: FieldProblem[]): unknown {
  if (given === KEPT) {
    if (stored === undefined) problems.push({ field, message: 'has no stored secret to keep' })
    return stored
  }
  if (!isTree(given)) return given
  const before = isTree(stored) ? stored : {}
  const moved = given.url !== undefined && given.url !== before.url
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const name = `${field}.${key}`
      if (moved && value === KEPT) problems.push({ field: name, message: AGAIN })
      return [key, keptIn(value, Object.hasOwn(before, key) ? before[key] : undefined, name, problems)]
    }),
  )
}

/** A provider comes in by its test alone. */
const untested = (named: unknown, inUse: readonly string[]): readonly FieldProblem[] =>
  Array.isArray(named) && named.some((name) => !inUse.includes(String(name)))
    ? [{ field: PROVIDERS, message: `may only name what is in use (${inUse.join(', ')}): test another one first` }]
    : []

/** A path that the schema refuses gets its own problem there. */
async function noSpool(path: unknown, { dataDir }: Pick<Config, 'dataDir'>): Promise<readonly FieldProblem[]> {
  const isOne = typeof path !== 'string' || !path.startsWith('/') || (await isSpool(path, dataDir))
  return isOne ? [] : [{ field: SPOOL, message: NO_SPOOL }]
}
const NO_SPOOL =
  'must be the spool of gammu-smsd on this machine, with inbox, outbox, sent and error; the file may name any other directory'

const besides = (key: string): string => `goes with ${key}: set it where that is set, in the file or the environment`
const AGAIN = 'is needed again, or null: it would be sent to the new address'

/** Secrets that would go to a new address although nobody has entered them again. */
function leaked(given: SettingValues, { base, stored: { values, unreadable } }: SiteConfig): readonly FieldProblem[] {
  return Object.entries(boundTo).flatMap(([key, address]) => {
    const isMoved = ![undefined, null, KEPT, values[address]].includes(given[address])
    if (!isMoved) return []
    if (writtenIn(base, key) !== null) return [{ field: address, message: besides(key) }]
    const isStored = key in values || key in unreadable
    const isKept = key in given ? holdsKept(given[key]) : isStored
    return isKept ? [{ field: key, message: AGAIN }] : []
  })
}

const holdsKept = (given: unknown): boolean => given === KEPT || (isTree(given) && Object.values(given).some(holdsKept))
