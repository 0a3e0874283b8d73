import type { TextChannel } from '../../core/incident/delivery.ts'
import type { FieldProblem } from '../../core/ingest/fields.ts'
import { setupText } from '../../core/message/setup-text.ts'
import { Paces } from '../../core/operator/paces.ts'
import { provedBy, TEST_VALID_MS, testCodeFrom, testTicket } from '../../core/operator/provider-test.ts'
import {
  changedKeys,
  type SettingChange,
  type SiteSetting,
  settingChange,
  undoOf,
} from '../../core/operator/site-setting.ts'
import type { ConsoleSetup, SettingValues } from '../../ports/console-setup.ts'
import type { Ids } from '../../ports/ids.ts'
import { type OperatorStore, type SettingsStore, StoreError } from '../../ports/store.ts'
import { type By, rowBy } from './by.ts'
import type { OperatorCaller } from './callers.ts'
import type { operatorAccount } from './operator-account.ts'
import type { NotPresent, PresenceCheck } from './presence.ts'
import { guardedNews, newsOf, type SetupNews } from './setup-news.ts'
import type { testQuota } from './test-quota.ts'

/** The password and the code of the authenticator app, entered for this change. */
type BothProofs = { readonly password: string; readonly code: string }

type Caller = Pick<OperatorCaller, 'login' | 'session' | 'actor'>
type Given = { readonly caller: Caller; readonly by: By; readonly proof: BothProofs | null }

type Invalid = { readonly problems: readonly FieldProblem[] }
type OtherKey = { readonly refused: 'other_secrets_key'; readonly why: string }
type Refused =
  | NotPresent
  | OtherKey
  | {
      readonly refused:
        | 'proofs_needed'
        | 'settings_changed'
        | 'setup_part_not_found'
        | 'change_not_found'
        | 'change_too_old'
    }
  | { readonly refused: 'no_secrets_key'; readonly why: string }
type Tested = { readonly ticket: string; readonly validUntil: number }
type NotTested =
  | NotPresent
  | OtherKey
  | { readonly refused: 'setup_part_not_found' | 'proofs_needed' | 'channel_not_served' }
  | { readonly refused: 'no_secrets_key'; readonly why: string }
  | { readonly refused: 'too_many_tests'; readonly retryAfterMs: number }
  | { readonly refused: 'test_failed'; readonly error: string }
type Changed = { readonly changed: string }
type NotConfirmed = { readonly refused: 'wrong_test_code' | 'test_too_old' | 'text_not_tried' }

/** A test message that is asked for. `language`: BCP 47. */
type Test = {
  readonly values: SettingValues
  readonly channel: TextChannel
  readonly to: string
  readonly language: string
}
/** The code of a test message, as it was read or heard. */
type Read = { readonly ticket: string; readonly code: string }
type AuditDetails = NonNullable<Parameters<typeof rowBy>[1]['details']>

const PART = 'provider/'
const TICKET = 'setup/provider-test'
/** Wrong codes of a test without a wait. */
const FREE_TRIES = 5
const MAX_OPERATORS = 10_000

type SetupNeeds = {
  readonly store: SettingsStore & Pick<OperatorStore, 'addAuditRow'>
  readonly site: ConsoleSetup
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
  readonly isPresent: PresenceCheck
  readonly account: Pick<ReturnType<typeof operatorAccount>, 'prove'>
  readonly quota: ReturnType<typeof testQuota>
  /** Tells every administrator of a guarded change. Never rejects. */
  readonly tell: (news: SetupNews) => void
  /** Milliseconds that only grow. */
  readonly monotonicMs: () => number
}

/**
 * The setup in the console; the file and the environment win. A change that redirects alarms or opens the network needs
 * the password and a code of its own; a provider comes in front only once its test message was read. access.md#setup.
 */
