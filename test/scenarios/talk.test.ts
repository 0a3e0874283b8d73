import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { SESSION_IDLE_MS } from '../../src/core/operator/session.ts'
import { consoleAdmin } from '../harness/console-admin.ts'
import { metric } from '../harness/metric.ts'
import { newOperator, signedIn } from '../harness/signed-in.ts'
import { type Site, startSite } from '../harness/site.ts'
import { readStream } from '../harness/stream-reader.ts'
import { until } from '../harness/wait.ts'

const PATH = '/v1/sdk/sos/messages'
const newKey = (): string => randomUUID()

/** The contact has agreed to be one, at this number. */
async function confirms(site: Site, name: string): Promise<string> {
  const { store } = site.service
  const contact = (await store.contacts(site.user.userId)).find((known) => known.name === name)!
  const token = `confirmation-of-${name}`
  await store.requestVerification(site.user.userId, contact.id, { token, now: site.clock.now(), perDay: 99 })
  const answered = await store.answerVerification(token, 'confirmed', site.clock.now())
  assert.ok('answered' in answered)
  return contact.id
}

async function alarmed(t: Parameters<typeof startSite>[0], fields: Record<string, unknown> = {}) {
  const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { graceSeconds: 0, voice: false } })
  const [ana, ben] = [await confirms(site, 'Ana'), await confirms(site, 'Ben')]
  const { user } = site
  const heard: Record<string, unknown>[] = []
  const client = await user.connect({ clientId: 'talks' })
  client.on('message', (_topic, payload) => heard.push(JSON.parse(payload.toString())))
  await client.subscribeAsync(`sos/messages/${user.userId}`, { qos: 1 })
  const timestamp = new Date(site.clock.now()).toISOString()
  const { body } = await user.rest('POST', '/v1/sdk/sos', { timestamp, ...fields })
  await site.advance('1 min')
  const link = async (name: string) => site.phone(name).link()
  return {
    ...{ site, user, ana, ben, heard, incidentId: body.incident.incidentId as string },
    page: async (name: string) =>
      (await (await fetch(await link(name))).text()).replace(/<\/?bdi>/g, '').replaceAll('&#39;', "'"),
    answers: async (name: string, how: string) =>
      assert.equal((await fetch(`${await link(name)}/${how}`, { method: 'POST', redirect: 'manual' })).status, 303),
    /** As the form of the page sends it. */
    writes: async (name: string, text: string, key = newKey()) =>
      fetch(`${await link(name)}/messages`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams({ key, text }),
      }),
    says: (given: Record<string, unknown>) => user.rest('POST', PATH, { id: newKey(), ...given }),
    talk: async () => (await user.rest('GET', PATH)).body,
  }
}

