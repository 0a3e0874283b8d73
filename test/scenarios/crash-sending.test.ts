import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { effort } from '../harness/effort.ts'
import { type KillPoint, killPoints } from '../harness/kill-point.ts'
import { later } from '../harness/later.ts'
import { newMoment } from '../harness/moment.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { seeded } from '../harness/random.ts'
import { isOnPostgres } from '../harness/site-store.ts'
import { all, type Moment, one, type Resource, startTwilio, type TwilioStandIn } from '../harness/twilio-stand-in.ts'
import { until } from '../harness/wait.ts'

const PUBLIC_URL = 'https://sos.example.org'
/** Every point is reached. Only a fault keeps it from being so, however busy the machine is. */
const POINT_TIMEOUT_MS = 120_000
/**
 * The last start comes after a longer power cut: the quiet time of an attempt without an outcome, 10 s, has passed, and
 * so has the minute after which a receipt lost in a kill is asked for.
 */
const LAST_CUT_MS = 70_000
/** By then everything is looked up and sent, at a call each eighth of a second. */
const RECOVERY_MS = 180_000

/** Two texts together, calls soon after them, and rates at which both must wait for their turn. */
const SETTINGS = {
  'grace-seconds': 0.2,
  'contact-interval-seconds': 0,
  'ack-timeout-seconds': 1.2,
  'voice-attempts': 1,
  rounds: 1,
  'persist-hours': 0,
} as const
const RATES = { TOCSIN_TWILIO_SMS_PER_SECOND: '8', TOCSIN_TWILIO_CALLS_PER_SECOND: '8' }

/**
 * When the plug is pulled: at a moment of a request to the provider, some time after it, some time after the press, or
 * at a commit after the press.
 */
type Point =
  | { readonly moment: Moment | 'pressed'; readonly nth: number; readonly afterMs: number }
  | { readonly commit: KillPoint }

function pointsFrom(random: () => number): readonly Point[] {
  const commit = (side: KillPoint['side'], nth: number): Point => ({ commit: { side, table: 'incidents', nth } })
  const heard = (nth: number): Point => ({ moment: 'heard', nth, afterMs: 0 })
  const accepted = (nth: number): Point => ({ moment: 'accepted', nth, afterMs: 0 })
  const answered = (nth: number): Point => ({ moment: 'answered', nth, afterMs: Math.floor(random() * 8) })
  // While its receipts arrive.
  const receipts = (): Point => ({ moment: 'answered', nth: 1, afterMs: Math.floor(8 + random() * 60) })
  // While it waits for its turn, or anywhere else.
  const anywhere = (): Point => ({ moment: 'pressed', nth: 1, afterMs: Math.floor(random() * 1_600) })
  // The press is the first commit. Then the claims, outcomes and receipts of two texts and two calls follow, beside
  // what earlier runs have left.
  const few = [heard(1), accepted(2), commit('before', 1), answered(3), anywhere()]
  const more = [heard(3), accepted(1), receipts(), answered(1), commit('after', 1), commit('after', 4)]
  const commits = [
    ...[2, 3, 5].map((nth) => commit('after', nth)),
    ...[2, 3, 4, 5, 6].map((nth) => commit('before', nth)),
  ]
  const most = [heard(2), accepted(3), anywhere(), ...commits, receipts()]
  return [few, more, most].slice(0, effort(1, 3, 2)).flat()
}

/** Resolves at the point. The provider waits until then, so that what follows happens to a dead service. */
function pullsAt(
  twilio: TwilioStandIn,
  { moment, nth, afterMs }: Exclude<Point, { commit: KillPoint }>,
  pull: () => Promise<void>,
): Promise<void> {
  let seen = 0
  let over = false
  return new Promise((resolve, reject) => {
    const end = (): Promise<void> | undefined => {
      if (over) return
      over = true
      clearTimeout(timeout)
      return pull().then(resolve, reject)
    }
    const timeout = setTimeout(() => {
      over = true
      reject(new Error(`never reached: ${moment} ${nth}`))
    }, POINT_TIMEOUT_MS)
    if (moment === 'pressed') setTimeout(end, afterMs)
    twilio.watch((at) => {
      if (over || at !== moment || ++seen < nth) return
      // Blocks only if the point is this very moment.
      if (afterMs === 0) return end()
      setTimeout(end, afterMs)
    })
  })
}

const isAllClear = ({ params }: Resource): boolean => one(params, 'Body').startsWith('SOS ended from')
const to = ({ params }: Resource): string => one(params, 'To')

/** The status of the answer. A busy machine may not answer in time and say 503: then the app sends it again. */
const answered = (send: () => Promise<{ readonly status: number }>): Promise<number> =>
  until('an answer', async () => {
    const { status } = await send()
    return status !== 503 && status
  })