export function operatorSetup(needs: SetupNeeds) {
  const { store, site, ids, isPresent, account, quota, tell, monotonicMs } = needs
  const paces = new Paces(FREE_TRIES, MAX_OPERATORS)

  /** Null: it is the operator, at the screen. */
  async function whyNotProved({
    caller,
    by,
    proof,
  }: Given): Promise<NotPresent | { readonly refused: 'proofs_needed' } | null> {
    if (caller.session === null) return { refused: 'not_for_tokens' }
    if (proof === null) return { refused: 'proofs_needed' }
    const { password, code } = proof
    const present = await isPresent(caller, { password }, 'session.proved', by)
    if ('refused' in present) return present
    const proved = await account.prove(caller, { code }, by)
    return 'refused' in proved ? proved : null
  }

  /**
   * The stored settings, in force on this node or older: a change made meanwhile is noticed on saving. A node that
   * cannot read the others' values judges no change of them.
   */
  async function rowsInForce(): Promise<readonly SiteSetting[] | OtherKey> {
    const why = await site.whyNoChange()
    if (why !== null) return { refused: 'other_secrets_key', why }
    const rows = await store.siteSettings()
    await site.reread()
    return rows
  }

  async function keep(change: SettingChange, given: Given, more: AuditDetails): Promise<Changed | Refused> {
    const keys = change.after.map(({ key }) => key)
    const isGuarded = site.isGuarded(keys)
    if (isGuarded) {
      const why = await whyNotProved(given)
      if (why !== null) return why
    }
    const details = { section: change.section, fields: changedKeys(change), ...more }
    const row = rowBy(given.by, { action: 'setup.change', subject: change.id, details })
    const done = await store.changeSettings(change, row)
    if ('refused' in done) return done
    await site.reread()
    if (isGuarded) tell(newsOf(change))
    return { changed: change.id }
  }

  /** `rows`: as they were before the values were checked, so that a change made meanwhile is not overwritten. */
  async function save(
    section: string,
    values: SettingValues,
    rows: readonly SiteSetting[],
    given: Given,
    more: AuditDetails = {},
  ): Promise<Changed | Refused> {
    let after: SettingChange['after']
    try {
      after = await site.sealed(values)
    } catch (error) {
      if (error instanceof StoreError) throw error
      return { refused: 'no_secrets_key', why: (error as Error).message }
    }
    const { now, actor } = given.by
    const about = { id: ids.uuid(), at: now, author: actor.name, section, after }
    const whole = section.startsWith(PART) ? site.keysOf(section) : []
    return keep(settingChange(rows, about, whole), given, more)
  }

  return {
    /** Everything that can be set, and the changes that can be undone. */
    async view() {
      const [rows, changes, mapFiles, overlayFiles] = await Promise.all([
        store.siteSettings(),
        store.settingChanges(),
        site.mapFiles(),
        site.overlayFiles(),
      ])
      const stored = new Map(rows.map((row) => [row.key, row]))
      return {
        settings: site.settings().map((setting) => {
          const row = stored.get(setting.key)
          return { ...setting, changedAt: row?.changedAt ?? null, changedBy: row?.changedBy ?? null }
        }),
        providers: site.providers(),
        certificate: site.certificate(),
        changes: changes.map((change) => {
          const undo = undoOf(rows, change, { id: '', now: change.at, author: '' })
          return { ...newsOf(change), canUndo: !('refused' in undo) }
        }),
        mapFiles,
        overlayFiles,
        onlyInFile: site.onlyInFile,
        keyTrouble: site.keyTrouble(),
      }
    },

    /** The guarded changes that can be undone or could be, newest first. */
    async news(): Promise<readonly Omit<SetupNews, 'keys'>[]> {
      return guardedNews(await store.settingChanges(), site.isGuarded)
    },

    /** Sets keys of a part of the setup. Null takes a value away. */
    async change(section: string, values: SettingValues, given: Given): Promise<Changed | Invalid | Refused> {
      // A provider changes by its test alone.
      if (section.startsWith(PART) || site.keysOf(section).length === 0) return { refused: 'setup_part_not_found' }
      const rows = await rowsInForce()
      if ('refused' in rows) return rows
      const checked = await site.check(section, values)
      return 'problems' in checked ? checked : save(section, checked.values, rows, given)
    },

    /** Sends a text or a call with a code through a provider that is not in use yet. */
    async tryProvider(
      provider: string,
      { values, channel, to, language }: Test,
      given: Given,
    ): Promise<Tested | Invalid | NotTested> {
      const { caller, by } = given
      if (site.keysOf(PART + provider).length === 0) return { refused: 'setup_part_not_found' }
      const rows = await rowsInForce()
      if ('refused' in rows) return rows
      const checked = await site.check(PART + provider, values)
      if ('problems' in checked) return checked
      if (!site.channelsWith(provider, checked.values).includes(channel)) return { refused: 'channel_not_served' }
      const why = site.keyTrouble()
      if (why !== null) return { refused: 'no_secrets_key', why }
      // It posts to an address of the caller's choice: as guarded as the change itself.
      const unproved = await whyNotProved(given)
      if (unproved !== null) return unproved
      const retryAfterMs = quota.take('')
      if (retryAfterMs !== null) return { refused: 'too_many_tests', retryAfterMs }
      await store.addAuditRow(rowBy(by, { action: 'setup.test', subject: provider, details: { channel } }))
      const code = testCodeFrom(ids.secret())
      const { text, language: spoken } = setupText([language], code, channel)
      const message = { attemptId: `test-${ids.uuid()}`, now: by.now, channel, to, text, language: spoken }
      const outcome = await site.tryProvider(provider, checked.values, message)
      if (outcome.kind === 'failed') return { refused: 'test_failed', error: outcome.error }
      const tested = { provider, operatorId: caller.actor.id, values, code }
      return {
        ticket: await site.seal(TICKET, testTicket(tested, channel, by.now)),
        validUntil: by.now + TEST_VALID_MS,
      }
    },

    /**
     * Puts a provider in front, once the code of its test message was read: of a text, if it sends texts. The others
     * stay behind it.
     */
    async confirmProvider(
      provider: string,
      { values, call, ...first }: Read & { readonly values: SettingValues; readonly call?: Read | undefined },
      given: Given,
    ): Promise<Changed | Invalid | Refused | NotConfirmed> {
      const { caller, by } = given
      const { id: operatorId } = caller.actor
      const retryAfterMs = paces.waitMs(operatorId, monotonicMs())
      if (retryAfterMs > 0) return { refused: 'too_many_attempts', retryAfterMs }
      paces.tried(operatorId, monotonicMs())
      const proved = [first, ...(call === undefined ? [] : [call])].map(({ ticket, code }) => {
        const opened = site.open(TICKET, ticket)
        return opened === null ? 'wrong' : provedBy(opened, { provider, operatorId, values, code }, by.now)
      })
      if (proved.includes('wrong')) return { refused: 'wrong_test_code' }
      if (proved.includes('too_old')) return { refused: 'test_too_old' }
      paces.succeeded(operatorId)
      const rows = await rowsInForce()
      if ('refused' in rows) return rows
      const checked = await site.check(PART + provider, values)
      if ('problems' in checked) return checked
      const [main] = site.channelsWith(provider, checked.values)
      if (main !== undefined && !proved.includes(main)) return { refused: 'text_not_tried' }
      const providers = { 'notifications.providers': site.inFront(provider) }
      return save(PART + provider, { ...checked.values, ...providers }, rows, given, { tried: proved })
    },

    /** Takes a provider out of use, with its credentials. */
    async removeProvider(
      provider: string,
      given: Given,
    ): Promise<Changed | Invalid | Refused | { readonly refused: 'last_provider' }> {
      const keys = site.keysOf(PART + provider)
      if (keys.length === 0) return { refused: 'setup_part_not_found' }
      const rows = await rowsInForce()
      if ('refused' in rows) return rows
      const left = site.without(provider)
      if (left === null) return { refused: 'last_provider' }
      const stored = new Set(rows.map(({ key }) => key))
      const checked = await site.check('messages', { 'notifications.providers': left })
      if ('problems' in checked) return checked
      const gone = Object.fromEntries(keys.filter((key) => stored.has(key)).map((key) => [key, null]))
      return save(PART + provider, { ...gone, ...checked.values }, rows, given)
    },

    /** Restores the values before a change of the last days, unless one of them has changed since. */
    async undo(changeId: string, given: Given): Promise<Changed | Invalid | Refused> {
      const [rows, changes] = await Promise.all([rowsInForce(), store.settingChanges()])
      if ('refused' in rows) return rows
      const change = changes.find(({ id }) => id === changeId)
      if (change === undefined) return { refused: 'change_not_found' }
      const { now, actor } = given.by
      const undo = undoOf(rows, change, { id: ids.uuid(), now, author: actor.name })
      if ('refused' in undo) return undo
      const problems = await site.problemsWith(undo.after)
      return problems.length > 0 ? { problems } : keep(undo, given, { undoes: changeId })
    },
  }
}
