import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIds } from '../../src/adapters/platform/system/ids.ts'
import { operatorDrills } from '../../src/app/operator/drills.ts'
import { COMMAND } from '../../src/core/operator/audit.ts'
import { MINUTE } from '../../src/lib/durations.ts'
import type { Store } from '../../src/ports/store.ts'
import { BRIEF } from '../harness/kill-point.ts'
import { later } from '../harness/later.ts'
import { listen } from '../harness/listener.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { type ApplicationOptions, type ProcessSite, startProcessSite, UNHURRIED } from '../harness/process-site.ts'
import { PushBrowser } from '../harness/push-service.ts'
import { seeded } from '../harness/random.ts'
import { newOperator } from '../harness/signed-in.ts'
import { startSmtpServer } from '../harness/smtp-server.ts'
import { startTlsTarget } from '../harness/tls-target.ts'
import { until } from '../harness/wait.ts'
import { ANA, BEN, HURRIED, OPENED, POWER_CUT_MS, raise, recovered } from './killed.ts'

/** A test that takes so long hangs. On a machine that is busy with other things a crash takes minutes. */
const HANGS_MS = 300_000

/** No call may end by itself before the service is killed. */
const PATIENT = { ...HURRIED, 'http-timeout-seconds': 120 } as const

/**
 * What one application goes through. It yields when its users are there, when the service may be killed, and when the
 * service may start again.
 */
type Story = {
  readonly name: string
  readonly options: ApplicationOptions
  tell(site: ProcessSite): AsyncGenerator<void, void, void>
}

/** A story that is told up to a point, together with others. A failure belongs to it alone. */
class Telling {
  readonly #steps: AsyncGenerator<void, void, void>
  #failed: { readonly error: unknown } | null = null

  constructor(steps: AsyncGenerator<void, void, void>) {
    this.#steps = steps
  }