test('killed at many points of sending through Twilio: every message is sent, none twice', {
  // In the soak tier twenty-four starts, of several seconds each beside other tests, and then the recovery.
  timeout: 900_000,
}, async (t) => {
  const random = seeded()
  const points = pointsFrom(random)
  const kills = await killPoints(t)
  let aheadMs = 0
  const twilio = await startTwilio(t, {
    now: () => Date.now() + aheadMs,
    callsBack: { Messages: ['sent', 'delivered'], Calls: ['ringing', 'in-progress', 'completed'] },
  })
  const site = await startProcessSite(t, {
    settings: SETTINGS,
    env: {
      ...twilio.environment,
      TOCSIN_TWILIO_RECEIPTS: 'callback',
      TOCSIN_PUBLIC_URL: PUBLIC_URL,
      ...RATES,
      ...kills.environment,
    },
  })
  const numberOf = (user: number, contact: number): string => `+43660${String(user).padStart(4, '0')}${contact}000`
  const users = points.map((_, n) => n)
  for (const n of users) {
    await site.user(`hiker-${n}`, [
      { name: 'Ana', phone: numberOf(n, 1) },
      { name: 'Ben', phone: numberOf(n, 2) },
    ])
  }

  const cancelled = new Set<number>()
  /** The press whose answer a kill has cut off: its sender presses again. */
  let unanswered: (() => Promise<void>) | null = null
  for (const [n, point] of points.entries()) {
    if (n > 0) await site.start()
    twilio.reaches(PUBLIC_URL, site.http)
    await unanswered?.()
    unanswered = null
    const user = site.phone(`hiker-${n}`)
    // Now and then a user alarmed in an earlier run cancels in this one, so that an all-clear is in flight too.
    const told = users.slice(0, n).findLast((one) => !cancelled.has(one) && twilio.smsTo(numberOf(one, 1)).length > 0)
    if (n % 4 === 3 && told !== undefined) {
      assert.equal(await answered(() => site.phone(`hiker-${told}`).rest('POST', '/v1/sdk/sos/cancel')), 200)
      cancelled.add(told)
    }
    const press = { timestamp: newMoment() }
    const presses = (by: PhoneUser): Promise<number> => answered(() => by.rest('POST', '/v1/sdk/sos', press))
    const raises = async (): Promise<typeof unanswered> => {
      const status = await presses(user).catch(() => null)
      // What was stored before the kill is found again.
      if (status === null) return async () => assert.match(`${await presses(site.phone(`hiker-${n}`))}`, /^20[01]$/)
      assert.match(`${status}`, /^20[01]$/)
      return null
    }
    if ('commit' in point) {
      await kills.set(point.commit)
      unanswered = await raises()
      await until('the service is dead', () => !site.process.isRunning, POINT_TIMEOUT_MS)
      await site.kill()
      await kills.clear()
    } else {
      // Watched for before the press: on a busy machine its texts may leave before any next step of this test.
      ;[unanswered] = await Promise.all([raises(), pullsAt(twilio, point, () => site.kill())])
    }
    // Long enough now and then for the quiet time of earlier attempts to end in between.
    await sleep(random() * 100)
  }
  // On PostgreSQL the database's clock counts, which goes on as it is.
  aheadMs = isOnPostgres ? 0 : LAST_CUT_MS
  const restarted = site.start(isOnPostgres ? {} : later(LAST_CUT_MS)).then(() => site.http)
  twilio.reaches(PUBLIC_URL, restarted)
  await restarted
  await unanswered?.()

  const look = async () =>
    Promise.all(
      users.map(async (n) => {
        const [incident, ...more] = await site.phone(`hiker-${n}`).history()
        assert.deepEqual(more, [], 'a press that was sent again opened another incident')
        return incident
      }),
    )
  const isPending = ({ actuators }: any): boolean =>
    actuators.items[0].contacts.some(({ channels }: any) =>
      channels.some(({ status }: any) => status === 'scheduled' || status === 'sent'),
    )
  const store = await site.openBeside()
  const nothingAhead = async () =>
    (await store.incidents({ openOnly: false })).every(({ incident }) =>
      incident.deliveries.every(({ status }) => status !== 'scheduled'),
    )
  // What the users see takes longer to look at: only once nothing is to be sent.
  const isSettled = async () => (await nothingAhead()) && !(await look()).some(isPending)
  await until(
    'everything is settled',
    async () => (await isSettled()) || sleep(500, false as const),
    RECOVERY_MS,
  ).finally(() => store.close())

  const incidents = await look()
  for (const n of users) {
    const { status: ended, actuators } = incidents[n]
    assert.equal(ended, cancelled.has(n) ? ended : 'active')
    for (const contact of [1, 2]) {
      const number = numberOf(n, contact)
      const about = `hiker-${n}, contact ${contact}, ${ended}`
      const [sms, voice] = actuators.items[0].contacts[contact - 1].channels.map(({ status }: any) => status)
      const texts = Map.groupBy(twilio.smsTo(number), (message) => (isAllClear(message) ? 'all-clear' : 'alarm'))
      const alarms = texts.get('alarm')?.length ?? 0
      const calls = twilio.callsTo(number).length
      assert.equal(alarms, sms === 'skipped' ? 0 : 1, `${about}: the SMS is ${sms} and was sent ${alarms} times`)
      assert.equal(calls, voice === 'skipped' ? 0 : 1, `${about}: the call is ${voice} and was made ${calls} times`)
      if (ended === 'active') assert.deepEqual([sms, voice], ['delivered', 'delivered'], about)
      const allClears = texts.get('all-clear')?.length ?? 0
      assert.equal(allClears, ended === 'cancelled' && alarms + calls > 0 ? 1 : 0, `${about}: all-clears`)
    }
  }
  // The callback address contains the attempt's id, which distinguishes two requests for one attempt from two attempts.
  const accepted = [...twilio.messages, ...twilio.calls].flatMap(({ params }) => all(params, 'StatusCallback'))
  assert.equal(new Set(accepted).size, accepted.length)
  assert.deepEqual(
    twilio.messages.filter(
      (message) => !users.some((n) => [1, 2].some((contact) => to(message) === numberOf(n, contact))),
    ),
    [],
  )
  const unsure = site.output.split('an attempt has no outcome').length - 1
  const closed = incidents.filter(({ status }: any) => status === 'cancelled').length
  t.diagnostic(
    `${points.length} kills; ${accepted.length} messages and calls; ${unsure} attempts had no outcome; ${closed} incidents cancelled`,
  )
  assert.ok(unsure > 0, 'no kill met an attempt under way')
  assert.ok(closed > 0, 'no all-clear was on its way')
})
