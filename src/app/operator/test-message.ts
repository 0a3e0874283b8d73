import type { Application } from '../../core/account/application.ts'
import { isAllowedDestination } from '../../core/account/contact.ts'
import { msOf, type Settings } from '../../core/account/settings.ts'
import type { AttemptOutcome } from '../../core/incident/command.ts'
import type { Channel } from '../../core/incident/delivery.ts'
import { httpRulesOf, ownHttpRules } from '../../core/incident/http-rules.ts'
import { mailSubject } from '../../core/message/mail-text.ts'
import { testBody, testText } from '../../core/message/test-message.ts'
import { textLanguage } from '../../core/text/phrases.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Notification } from '../../ports/notifier.ts'
import type { OperatorStore } from '../../ports/store.ts'
import { TEXT_TIMEOUT_MS } from '../sending/compose.ts'
import { loneText } from '../sending/lone-text.ts'
import { type By, rowBy } from './by.ts'
import type { testQuota } from './test-quota.ts'

/** `to`: the number (E.164), or the address for `email`. `language`: BCP 47, the application's if absent. */
export type TestGiven = { readonly channel: Channel; readonly to?: string; readonly language?: string }

/** Whether a test of the channel needs a number or an address. Chat and webhook have their own address. */
export const needsNumber = (channel: Channel): boolean => channel !== 'chat' && channel !== 'webhook'

/**
 * A message that says it is a test, sent as the channel would send an alarm. It belongs to no incident and no contact:
 * the outbox shows both as null.
 */
export function testNotification(
  application: Application,
  { channel, to = '', language = application.language }: TestGiven,
  { now, ids, defaults }: { readonly now: number; readonly ids: Ids; readonly defaults: Settings },
): Notification | { readonly refused: 'no_target' | 'phone_not_allowed' } {
  // An alarm goes there anyway; a test must not spend what the operator has ruled out.
  if (needsNumber(channel) && channel !== 'email' && !isAllowedDestination(to, application.allowedPrefixes))
    return NOT_ALLOWED
  const base = { attemptId: `test-${ids.uuid()}`, incidentId: '', claimedAt: now }
  const settings = { ...defaults, ...application.settings }
  const { httpTimeoutSeconds } = httpRulesOf(channel, { settings, http: ownHttpRules(application.actuators) })
  const http = { ...base, timeoutMs: msOf(httpTimeoutSeconds) }
  const preferred = [language, application.language]
  const text = testText(preferred, application)
  const body = (contact: { phone: string; language: string } | null) =>
    testBody({ now, appId: application.id, incidentId: ids.uuid(), contact })
  const { emergency_contacts, chat, webhook } = application.actuators
  switch (channel) {
    case 'sms':
    case 'voice':
      return loneText({
        ...base,
        channel,
        purpose: 'test',
        // An operator waits for it at the screen.
        first: true,
        to,
        text,
        language: textLanguage(preferred),
      })
    case 'http': {
      const url = emergency_contacts?.httpUrl
      if (url === undefined) return NO_TARGET
      return { ...http, channel, url, contactId: '', body: body({ phone: to, language }) }
    }
    case 'chat':
      return chat === undefined ? NO_TARGET : { ...http, channel, ...chat, text }
    case 'webhook': {
      if (webhook === undefined) return NO_TARGET
      const { url, secret = null } = webhook
      const tested = body(null)
      return { ...http, incidentId: tested.data.incident.incidentId, channel, url, secret, occurrence: 1, body: tested }
    }
    case 'email': {
      const mail = { to, subject: mailSubject(text), text: `${text}\n`, language: textLanguage(preferred) }
      return { ...base, timeoutMs: TEXT_TIMEOUT_MS, channel, ...mail }
    }
    default:
      return channel satisfies never
  }
}

const NO_TARGET = { refused: 'no_target' } as const
const NOT_ALLOWED = { refused: 'phone_not_allowed' } as const

type Sending = {
  readonly store: Pick<OperatorStore, 'addAuditRow'>
  readonly ids: Ids
  readonly defaults: Settings
  readonly send: (notification: Notification) => Promise<AttemptOutcome>
  readonly sendsMail: () => boolean
  /** Conditions that would make an alarm fail although a test succeeds. */
  readonly warnings: () => readonly string[]
  readonly quota: ReturnType<typeof testQuota>
}

type Tested = {
  readonly channel: Channel
  readonly status: 'sent' | 'delivered' | 'failed' | 'unknown'
  readonly provider: string | null
  readonly providerRef: string | null
  readonly error: string | null
  readonly warnings: readonly string[]
}
type Refused =
  | { readonly refused: 'no_target' | 'phone_not_allowed' | 'number_needed' | 'number_unused' }
  | { readonly refused: 'too_many_tests'; readonly retryAfterMs: number }

/** Sends test messages for operators: a bounded number, each recorded in the audit log before it leaves. */
export function sendingTests({ store, ids, defaults, send, sendsMail, warnings, quota }: Sending) {
  return async (application: Application, given: TestGiven, by: By): Promise<Tested | Refused> => {
    const { channel, to } = given
    if (needsNumber(channel) !== (to !== undefined)) {
      return { refused: to === undefined ? 'number_needed' : 'number_unused' }
    }
    const notification = testNotification(application, given, { now: by.now, ids, defaults })
    if ('refused' in notification) return notification
    if (channel === 'email' && !sendsMail()) return NO_TARGET
    const retryAfterMs = quota.take(application.id)
    if (retryAfterMs !== null) return { refused: 'too_many_tests', retryAfterMs }
    await store.addAuditRow(rowBy(by, { action: 'actuator.test', appId: application.id, details: { channel } }))
    const isText = channel === 'sms' || channel === 'voice'
    const outcome = await send(notification)
    await noteTest(store, outcome, application, channel, by)
    return { channel, ...resultOf(outcome), warnings: isText ? warnings() : [] }
  }
}

/** Records that a provider took a test, which proves the way to a phone or a chat. */
export async function noteTest(
  store: Pick<OperatorStore, 'addAuditRow'>,
  { kind }: Pick<AttemptOutcome, 'kind'>,
  { id }: Pick<Application, 'id'>,
  channel: Channel,
  by: By,
): Promise<void> {
  if (kind !== 'sent' && kind !== 'delivered') return
  const row = rowBy(by, { action: 'test.accepted', appId: id, details: { channel } })
  // The message has left: a failure to record that must not look like a failed test.
  await store.addAuditRow(row).catch(() => {})
}

function resultOf(outcome: AttemptOutcome): Omit<Tested, 'channel' | 'warnings'> {
  const nobody = { provider: null, providerRef: null }
  switch (outcome.kind) {
    case 'sent':
    case 'delivered':
      return { status: outcome.kind, provider: outcome.provider, providerRef: outcome.providerRef, error: null }
    case 'failed':
      return { status: 'failed', ...nobody, error: outcome.error }
    case 'unknown':
    case 'not_found':
    case 'no_target':
      return { status: 'unknown', ...nobody, error: 'it is not known whether it was sent' }
    default:
      return outcome satisfies never
  }
}
