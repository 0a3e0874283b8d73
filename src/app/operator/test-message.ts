import type { Application } from '../../core/account/application.ts'
import { isAllowedDestination } from '../../core/account/destination.ts'
import type { Channel } from '../../core/incident/delivery.ts'
import { msOf, type Settings } from '../../core/incident/settings.ts'
import { textLanguage } from '../../core/text/phrases.ts'
import { testBody, testText } from '../../core/text/test-message.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Notification } from '../../ports/notifier.ts'
import { TEXT_TIMEOUT_MS } from '../sending/compose.ts'

/** `to`: E.164, for what is sent to a number. `language`: BCP 47, the application's if absent. */
export type TestGiven = { readonly channel: Channel; readonly to?: string; readonly language?: string }

/** Whether a test of the channel needs a number. Chat and webhook have their own address. */
export const needsNumber = (channel: Channel): boolean => channel !== 'chat' && channel !== 'webhook'

/**
 * A message that says that it is a test, as the channel would carry an alarm's. It belongs to no incident and no
 * contact: the outbox shows both as null.
 */
export function testNotification(
  application: Application,
  { channel, to = '', language = application.language }: TestGiven,
  { now, ids, defaults }: { readonly now: number; readonly ids: Ids; readonly defaults: Settings },
): Notification | { readonly refused: 'no_target' } {
  const base = { attemptId: `test-${ids.uuid()}`, incidentId: '', claimedAt: now }
  const { httpTimeoutSeconds } = { ...defaults, ...application.settings }
  const http = { ...base, timeoutMs: msOf(httpTimeoutSeconds) }
  const preferred = [language, application.language]
  const text = testText(preferred, application)
  const body = (contact: { phone: string; language: string } | null) =>
    testBody({ now, appId: application.id, incidentId: ids.uuid(), contact })
  const { emergency_contacts, chat, webhook } = application.actuators
  switch (channel) {
    case 'sms':
    case 'voice':
      return {
        ...base,
        timeoutMs: TEXT_TIMEOUT_MS,
        channel,
        purpose: 'test',
        first: true,
        contactId: '',
        to,
        text,
        language: textLanguage(preferred),
        token: '',
        outsidePrefixes: !isAllowedDestination(to, application.allowedPrefixes),
        ackTimeoutMs: TEXT_TIMEOUT_MS,
        provider: null,
        providerRef: null,
        otherRefs: [],
      }
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
    default:
      return channel satisfies never
  }
}

const NO_TARGET = { refused: 'no_target' } as const
