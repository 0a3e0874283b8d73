import type { Session } from '../../core/account/session.ts'
import { isJsonObject } from '../../core/ingest/json.ts'
import type { PublishKind } from '../../core/ingest/topic.ts'
import { readTimerMessage } from '../../core/timer/timer-schema.ts'
import { type MailStore, type Settle, StoreError, type TelemetryStore, type TimerStore } from '../../ports/store.ts'
import { ownTimers } from '../user/own-timers.ts'
import { appendPlainTelemetry, appendTelemetry, NOT_ADMITTED } from './ingest-telemetry.ts'
import { type IngestNeeds, raiseAlarm } from './raise-sos.ts'

export type Publish = {
  readonly session: Session
  readonly kind: PublishKind
  readonly topic: string
  readonly payload: Buffer
}

/**
 * `dead_lettered`: unusable, but kept for the operator and acknowledged, so that the client does not resend it for
 * ever. `refused`: not allowed.
 */
export type IngestResult = 'stored' | 'dead_lettered' | 'refused'

/**
 * Handles an MQTT publish on one of the user's own topics. Settles after the commit; a publish that is refused settles
 * before the call returns. With a StoreError nothing was stored; the broker must then neither acknowledge nor keep the
 * connection. rules.md#durability.
 */
export const ingestPublish = (needs: IngestNeeds & { readonly store: TelemetryStore & MailStore & TimerStore }) => {
  const raise = raiseAlarm(needs)
  const append = appendTelemetry(needs)
  const appendPlain = appendPlainTelemetry(needs)
  const timers = ownTimers(needs)
  const { store, clock, log, meter } = needs

  const deadLetter = async (
    { session, kind, topic, payload }: Publish,
    why: 'no_json_object' | 'bad_fields' | 'not_admitted',
    reason: string,
  ): Promise<IngestResult> => {
    try {
      await store.addDeadLetter({ userId: session.userId, topic, reason, payload, receivedAt: clock.now() })
    } catch (error) {
      meter.count('ingest_failures_total', { kind: 'dead_letter', transport: 'mqtt' })
      throw error
    }
    meter.count('dead_letters_total', { kind: kind === 'legacy_alert' ? 'alert' : kind, reason: why })
    log.warn({ userId: session.userId, reason }, 'publish kept as a dead letter', reason)
    return 'dead_lettered'
  }

  /** MQTT has no reply, so a request that cannot be carried out is kept as a dead letter. */
  const keepTimer = async (publish: Publish, json: Readonly<Record<string, unknown>>): Promise<IngestResult> => {
    const read = readTimerMessage(json)
    if ('problems' in read) {
      const fields = read.problems.map(({ field }) => field).join(', ')
      return deadLetter(publish, 'bad_fields', `invalid fields: ${fields}`)
    }
    const refusal = await timers.obey(publish.session, read.message).catch((error) => {
      meter.count('ingest_failures_total', { kind: 'timer', transport: 'mqtt' })
      throw error
    })
    return refusal === null ? 'stored' : deadLetter(publish, 'bad_fields', refusal)
  }

  return (publish: Publish, settle: Settle<IngestResult>): void => {
    const bytes = withoutTrailingNuls(publish.payload)
    const barred = (): void => {
      deadLetter(publish, 'not_admitted', NOT_ADMITTED).then(settle, settle)
    }
    const plain: Settle<'stored' | 'barred'> = (result) => (result === 'barred' ? barred() : settle(result))
    if (publish.kind === 'telemetry' && appendPlain(publish.session, bytes, plain)) return
    const text = withoutByteOrderMark(bytes.toString('utf8'))
    const json = parseJsonObject(text)
    if (json === null) {
      deadLetter(publish, 'no_json_object', 'no JSON object').then(settle, settle)
      return
    }
    if (publish.kind === 'telemetry') {
      append(publish.session, { json, transport: 'mqtt' }, (taken) => {
        if (taken instanceof StoreError) settle(taken)
        else if ('isBarred' in taken) barred()
        else if (!('refused' in taken)) settle('stored')
        else {
          const fields = taken.refused.map((problem) => problem.field).join(', ')
          deadLetter(publish, 'bad_fields', `invalid fields: ${fields}`).then(settle, settle)
        }
      })
      return
    }
    if (publish.kind === 'timer') {
      keepTimer(publish, json).then(settle, settle)
      return
    }
    if (publish.kind === 'legacy_alert' && !isOwnId(publish.session, json.userId)) {
      settle('refused')
      return
    }
    raise(publish.session, json, 'mqtt').then(() => settle('stored'), settle)
  }
}

/** access.md#legacy-topics: a legacy `userId` is either id of the authenticated user. */
const isOwnId = (session: Session, id: unknown): boolean => id === session.userId || id === session.externalUserId

function parseJsonObject(text: string): Record<string, unknown> | null {
  try {
    const json: unknown = JSON.parse(text)
    return isJsonObject(json) ? json : null
  } catch {
    return null
  }
}

/** Some libraries send one first, and it must not cost an alarm. */
const BYTE_ORDER_MARK = '\uFEFF'

const withoutByteOrderMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text

/** C firmware tends to send trailing NULs, and they must not cost an alarm. */
function withoutTrailingNuls(payload: Buffer): Buffer {
  let end = payload.length
  while (end > 0 && payload[end - 1] === 0) end--
  return end === payload.length ? payload : payload.subarray(0, end)
}
