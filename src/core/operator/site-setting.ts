import { DAY } from '../../lib/durations.ts'

/** For how long a change can be undone, and its former values are kept. */
export const UNDO_DAYS = 7
const UNDO_MS = UNDO_DAYS * DAY
/** Of one section; older ones go. Changes of another one, which may need fewer proofs, push none of them out. */
export const MAX_SETTING_CHANGES = 50

/** The value of a key of the configuration, set in the console. */
export type SiteSetting = {
  /** As in the file: `twilio.authToken`. */
  readonly key: string
  /** JSON; if `sealed`, sealed. */
  readonly value: string
  readonly sealed: boolean
  /** Epoch ms. */
  readonly changedAt: number
  /** The name of the operator. */
  readonly changedBy: string
}

/** The value of a key before or after a change. Null: not set. */
export type SettingValue = Pick<SiteSetting, 'key' | 'sealed'> & { readonly value: string | null }

/** One change of settings, with what its undo restores. */
export type SettingChange = {
  readonly id: string
  readonly at: number
  readonly author: string
  /** The part of the setup that it was made in. */
  readonly section: string
  readonly before: readonly SettingValue[]
  readonly after: readonly SettingValue[]
}

/** When the ways to send SMS and calls were last changed, epoch ms; null if not in the history. */
export function lastChangeOfProviders(changes: readonly Pick<SettingChange, 'section' | 'at'>[]): number | null {
  const theirs = changes.filter(({ section }) => section === 'messages' || section.startsWith('provider/'))
  return theirs.length === 0 ? null : Math.max(...theirs.map(({ at }) => at))
}

/** The values that the keys of a change have in `settings`. */
const valuesIn = (settings: readonly SiteSetting[], keys: readonly string[]): readonly SettingValue[] =>
  keys.map((key) => {
    const found = settings.find((setting) => setting.key === key)
    return { key, value: found?.value ?? null, sealed: found?.sealed ?? false }
  })

/**
 * A change of these keys, in `settings` as they are now. `whole`: keys that count together, such as a secret and the
 * address that it is sent to. Those that stay are in the change, so that an undo restores all of them or none.
 */
export function settingChange(
  settings: readonly SiteSetting[],
  { after, ...about }: Omit<SettingChange, 'before'>,
  whole: readonly string[] = [],
): SettingChange {
  const changed = after.map(({ key }) => key)
  const staying = whole.filter((key) => !changed.includes(key))
  return {
    ...about,
    before: valuesIn(settings, [...changed, ...staying]),
    after: [...after, ...valuesIn(settings, staying)],
  }
}

/** The keys whose values a change replaces. */
export const changedKeys = ({ before, after }: Pick<SettingChange, 'before' | 'after'>): readonly string[] =>
  after.filter(({ value }, place) => value !== before[place]?.value).map(({ key }) => key)

/**
 * The rows that a change writes and the keys that it removes, if `settings` still has the values that the change began
 * with: of two operators who save at once, the second sees the first one's change.
 */
export function decideSettings(
  settings: readonly SiteSetting[],
  { at, author, before, after }: SettingChange,
):
  | { readonly set: readonly SiteSetting[]; readonly remove: readonly string[] }
  | { readonly refused: 'settings_changed' } {
  const now = valuesIn(
    settings,
    before.map(({ key }) => key),
  )
  if (before.some(({ value }, place) => value !== now[place]?.value)) return { refused: 'settings_changed' }
  return {
    set: after.flatMap(({ value, ...rest }) =>
      value === null || now.some(({ key, value: same }) => key === rest.key && value === same)
        ? []
        : [{ ...rest, value, changedAt: at, changedBy: author }],
    ),
    remove: after.flatMap(({ key, value }) => (value === null ? [key] : [])),
  }
}

/** The change that takes `change` back, unless it is too old, or one of its keys has changed since. */
export function undoOf(
  settings: readonly SiteSetting[],
  { section, before, after, at }: SettingChange,
  { id, now, author }: { readonly id: string; readonly now: number; readonly author: string },
): SettingChange | { readonly refused: 'change_too_old' | 'settings_changed' } {
  if (Math.abs(now - at) >= UNDO_MS) return { refused: 'change_too_old' }
  const undo = settingChange(settings, { id, at: now, author, section, after: before })
  const isLast = after.every(({ key, value }) => undo.before.find((one) => one.key === key)?.value === value)
  return isLast ? undo : { refused: 'settings_changed' }
}
