import type { IncidentView } from '../incident/event.ts'
import type { WebhookBody } from '../incident/webhook-body.ts'
import { isoAt } from '../ingest/event-time.ts'
import { type OwnTexts, phrasesOf } from '../text/own-texts.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from '../text/person-name.ts'
import { filled, textLanguage } from '../text/phrases.ts'

const NOBODY = '00000000-0000-0000-0000-000000000000'

/**
 * An operator's test message for a provider or an integration. It says that it is a test, and which application sent
 * it.
 */
export function testText(
  languages: readonly string[],
  application: { readonly name: string; readonly texts: OwnTexts },
): string {
  const words = phrasesOf(textLanguage(languages), application.texts)
  return filled(words.test, { app: shortened(neutralName(application.name) || 'Tocsin', MAX_NAME_LENGTH) })
}

/**
 * The body of test calls to webhooks and contact gateways: like an alarm's, about nobody. `contact`: for a contact
 * gateway, the number that the operator gave. `now`: epoch ms. protocol.md#webhook.
 */
export function testBody(occasion: {
  readonly now: number
  readonly appId: string
  readonly incidentId: string
  readonly contact: { readonly phone: string; readonly language: string } | null
}): WebhookBody {
  const { now, appId, incidentId, contact } = occasion
  const at = isoAt(now)
  const incident: IncidentView = {
    appId,
    userId: NOBODY,
    incidentId,
    status: 'active',
    occurredAt: at,
    openedAt: at,
    updatedAt: at,
    acknowledgedAt: null,
    cancelledAt: null,
    resolvedAt: null,
    acknowledgedBy: null,
    snapshotVersion: 1,
    actuators: { snapshotVersion: 1, items: [] },
    lastPosition: null,
    relay: null,
  }
  return {
    type: 'sos.test',
    timestamp: at,
    data: {
      incident,
      user: { id: NOBODY, externalUserId: 'test', name: 'Test', phone: null },
      ...(contact !== null && { contact: { id: NOBODY, name: 'Test', email: null, ...contact } }),
    },
  }
}
