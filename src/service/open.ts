import { hostname } from 'node:os'
import type { TlsIdentity } from '../adapters/platform/tls/identity.ts'
import { warnOfSharedEuis } from '../app/field/shared-euis.ts'
import type { Calendar } from '../app/upkeep/calendar.ts'
import type { NightlyBackups } from '../app/upkeep/nightly-backup.ts'
import { placeOnBoard } from '../app/upkeep/place-on-board.ts'
import { keepRemovals } from '../app/upkeep/removals.ts'
import { keepRetention } from '../app/upkeep/retention.ts'
import { UNNAMED_DAYS } from '../app/user/unnamed-ends.ts'
import type { Canary } from '../app/watch/canary.ts'
import { beat } from '../app/watch/heartbeat.ts'
import type { OverdueTimers } from '../app/watch/overdue-timers.ts'
import { watchSite } from '../app/watch/site-news.ts'
import { isLocalOnly } from '../config/public-address.ts'
import type { Config } from '../config.ts'
import { UNDO_DAYS } from '../core/operator/site-setting.ts'
import type { Addresses } from './addresses.ts'
import type { Closers } from './closers.ts'
import { followSettings } from './follow-settings.ts'
import type { Inbound } from './inbound.ts'
import { type Listeners, openListeners } from './listeners.ts'
import type { Sending } from './sending.ts'
import { takeSmsAnswers } from './sms-answers.ts'
import type { Basis } from './storage.ts'

/**
 * The last stage: follows changes by other processes, opens the listeners, then begins to send and to delete expired
 * records. Rejects with a sentence for the operator if an address is unavailable.
 */
export async function open(
  config: Config,
  basis: Basis,
  {
    inbound,
    sending,
    calendar,
    addresses,
    tls,
    timers,
    canary,
    backups,
  }: {
    readonly inbound: Inbound
    readonly sending: Sending
    readonly calendar: Calendar
    readonly addresses: Addresses
    readonly tls: TlsIdentity | null
    readonly timers: OverdueTimers
    readonly canary: Canary | null
    readonly backups: Pick<NightlyBackups, 'start'> | null
  },
  closers: Closers,
): Promise<Listeners> {
  const { store, door, talk, clock, log, lease, site } = basis
  const { mqtt, lorawan, http, health } = inbound
  const { courier, dispatcher, caller } = sending
  const rereadSettings = followSettings(basis, closers)
  // Before the listeners: a client that connects gets every event from then on.
  closers.add(
    await store.onNotice((notice) => {
      switch (notice.kind) {
        case 'committed':
          return door.hear(notice)
        case 'case':
          return inbound.noted(notice.incidentId)
        case 'talk':
          return talk.hear(notice.said)
        case 'desk':
          return inbound.deskChanged()
        case 'timer':
          return mqtt.remind(notice.reminder)
        case 'clock_accepted':
          return calendar.accept()
        case 'admission':
          return mqtt.endSessions(notice.appId)
        case 'settings':
          return rereadSettings()
        case 'connected':
          return mqtt.claims?.hear(notice.clients)
        case 'cut_off':
          return inbound.cutOff(true)
        case 'back':
          rereadSettings()
          return inbound.cutOff(false)
        default:
          return notice satisfies never
      }
    }),
  )
  const listeners = await openListeners(config, { broker: mqtt.broker, http, tls })
  addresses.settle(listeners)
  const publicUrl = addresses.publicUrl()
  if (isLocalOnly(publicUrl)) {
    log.warn(
      { publicUrl },
      'messages carry no links, because only this machine could open them; set publicUrl to an address that contacts can reach',
    )
  }
  dispatcher.start()
  const { downlinks } = lorawan
  downlinks.start()
  closers.add(() => downlinks.stop())
  courier.start()
  closers.add(() => courier.stop())
  await sending.text.withModem(async (modem, now) =>
    now.modem.answers
      ? takeSmsAnswers(basis, { modem, noted: inbound.noted, publicUrl: addresses.publicUrl, sos: inbound.sos })
      : () => {},
  )
  // Settings changed while this process started.
  rereadSettings()
  timers.start()
  if (canary !== null) {
    canary.start()
    // Before the broker and the dispatcher end: its run needs both.
    closers.add(() => canary.stop())
  }
  backups?.start()
  const heartbeat = config.heartbeat.url?.reveal()
  if (heartbeat !== undefined) {
    const readiness = async () => {
      const concern = canary?.concern() ?? null
      return [...(await health.readiness()), ...(concern === null ? [] : [concern])]
    }
    closers.add(beat({ ...basis, url: heartbeat, readiness, caller }))
  }
  const watch = () => {
    const concerns = () => [...health.concerns(), ...(tls?.info().concerns ?? [])]
    const mayTell = () => lease?.isHousekeeper !== false
    const about = { ...basis, mail: sending.operatorMail, node: lease === null ? null : (config.node.id ?? hostname()) }
    return watchSite({ ...about, readiness: health.readiness, concerns, mayTell })
  }
  let unwatch = site.now.smtp.url === null ? null : watch()
  site.follow(['smtp.url'], async ({ smtp }) => {
    if ((smtp.url !== null) === (unwatch !== null)) return
    await unwatch?.()
    unwatch = smtp.url === null ? null : watch()
  })
  closers.add(() => unwatch?.())
  await lorawan.connect()
  closers.add(() => lorawan.disconnect())
  closers.add(placeOnBoard({ store, clock, log }))
  void warnOfSharedEuis({ store, log })
  const days = daysOf(config.retention)
  const mayDelete = () => calendar.isBelieved() && lease?.isHousekeeper !== false
  closers.add(keepRetention({ store, clock, log, days, mayDelete }))
  closers.add(
    keepRemovals({ ...{ store, clock, log, mayDelete }, endSessions: mqtt.endSessions, news: inbound.removalNews }),
  )
  return listeners
}

/** How long an invitation is listed after it has stopped working. keeping.md#retention. */
const PAST_INVITATION_DAYS = 30

/** An end that comes before its alert counts for a day. rules.md#ends. */
const AWAITED_DAYS = 1

const daysOf = (retention: Config['retention']) => ({
  telemetry: retention.telemetryDays,
  incidents: retention.incidentDays,
  outbox: retention.outboxDays,
  deadLetters: retention.deadLetterDays,
  feedback: retention.feedbackDays,
  timers: retention.incidentDays,
  audit: retention.auditDays,
  awaitedEnds: AWAITED_DAYS,
  unnamedEnds: UNNAMED_DAYS,
  settingChanges: UNDO_DAYS,
  appInvitations: PAST_INVITATION_DAYS,
})