suite('talking during an alarm', () => {
  test('person, operator and a contact who helps read each other, and nobody else does', async (t) => {
    const { site, user, ana, heard, incidentId, page, answers, writes, says, talk } = await alarmed(t)
    const eva = await signedIn(site, 'Eva')
    const stream = await readStream(user)
    await answers('Ana', 'ack?coming=10')
    const before = await talk()
    assert.deepEqual(
      before.readers.map(({ kind, name, now }: Record<string, unknown>) => [kind, name, now]),
      [
        ['operator', 'Eva', true],
        ['contact', 'Ana', true],
        ['contact', 'Ben', false],
      ],
    )
    assert.deepEqual([before.mayWrite, before.to, before.deskStaffed, before.items], [true, 'all', true, []])

    const id = newKey()
    const first = await says({ id, quickReply: 'cannot_move', incidentId })
    assert.equal(first.status, 201)
    assert.deepEqual(first.body.message.from, {
      ...{ kind: 'person', contactId: null, name: 'Mia Moser', phone: null, channel: 'app' },
    })
    const again = await says({ id, quickReply: 'cannot_move', incidentId })
    assert.deepEqual([again.status, again.body], [200, first.body])

    assert.match(await page('Ana'), /From Mia Moser's phone[\s\S]*I can't move/)
    assert.doesNotMatch(await page('Ben'), /can't move|id="talk"/)
    assert.equal((await writes('Ben', 'let me in')).status, 303)
    const key = newKey()
    for (const _retry of [1, 2]) assert.equal((await writes('Ana', '<b>10 min</b>', key)).status, 303)
    const told = { id: newKey(), text: 'The helicopter is on its way.' }
    const { status, json } = await eva.ask('POST', `/incidents/${incidentId}/messages`, told)
    assert.equal(status, 200)
    assert.deepEqual(
      json.talk.items.map(({ from, text }: any) => [from.name, from.phone, text]),
      [
        ['Mia Moser', null, "I can't move"],
        ['Ana', '+436600000001', '<b>10 min</b>'],
        ['Eva', null, 'The helicopter is on its way.'],
      ],
    )
    assert.deepEqual(json.talk.readers, [
      { contactId: ana, name: 'Ana', now: true },
      { contactId: json.contacts[1].contactId, name: 'Ben', now: false },
    ])
    assert.match(await page('Ana'), /Operator: Eva[\s\S]*helicopter/)
    assert.match(await page('Ana'), /From you[\s\S]*&lt;b&gt;10 min/)
    assert.deepEqual((await talk()).items, json.talk.items)
    assert.deepEqual((await user.rest('GET', `${PATH}?after=2`)).body.items, json.talk.items.slice(2))

    await until('the messages over MQTT', () => heard.length === 3)
    assert.deepEqual(
      heard.map(({ type, message }) => [type, message]),
      json.talk.items.map((item: unknown) => ['sos.message', item]),
    )
    await until('the messages in the stream', () => stream.told().filter((type) => type === 'sos.message').length === 3)
    stream.leaves()
    assert.ok(
      user.events.every(({ type }) => type !== 'sos.message'),
      'none on the topic of events',
    )
    const audited = await site.service.store.auditRows({ after: null, limit: 50 })
    assert.equal(audited.items.filter(({ action }) => action === 'incident.message').length, 1)
    const counted = ['person', 'contact', 'operator'].map((side) => `tocsin_talk_lines_total{side="${side}"}`)
    assert.deepEqual(
      await Promise.all(counted.map((series) => metric(site.service, series))),
      [1, 1, 1],
      'retries aside',
    )

    await answers('Ben', 'ack?calling')
    assert.match(await page('Ben'), /From Ana[\s\S]*10 min/, 'those named before read it once they help')
    const report = await site.beside(async (store) => store.talkLines(incidentId, 0, 10))
    assert.equal(report.length, 3)

    assert.equal((await user.ends('resolve')).status, 200)
    assert.doesNotMatch(await page('Ana'), /can't move|helicopter|id="talk"/)
    const [past] = await user.history()
    assert.deepEqual(past.messages, json.talk.items)
    assert.deepEqual(await talk(), { ...before, incidentId: null, mayWrite: false, deskStaffed: false, readers: [] })
    assert.equal((await says({ text: 'too late' })).status, 409)
    assert.equal((await says({ text: 'too late', incidentId })).status, 409)
    assert.equal((await writes('Ana', 'still there?')).status, 303)
    assert.equal((await eva.ask('POST', `/incidents/${incidentId}/messages`, { ...told, id: newKey() })).status, 409)
    assert.equal((await says({ id, quickReply: 'cannot_move', incidentId })).status, 200, 'a retry of what is stored')
  })

  test('who comes to the rescue desk shows at once, and who leaves it does not', async (t) => {
    const { site, user, heard, incidentId, talk } = await alarmed(t)
    const { store, listeners } = site.service
    const eva = await consoleAdmin(store, listeners.http!, () => site.clock.now())
    const stream = await readStream(user)
    const other = await site.newUser('hiker-2').introduce()
    const elsewhere = await readStream(other)
    const desk = async () => (await talk()).readers.filter(({ kind }: any) => kind === 'operator').length
    const told = () => [heard, stream.events].map((all) => all.filter(({ type }) => type === 'sos.readers'))
    const tellsOnce = async (what: string, count: number) => {
      await until(what, () => told().every(({ length }) => length === count))
      assert.deepEqual(told()[0]!.at(-1), {
        ...{ type: 'sos.readers', appId: user.account.appId, userId: user.userId, incidentId },
      })
    }
    assert.equal(await desk(), 1)
    assert.equal((await eva.ask('DELETE', '/session')).status, 204)
    await tellsOnce('she has left', 1)
    assert.equal(await desk(), 0)
    await site.advance('1 min')
    assert.equal((await eva.ask('POST', '/session', { login: 'eva', ...eva.proof() })).status, 200)
    await tellsOnce('she is back', 2)
    assert.equal(await desk(), 1)
    // Written behind the back of the service, as an end is that nobody writes.
    await newOperator(store, 'Ivo', {}, site.clock.now() - SESSION_IDLE_MS + 40_000)
    await site.advance('30 s')
    await tellsOnce('a session is found', 3)
    assert.equal(await desk(), 2)
    await site.advance('40 s')
    await tellsOnce('that session has run out', 4)
    assert.equal(await desk(), 1)
    await site.beside((store) => {
      const row = entry({ at: site.clock.now(), actor: COMMAND, action: 'operator.manage' })
      return store.updateOperator(eva.id, { disabled: true }, { keepAdmin: false }, row)
    })
    await tellsOnce('the command line has disabled her', 5)
    assert.equal(await desk(), 0)
    assert.deepEqual(elsewhere.events, [], 'nobody is told who is in no alarm')
    for (const one of [stream, elsewhere]) one.leaves()
  })

  test('nothing that anybody writes changes the alarm', async (t) => {
    const { site, user, incidentId, answers, writes, says } = await alarmed(t)
    const eva = await signedIn(site, 'Eva')
    await answers('Ana', 'ack?coming=10')
    const before = JSON.stringify((await site.service.store.incident(incidentId))!.incident)
    const outbox = await site.service.store.outbox({ incidentId: null })
    for (const text of ["I'm fine", 'cancel', 'OK', 'STOP', 'NO', 'resolve']) {
      assert.equal((await says({ text })).status, 201)
      assert.equal((await writes('Ana', text)).status, 303)
      assert.equal((await eva.ask('POST', `/incidents/${incidentId}/messages`, { id: newKey(), text })).status, 200)
    }
    assert.equal(JSON.stringify((await site.service.store.incident(incidentId))!.incident), before)
    assert.deepEqual(await site.service.store.outbox({ incidentId: null }), outbox)
    assert.equal((await user.openIncident()).incidentId, incidentId)
  })

  test('“I’m fine” says that nobody else has confirmed it, on the page, in the app and in the console', async (t) => {
    const { site, incidentId, page, answers, says, talk } = await alarmed(t)
    const eva = await signedIn(site, 'Eva')
    await answers('Ana', 'ack?coming=10')
    await says({ text: "I'm fine now" })
    assert.match(await page('Ana'), /I'm fine now<\/p><p class="doubt">Nobody else has confirmed it\./)
    assert.equal((await talk()).items[0].unconfirmed, true)
    assert.equal((await eva.ask('GET', `/incidents/${incidentId}`)).json.talk.items[0].unconfirmed, true)
  })

  test('in a silent alarm the desk reads by default, contacts write after the person, and see no names', async (t) => {
    const { site, user, heard, incidentId, page, answers, writes, says, talk } = await alarmed(t, { silent: true })
    await answers('Ana', 'ack?coming=10')
    await answers('Ben', 'ack?coming=30')
    assert.equal((await talk()).to, 'all', 'nobody sits at the desk')
    const eva = await signedIn(site, 'Eva')
    await until('the desk', async () => (await talk()).to === 'desk')
    assert.doesNotMatch(await page('Ana'), /id="talk"/)
    await writes('Ana', 'are you there?')
    await eva.ask('POST', `/incidents/${incidentId}/messages`, { id: newKey(), text: 'The police are near.' })
    await says({ text: 'He is in the kitchen' })
    assert.doesNotMatch(await page('Ana'), /kitchen|police|id="talk"/)
    assert.deepEqual(
      (await talk()).items.map(({ to, text }: any) => [to, text]),
      [
        ['desk', 'The police are near.'],
        ['desk', 'He is in the kitchen'],
      ],
    )
    await says({ text: 'Ana, do not come', to: 'all' })
    assert.match(await page('Ana'), /Mia Moser has written first\. Answer only here\.[\s\S]*Ana, do not come/)
    await writes('Ana', 'I stay away')
    assert.match(await page('Ben'), /From another contact[\s\S]*I stay away/)
    const [silent] = await user.history()
    assert.equal(silent.messages, undefined, 'whoever takes the phone later')
    await until('all four', () => heard.length === 4)
    assert.ok(heard.every(({ silent }) => silent === true))
  })

  test('a link, a topic and an alarm of others say nothing', async (t) => {
    const { site, user, page, answers, says } = await alarmed(t)
    await answers('Ana', 'ack?coming=10')
    await says({ text: 'two of us' })
    const other = await site.newUser('hiker-2').introduce()
    assert.deepEqual((await other.rest('GET', PATH)).body.items, [])
    assert.equal((await other.rest('POST', PATH, { id: newKey(), text: 'hi' })).status, 409)
    const { incidentId } = await user.openIncident()
    assert.equal((await other.rest('POST', PATH, { id: newKey(), text: 'hi', incidentId })).status, 409)
    const client = await other.connect({ protocolVersion: 5 })
    await assert.rejects(client.subscribeAsync(`sos/messages/${user.userId}`, { qos: 1 }))
    const own = await other.connect({ protocolVersion: 5, clientId: 'publishes' })
    await assert.rejects(own.publishAsync(`sos/messages/${other.userId}`, '{}', { qos: 1 }))
    const http = site.service.listeners.http
    for (const method of ['GET', 'POST']) {
      const unknown = await fetch(`${http}/t/AAAAAAAAAAAAAAAAAAAAAA/messages`, { method, redirect: 'manual' })
      assert.equal(unknown.status, 404)
    }
    assert.match(await page('Ana'), /two of us/)
  })

  test('bad requests say what is wrong, and 60 an hour is the end', async (t) => {
    const { site, writes, answers, says, talk, page } = await alarmed(t)
    await answers('Ana', 'ack?coming=10')
    for (const [given, field] of [
      [{}, 'text'],
      [{ text: 'a', quickReply: 'yes' }, 'text'],
      [{ text: ' ' }, 'text'],
      [{ text: 'x'.repeat(501) }, 'text'],
      [{ quickReply: 'fine' }, 'quickReply'],
      [{ text: 'a', id: 'short' }, 'id'],
      [{ text: 'a', to: 'everybody' }, 'to'],
      [{ text: 'a', incidentId: 'mine' }, 'incidentId'],
    ] as const) {
      const { status, body } = await says(given)
      assert.deepEqual([status, body.error.code, body.error.fields[0].field], [400, 'E_SDK_MESSAGES_VALIDATION', field])
    }
    for (const text of ['', ' ', 'x'.repeat(501), '\u202e', 'y'.repeat(20_000)]) {
      assert.equal((await writes('Ana', text)).status, 303)
    }
    assert.equal((await writes('Ana', 'fine', 'bad key')).status, 303)
    assert.deepEqual((await talk()).items, [])
    for (let n = 0; n < 60; n += 1) assert.equal((await says({ text: `line ${n}` })).status, 201)
    const { status, headers } = await says({ text: 'one too many' })
    assert.deepEqual([status, Number(headers.get('retry-after')) > 3000], [429, true])
    assert.equal((await writes('Ana', 'of another side')).status, 303)
    const shown = await page('Ana')
    assert.match(shown, /of another side/)
    assert.ok(shown.length < 48_000, `${shown.length} bytes`)
    await site.advance('61 min')
    assert.equal((await says({ text: 'an hour later' })).status, 201)
  })

  test('without a script the field is a page of its own, which does not reload', async (t) => {
    const { site, page, answers, writes } = await alarmed(t)
    const link = await site.phone('Ana').link()
    const field = () => fetch(`${link}/messages`, { redirect: 'manual' })
    assert.equal((await field()).status, 303, 'not before she helps')
    await answers('Ana', 'ack?coming=10')
    assert.match(await page('Ana'), /<noscript><p><a href="\/t\/[\w-]+\/messages">/)
    const document = await (await field()).text()
    assert.doesNotMatch(document, /refresh|<script/)
    const [, key] = /name="key" value="([\w-]+)"/.exec(document)!
    assert.equal((await writes('Ana', 'typed slowly', key)).status, 303)
    assert.match(await page('Ana'), /typed slowly/)
  })
})
