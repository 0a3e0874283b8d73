import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startProvider } from '../contenders/provider.ts'
import { startTocsin } from '../contenders/tocsin.ts'
import { connectTrackers } from '../load/tracker.ts'
import type { Plan } from '../plan.ts'
import { type Spread, spreadOf } from '../statistics.ts'

/** One run against a provider with a given answer time per SMS. */
export type NotificationFigures = {
  readonly name: string
  readonly incidents: number
  readonly answerMs: number
  readonly openedWithinMs: number
  /** The number of incidents whose first SMS had reached the provider by the end of the measurement. */
  readonly begun: number
  /** How many milliseconds after their deadlines those SMS reached the provider. */
  readonly latenessMs: Spread
  /** The number of SMS queued at the end, according to the metrics. */
  readonly waiting: number
  /** The average queue time in milliseconds of the SMS sent, according to the metrics. */
  readonly queueWaitMs: number
}

type IncidentRow = { readonly incidentId: string; readonly externalUserId: string; readonly openedAt: string }

const LOOK_MS = 250
const CONTACTS = 3
const USERS = 'hiker'

/** The account's rate limits: as fast as the service can send, and the provider's default. */
const accounts = [
  { name: 'no limit of the account', perSecond: 1000 },
  { name: "the provider's default, 1/s", perSecond: 1 },
] as const

/**
 * Opens incidents with three contacts within a second, and compares when each incident's first SMS reached the provider
 * with when it was due. Each account has its own service.
 */
export async function measureNotifications(
  { dir, say }: { readonly dir: string; readonly say: (line: string) => void },
  plan: Plan['notifications'],
): Promise<NotificationFigures[]> {
  const figures: NotificationFigures[] = []
  for (const account of accounts) figures.push(await measureAccount(account, { dir, say }, plan))
  return figures
}

async function measureAccount(
  { name, perSecond }: (typeof accounts)[number],
  { dir, say }: { readonly dir: string; readonly say: (line: string) => void },
  { incidents, graceSeconds, answerMs, maxSeconds }: Plan['notifications'],
): Promise<NotificationFigures> {
  const provider = await startProvider(answerMs)
  const tocsin = await startTocsin(join(dir, `provider-${perSecond}`), [], {
    ...provider.environment,
    TOCSIN_TWILIO_SMS_PER_SECOND: String(perSecond),
  })
  const application = await tocsin.createApplication('bench notifications')
  const settings = ['--grace-seconds', String(graceSeconds), '--voice', 'off']
  await tocsin.cli('app', 'actuator', 'set', application.appId, 'emergency_contacts', ...settings)
  // Each user's contacts have unique numbers, which identify an SMS.
  const users = await tocsin.createUsers(application, USERS, incidents, CONTACTS, numberOf)
  const trackers = await connectTrackers(tocsin.port, users)

  say(`notifications: ${incidents} incidents at once, ${name}, ${answerMs} ms for each SMS`)
  await Promise.all(trackers.map((tracker) => tracker.press()))
  const began = performance.now()
  const firstAt = new Map<string, number>()
  while (firstAt.size < incidents && performance.now() - began < maxSeconds * 1000) {
    await wait(LOOK_MS)
    for (const { to, at } of await provider.received()) if (!firstAt.has(ownerOf(to))) firstAt.set(ownerOf(to), at)
  }
  const metrics = await tocsin.metrics()
  const waiting = metrics('tocsin_queue_length', { channel: 'sms' })
  const waited = metrics('tocsin_queue_wait_seconds_sum', { channel: 'sms' })
  const left = metrics('tocsin_queue_wait_seconds_count', { channel: 'sms' })
  for (const tracker of trackers) tracker.close()
  const rows = (await tocsin.cli('incident', 'list')) as IncidentRow[]
  const openedAt = rows.map((row) => Date.parse(row.openedAt))
  const lateness = rows.flatMap(({ externalUserId, openedAt: opened }) => {
    const at = firstAt.get(externalUserId)
    return at === undefined ? [] : [at - Date.parse(opened) - graceSeconds * 1000]
  })
  await tocsin.stop()
  await provider.stop()
  return {
    name,
    incidents: rows.length,
    answerMs,
    openedWithinMs: Math.max(...openedAt) - Math.min(...openedAt),
    begun: lateness.length,
    latenessMs: spreadOf(lateness),
    waiting,
    queueWaitMs: (waited / left) * 1000,
  }
}

/** `+43660`, then six digits for the user and one for the contact. */
const numberOf = (user: number, contact: number): string => `+43660${String(user).padStart(6, '0')}${contact}`
const ownerOf = (phone: string): string => `${USERS}-${Number(phone.slice(6, 12))}`