  /** Goes on to the next yield, or to the end. Never rejects. */
  async goesOn(): Promise<void> {
    if (this.#failed !== null) return
    try {
      await this.#steps.next()
    } catch (error) {
      this.#failed = { error }
    }
  }

  /** Throws what went wrong. */
  judge(): void {
    if (this.#failed !== null) throw this.#failed.error
  }
}

// One service for all of them, killed once: to start it costs more than the rest.
test('the service is killed', { timeout: HANGS_MS }, async (t) => {
  const random = seeded()
  const [greeted, silent, counted] = [await startTlsTarget(t), await listen(t), await listen(t)]
  silent.answers(null)
  const smtp = await startSmtpServer(t)
  // The server has each mail, and its reply never comes.
  smtp.acts.END = 'hang'
  const mail = { TOCSIN_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, TOCSIN_SMTP_FROM: 'sos@hut.example' }
  const service = await startProcessSite(t, {
    env: { ...greeted.env, ...mail, ...BRIEF, TOCSIN_SECRETS_KEY: '5e'.repeat(32) },
  })

  let mailed = ''
  // In the order in which they come to their points: the last one has only so much time until the kill.
  const stories: readonly Story[] = [
    {
      name: 'between the claim and the call: the webhook is called once, after the restart',
      options: { settings: PATIENT, webhook: greeted.url },
      async *tell(site) {
        const user = await site.user('mia', [ANA])
        await user.listen()
        yield
        await user.presses()
        const { incidentId } = await user.receives('processed')
        await until('the call has begun', () => greeted.calls.length > 0)
        yield
        const webhook = (await claimOf(site, incidentId, 'webhook'))!
        assert.deepEqual([webhook.status, webhook.claim !== null], ['scheduled', true])
        assert.equal(greeted.requests.length, 0)
        greeted.greets()
        yield
        const back = await site.user('mia')
        const item = await settled(back, 'webhook')
        assert.deepEqual([item.status, item.outcome], ['delivered', 'success'])
        assert.deepEqual(item.deliveries.map(attempts), [[1, 'delivered']])
        assert.deepEqual(
          greeted.requests.filter(({ type }) => type === OPENED).map(({ data }) => data.incident.incidentId),
          [incidentId],
        )
        await gotEachOnce(site, back)
      },
    },
    {
      name: 'between the call and its record: the webhook is called a second time, under the same id',
      options: { settings: PATIENT, webhook: silent.url },
      async *tell(site) {
        const user = await site.user('mia', [ANA])
        await user.listen()
        yield
        await user.presses()
        const { incidentId } = await user.receives('processed')
        await until('the call is there', () => silent.requests.length > 0)
        yield
        const webhook = (await claimOf(site, incidentId, 'webhook'))!
        assert.deepEqual([webhook.status, webhook.claim !== null], ['scheduled', true])
        silent.answers(200)
        yield
        const back = await site.user('mia')
        const item = await settled(back, 'webhook')
        assert.deepEqual(item.deliveries.map(attempts), [[1, 'delivered']])
        const [first, second, ...more] = silent.requests.filter(({ json }) => json.type === OPENED)
        assert.deepEqual(more, [])
        assert.equal(typeof first!.headers['webhook-id'], 'string')
        assert.equal(second!.headers['webhook-id'], first!.headers['webhook-id'])
        await gotEachOnce(site, back)
      },
    },
    {
      name: 'during many calls: every webhook is called, none more than twice',
      options: { settings: HURRIED, webhook: counted.url },
      async *tell(site) {
        const users = await Promise.all(Array.from({ length: 12 }, (_, n) => site.user(`mia-${n}`, [ANA])))
        yield
        const incidents = await Promise.all(users.map(raise))
        const before = Math.ceil(random() * 11)
        await until('some are called', () => counted.requests.length >= before)
        yield
        yield
        for (const { account } of users) {
          const back = await site.user(account.externalUserId)
          const item = await settled(back, 'webhook')
          assert.deepEqual(item.deliveries.map(attempts), [[1, 'delivered']])
          await gotEachOnce(site, back)
        }
        const opening = counted.requests.filter(({ json }) => json.type === OPENED)
        const called = Map.groupBy(opening, ({ json }) => json.data.incident.incidentId)
        assert.deepEqual([...called.keys()].sort(), incidents.sort())
        for (const calls of called.values()) assert.ok(calls.length <= 2)
      },
    },
    {
      name: 'between the mail and its record: it waits a minute to go out once more',
      options: { settings: PATIENT },
      async *tell(site) {
        const user = await site.user('mia', [{ ...ANA, email: 'ana@example.com' }])
        yield
        mailed = await raise(user)
        await smtp.mailTo('ana@example.com')
        yield
        const before = (await claimOf(site, mailed, 'email'))!
        assert.deepEqual([before.status, before.claim !== null], ['scheduled', true])
        delete smtp.acts.END
        yield
        const row = await recovered('it waits again', async () => {
          const found = await claimOf(site, mailed, 'email')
          return found?.claim === null && found
        })
        assert.deepEqual([row.status, row.repeats, row.mayHaveArrived], ['scheduled', 1, true])
        assert.equal(smtp.mails.length, 1)
      },
    },
    {
      name: 'before a deadline that passes meanwhile: it is met at the start, and later ones are still ahead',
      // Time enough to press, to kill the service and to look, whatever stalls.
      options: { settings: { 'grace-seconds': 20, 'contact-interval-seconds': 3600, 'ack-timeout-seconds': 1800 } },
      async *tell(site) {
        const user = await site.user('mia', [ANA, BEN])
        await user.connect()
        yield
        await user.presses()
        yield
        const open = await site.look((store) => store.incidents({ openOnly: true }))
        const { incident } = open.find(({ incident: { userId } }) => userId === user.userId)!
        const messages = () => site.look((store) => store.outbox({ incidentId: incident.id }))
        assert.deepEqual(await messages(), [])
        assert.ok(incident.cascade.startedAt < Date.now() + POWER_CUT_MS)
        yield
        const back = await site.user('mia')
        await recovered('Ana has her SMS', async () => (await messages()).length > 0)
        assert.deepEqual(
          (await messages()).map(({ channel, to }) => [channel, to]),
          [['sms', ANA.phone]],
        )
        const statuses = async () => (await back.openIncident()).actuators.items[0].contacts.map(channelStatuses)
        // The text is in the outbox before its outcome is recorded.
        await until('the outcome is recorded', async () => (await statuses())[0][0] !== 'sms scheduled')
        assert.deepEqual(await statuses(), [
          ['sms sent', 'voice scheduled'],
          ['sms scheduled', 'voice scheduled'],
        ])
      },
    },
    {
      name: 'during exercises: one goes on as an exercise, and one that a press has ended stays so',
      options: { settings: { 'grace-seconds': 20, 'contact-interval-seconds': 3600, 'ack-timeout-seconds': 1800 } },
      async *tell(site) {
        const user = await site.user('mia', [ANA])
        const other = await site.user('tom', [BEN])
        await other.connect()
        yield
        const exercises = await site.look((store) => exercisesOf(store, user.account.appId))
        const idOf = (of: PhoneUser) => exercises.find(({ userId }) => userId === of.userId)!.incidentId
        const drillOf = (of: PhoneUser) => site.look((store) => store.incident(idOf(of)))
        await other.presses()
        const { incidentId } = await other.openIncident()
        yield
        assert.deepEqual((await drillOf(user))?.incident.state.status, 'active')
        assert.deepEqual((await drillOf(other))?.incident.drill, { toContacts: false, isOvertaken: true })
        yield
        const back = await site.user('tom')
        assert.equal((await back.openIncident()).incidentId, incidentId)
        const textsOf = (id: string) =>
          site.look(async (store) => (await store.outbox({ incidentId: id })).map(({ text }) => text))
        await recovered('both have their text', async () => {
          const texts = await Promise.all([textsOf(idOf(user)), textsOf(incidentId)])
          return texts.every(({ length }) => length > 0)
        })
        const [exercise, ...more] = await textsOf(idOf(user))
        assert.match(exercise!, /^EXERCISE: /)
        assert.deepEqual(more, [])
        assert.match((await textsOf(incidentId))[0]!, /^SOS: /)
        assert.deepEqual(await textsOf(idOf(other)), [])
      },
    },
    {
      // The last one: its alarm is news for two minutes.
      name: 'between an alarm and its Web Push to an operator: the next process sends it',
      options: { settings: UNHURRIED },
      async *tell(site) {
        const user = await site.user('mia', [ANA])
        yield
        await raise(user)
        // Nothing else happens in this alarm. The browser is subscribed after its commit, so that the process which
        // stored it never tells: it leaves what one leaves that is killed in between.
        const sessionId = await site.look((store) => subscribed(store, user.account.appId))
        const pushOf = () =>
          site.look(async (store) => (await store.operatorPushes(null)).find((one) => one.sessionId === sessionId)!)
        yield
        assert.equal((await pushOf()).failedAt, null)
        yield
        // Real browsers are beyond this network: what the guard of addresses refuses has been on its way.
        const push = await recovered('the push has left', async () => {
          const found = await pushOf()
          return found.failedAt !== null && found
        })
        assert.equal(push.failure, 'unreachable')
      },
    },
  ]

  const tellings = await Promise.all(
    stories.map(async ({ tell, options }) => new Telling(tell(await service.application(options)))),
  )
  const allGoOn = () => Promise.all(tellings.map((telling) => telling.goesOn()))
  await allGoOn()
  for (const telling of tellings) await telling.goesOn()
  await service.kill()
  await allGoOn()
  await service.start(later(POWER_CUT_MS))
  await allGoOn()
  for (const [n, { name }] of stories.entries()) await t.test(name, () => tellings[n]!.judge())

  await t.test('with SIGTERM it exits with 0 and leaves no outcome unknown', async () => {
    const site = await service.application({ settings: HURRIED })
    const users = await Promise.all(Array.from({ length: 10 }, (_, n) => site.user(`mia-${n}`, [ANA])))
    const incidents = await Promise.all(users.map(raise))
    await until('messages are being written', () =>
      site.look(async (store) => {
        const written = await store.outbox({ incidentId: null })
        return written.some(({ incidentId }) => incidentId !== null && incidents.includes(incidentId))
      }),
    )
    assert.equal(await service.stop(), 0)
    for (const id of incidents) {
      const { incident } = (await service.look((store) => store.incident(id)))!
      assert.ok(incident.deliveries.every(({ claim }) => claim === null))
    }
  })

  await t.test('the mail goes out once more, as the same message, and never again', async () => {
    await service.start(later(POWER_CUT_MS + 2 * MINUTE))
    const row = await recovered('its outcome is recorded', async () => {
      const found = await claimOf(service, mailed, 'email')
      return found?.status === 'sent' && found
    })
    assert.equal(row.attempt, 1)
    const [first, second, ...more] = smtp.mails.map((mail) => mail.header('Message-ID'))
    assert.deepEqual([second, more], [first, []])
  })
})

/** An operator starts an exercise for every user, as the command line does beside the service. */
async function exercisesOf(store: Store, appId: string) {
  const door = { change: store.changeIncident.bind(store) }
  const by = { actor: COMMAND, address: null, now: Date.now() }
  const drills = operatorDrills({ store, door, ids: createIds() })
  const started = await drills.start(appId, { externalUserId: null, toContacts: false }, by)
  return 'started' in started ? started.started : assert.fail('no exercise')
}

/** Subscribes the browser of a new viewer of the application to its alarms. Returns the id of their session. */
async function subscribed(store: Store, appId: string): Promise<string> {
  const keptAt = Date.now()
  const { id: operatorId, sessionId } = await newOperator(
    store,
    'Viewer',
    { role: 'viewer', applications: [appId] },
    keptAt,
  )
  const { keys } = new PushBrowser('viewer').subscription
  const push = { sessionId, operatorId, ...keys, endpoint: 'https://127.0.0.1/viewer' }
  const kept = await store.keepOperatorPush({ ...push, language: 'en', wholeText: false, keptAt }, 5)
  assert.deepEqual(kept, { kept: true })
  return sessionId
}

const attempts = ({ attempt, status }: any) => [attempt, status]
const channelStatuses = ({ channels }: any) => channels.map(({ channel, status }: any) => `${channel} ${status}`)

const claimOf = (site: ProcessSite, incidentId: string, channel: string) =>
  site.look(async (store) =>
    (await store.incident(incidentId))?.incident.deliveries.find((row) => row.channel === channel),
  )

/** The actuator of the user's open incident, once it is no longer pending. */
const settled = (user: PhoneUser, type: string): Promise<any> =>
  recovered(`${type} is settled`, async () => {
    const { actuators } = await user.openIncident()
    const item = actuators.items.find((one: any) => one.type === type)
    return item.outcome !== 'pending' && item
  })

/** Every contact of the open incident gets one SMS and one call, and the snapshot agrees. */
async function gotEachOnce(site: ProcessSite, user: PhoneUser): Promise<void> {
  const { incidentId } = await user.openIncident()
  const contacts = await recovered('both channels are settled', async () => {
    const [item] = (await user.openIncident()).actuators.items
    const statuses: string[] = item.contacts.flatMap(channelStatuses)
    return statuses.every((status) => !status.endsWith(' scheduled')) && item.contacts
  })
  const messages = await site.look((store) => store.outbox({ incidentId }))
  for (const contact of contacts) {
    assert.deepEqual(channelStatuses(contact), ['sms sent', 'voice sent'])
    const got = messages.filter(({ contactId }) => contactId === contact.contactId)
    assert.deepEqual(got.map(({ channel }) => channel).sort(), ['sms', 'voice'])
  }
}
