import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { StoreError } from '../../src/ports/store.ts'
import { applicationCalled } from '../contract/site.ts'
import { startGammu } from '../harness/gammu.ts'
import { metric } from '../harness/metric.ts'
import { startSite } from '../harness/site.ts'
import {
  ANA,
  codeIn,
  DESK,
  GEORG,
  HERE,
  incidents,
  inTime,
  last,
  MIA,
  PUBLIC_URL,
  proves,
  STRANGER,
  settings,
  startSmsSite as start,
} from '../harness/sms-sos-site.ts'
import { until } from '../harness/wait.ts'

// sms.md#sms-sos.

test('SOS by SMS alarms contacts with the position that it names, is answered, and NO with the code ends it', async (t) => {
  const { site, sentTo, texts } = await start(t)
  await site.user.rest('POST', '/v1/sdk/telemetry', {
    timestamp: new Date(site.clock.now()).toISOString(),
    latitude: 48.5,
    longitude: 13.5,
  })
  await texts(MIA, HERE)
  await site.advance('15 s')
  const [alarm = ''] = sentTo(ANA)
  assert.match(alarm, /^SOS: Mia Moser needs help!/)
  assert.match(alarm, /47\.0638,12\.6921/)
  assert.match(alarm, /Raised by SMS from \+436'641'234'567, may be forged\./)
  assert.doesNotMatch(alarm, /48\.5/)
  const answer = await inTime('the answer has left', site, () => sentTo(MIA).at(-1))
  assert.match(answer, /^Your SOS has arrived\. Being alerted: Ana, Ben, Desk\. Not you\? Answer NO \d{4}\.$/)
  assert.equal((await site.user.rest('GET', '/v1/sdk/me')).status, 200)

  const wrong = codeIn(answer) === '1000' ? '1001' : '1000'
  await texts(MIA, `NO ${wrong}`)
  assert.equal((await last(site)).state.status, 'active', 'a guess ends nothing')
  await texts(STRANGER, `NO ${codeIn(answer)}`)
  assert.equal((await last(site)).state.status, 'active', 'the code of another number ends nothing')
  await texts(MIA, `no ${codeIn(answer)}`)
  assert.equal((await last(site)).state.status, 'cancelled')
  await site.advance('15 s')
  await until('Ana reads who ended it', async () => /ended from Mia Moser's phone/.test(sentTo(ANA).at(-1)!))
  await inTime('Mia reads that it is over', site, async () => /^The SOS is over\./.test(sentTo(MIA).at(-1)!))
  assert.equal(await metric(site.service, 'tocsin_sms_answers_total{answer="sos"}'), 1)
  assert.equal(await metric(site.service, 'tocsin_sms_answers_total{answer="not_me"}'), 1)
  assert.deepEqual(site.logged(/36641234567|47\.06/), [])
})

test('with the code the alarm is the owner’s; a code that belongs to nobody counts as none', async (t) => {
  const { site, sentTo, texts } = await start(t)
  await texts(MIA, `${HERE} 4711`)
  const { raisedByOthers, relayUserId } = await last(site)
  assert.deepEqual([raisedByOthers, relayUserId], [undefined, null])
  await site.advance('15 s')
  assert.doesNotMatch(sentTo(ANA)[0]!, /forged/)
  assert.equal((await site.user.openIncident()).lastPosition.latitude, 47.0638)
  await site.user.rest('POST', '/v1/sdk/sos/cancel', { incidentId: (await last(site)).id })
  await texts(MIA, `${HERE} 4712`)
  assert.ok((await last(site)).raisedByOthers)
  await texts(STRANGER, `${HERE} 4711`)
  assert.equal((await last(site)).few, 'fallback', 'the code alone identifies nobody')
})

test('a number that nobody has proved rings on the board and with the fallback contact, named, and gets no answer', async (t) => {
  const { site, sentTo, texts } = await start(t)
  const other = await site.newUser('other').introduce({ name: 'Eva Berg', phone: STRANGER })
  await texts(STRANGER, 'SOS leg broken, 47.06380,12.69210')
  const incident = await last(site)
  assert.notEqual(incident.userId, other.userId, 'whoever writes a number into a profile must not see or end its alarm')
  assert.deepEqual([incident.few, incident.externalUserId], ['fallback', `sms-sos:${STRANGER}`])
  await site.advance('120 s')
  assert.match(sentTo(DESK).at(-1)!, /^SOS: \+436'509'999'999 needs help!.*47\.0638,12\.6921/)
  assert.deepEqual([sentTo(ANA), sentTo(STRANGER)], [[], []])
  const notes = await site.service.store.incidentNotes(incident.id)
  assert.deepEqual(notes.map(({ by, text }) => `${by}: ${text}`).toSorted(), [
    'SMS: This number is in the profile of Eva Berg (other), not proved.',
    `by SMS from ${STRANGER}, may be forged: SOS leg broken, 47.06380,12.69210`,
  ])
  const impostor = site.newUser(`sms-sos:${STRANGER}`)
  assert.equal((await impostor.rest('GET', '/v1/sdk/sos')).status, 401, 'nor one whose own id is that of its user')
  const wide = STRANGER.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
  const signedInByNumber = [
    'sms:anna',
    `sms:${STRANGER}`,
    `SMS-SOS:${STRANGER}`,
    `sms\u2010sos:${STRANGER}`,
    `sms:${wide}`,
  ]
  for (const id of signedInByNumber) {
    const { status, body } = await site.newUser(id).rest('GET', '/v1/sdk/sos')
    assert.deepEqual([status, body], [200, { incident: null }], `${id} signs in as ever, and sees nothing of it`)
  }
  // Nobody looks after the lake.
  const { store } = site.service
  const lake = applicationCalled('Lake')
  await store.createApplication(lake, 'secret of the lake')
  await store.updateApplication(lake.id, { smsSos: true })
  const { id } = await store.ensureUser({ appId: lake.id, externalUserId: 'eve', id: randomUUID(), now: 1 })
  await store.updateProfile(id, { phone: '+436509999998' }, 1)
  await texts('+436509999998', 'SOS')
  assert.equal((await last(site)).appId, site.user.account.appId, 'a profile leads no alarm to where nobody is')
  for (const from of ['12345', 'BANK']) {
    await texts(from, 'SOS')
    assert.equal((await last(site)).externalUserId, `sms-sos:${from}`)
  }
  await site.advance('60 s')
  assert.deepEqual([sentTo('12345'), sentTo('BANK')], [[], []])
})

test('with gammu-smsd: an SOS comes in through the modem; the answers of contacts stay answers, also of one who is a user', async (t) => {
  const gammu = await startGammu(t)
  if (gammu === null) return
  const { spool, smsdConfig } = gammu
  const site = await startSite(t, {
    settings: { ...settings, graceSeconds: 0 },
    config: {
      publicUrl: PUBLIC_URL,
      notifications: { providers: ['modem'] },
      modem: { spool: spool.path, smsPerMinute: 600, smsdConfig },
    },
  })
  await site.service.store.updateApplication(site.user.account.appId, { smsSos: true })
  await site.user.rest('POST', '/v1/sdk/contacts', { name: 'Georg', phone: GEORG })
  const georg = await site.newUser('georg').introduce({ name: 'Georg' })
  await proves(site, georg, GEORG, '0815')
  const toGeorg = (like: RegExp) => async () => (await spool.texts('sent')).find((text) => like.test(text))
  const texts = async (...all: readonly string[]) => {
    for (const text of all) await gammu.receives(GEORG, text)
  }
  const ofGeorg = async () => (await incidents(site)).find(({ userId }) => userId === georg.userId)

  await site.user.presses()
  await site.advance('1 s')
  const asked = await until('Georg is asked', toGeorg(/Mia Moser needs help/))
  const [, code] = /OK (\d{4})/.exec(asked)!
  await texts('SOS')
  const own = (await until('Georg’s own SOS is raised', ofGeorg))!
  const answer = await inTime('it is answered', site, toGeorg(/Not you\?/))
  await texts('Help is on the way', 'I am behind the hut', `NO ${code}`)
  const response = async () => {
    const { contacts } = (await site.user.openIncident()).actuators.items[0]
    return contacts[0].response?.kind
  }
  await until('NO with the code of the alarm declines', async () => (await response()) === 'unable')
  assert.equal((await ofGeorg())?.state.status, 'active')
  await texts(`NO ${codeIn(answer)}`)
  await until('NO with the code of the SOS ends it', async () => (await ofGeorg())?.state.status === 'cancelled')
  assert.equal((await site.user.openIncident()).status, 'active')
  assert.equal((await incidents(site)).length, 2, 'talking about the alarm raises none')
  const notes = await site.service.store.incidentNotes(own.id)
  assert.match(notes.map(({ by, text }) => `${by}: ${text}`).join('\n'), /may be forged: I am behind the hut/)
})

test('after two answers NO contacts come after board and fallback contact; beyond three incidents they come only with the code', async (t) => {
  const { site, sentTo, texts } = await start(t)
  for (const nth of [1, 2]) {
    await texts(MIA, 'SOS')
    const answer = await inTime('the answer', site, async () => {
      const found = sentTo(MIA).filter((text) => /Not you/.test(text))
      return found.length === nth && found.at(-1)
    })
    await texts(MIA, `NO ${codeIn(answer)}`)
    assert.equal((await last(site)).state.status, 'cancelled')
  }
  await texts(MIA, 'SOS')
  await site.advance('20 s')
  await until('the fallback contact has it', async () => /Mia Moser needs help/.test(sentTo(DESK).at(-1)!))
  const { openedAt, deliveries, contacts, id } = await last(site)
  const due = deliveries
    .filter(({ channel }) => channel === 'sms')
    .map(({ contactId, dueAt }) => [
      contacts.find((contact) => contact.contactId === contactId)?.name,
      (dueAt - openedAt) / 1000,
    ])
  assert.deepEqual(due, [
    ['Desk', 10],
    ['Ana', 120],
    ['Ben', 150],
  ])
  const resolve = (incidentId: string) =>
    site.service.store.changeIncident({ incidentId }, { type: 'resolve', now: site.clock.now(), by: 'operator' })
  await resolve(id)
  await texts(MIA, 'SOS')
  const fourth = await last(site)
  assert.equal(fourth.few, 'fallback')
  await resolve(fourth.id)
  await site.service.store.updateApplication(site.user.account.appId, { fallbackContact: null })
  await texts(MIA, 'SOS')
  const { few, raisedByOthers } = await last(site)
  assert.deepEqual([few, raisedByOthers?.later], [undefined, true], 'nobody else would hear of it')
  await texts(MIA, 'SOS 4711')
  assert.equal((await last(site)).few, undefined)
  const answers = sentTo(MIA).length
  assert.ok(answers <= 4, `${answers} answers`)
})

test('an application that takes none leaves texts as they were', async (t) => {
  const { site, texts } = await start(t)
  await site.service.store.updateApplication(site.user.account.appId, { smsSos: false })
  await texts(MIA, 'SOS')
  await texts(STRANGER, 'SOS')
  assert.deepEqual(await incidents(site), [])
})

test('a text is one alarm however often it is handed over, and no answer goes to a silent emergency', async (t) => {
  const { site, post, sentTo } = await start(t)
  await site.service.store.updateApplication(site.user.account.appId, { silentByDefault: true })
  await post(MIA, HERE, {}, 'SMx')
  const first = await last(site)
  await site.advance('30 s')
  await post(MIA, HERE, {}, 'SMx')
  assert.deepEqual([(await incidents(site)).length, (await last(site)).lastAlertAt], [1, first.lastAlertAt])
  await site.advance('120 s')
  assert.deepEqual(sentTo(MIA), [])
})

test('a flood holds answers back, never an alarm, and the board says so', async (t) => {
  const { site, texts, sentTo } = await start(t)
  const { store } = site.service
  Object.assign(store, { smsAnswers: async () => ({ sent: 50, held: 7 }) })
  await texts(MIA, HERE)
  assert.equal((await last(site)).state.status, 'active')
  const ready = (await (await fetch(`${site.service.listeners.http}/readyz`)).json()) as any
  assert.ok(JSON.stringify(ready).includes('SMS flood: 7 answers held'))
  await site.advance('120 s')
  assert.deepEqual(sentTo(MIA), [])
  assert.equal(sentTo(ANA).length > 0, true)
  Object.assign(store, { smsAnswers: async () => ({ sent: 49, held: 0 }) })
  await inTime('the answer that was held', site, () => /Being alerted: Ana.*NO \d{4}/.test(sentTo(MIA).at(-1) ?? ''))
  const calm = await (await fetch(`${site.service.listeners.http}/readyz`)).text()
  assert.ok(!calm.includes('SMS flood'))
})

test('a note that hangs holds up no alarm', async (t) => {
  const { site, post } = await start(t)
  Object.assign(site.service.store, { noteSmsAlert: () => new Promise(() => {}) })
  let status = 0
  void post(MIA, HERE).then((answer) => (status = answer.status))
  await until('it is answered', async () => {
    await site.advance('1 s')
    return status !== 0
  })
  assert.equal(status, 200)
  assert.equal((await incidents(site)).length, 1)
})

test('a text that Twilio has not signed raises nothing, and any other text does no harm', async (t) => {
  const { site, post } = await start(t)
  assert.equal((await post(MIA, 'SOS', { authToken: 'wrong' })).status, 403)
  assert.equal((await post(MIA, 'SOS', { signature: null })).status, 403)
  for (const text of ['', 'hello', 'NO 1234', 'x'.repeat(1600)]) assert.equal((await post(MIA, text)).status, 200)
  assert.deepEqual(await incidents(site), [])
})

test('a text that cannot be stored is not acknowledged', async (t) => {
  const { site, post } = await start(t)
  const { store } = site.service
  const { changeIncident } = store
  Object.assign(store, { changeIncident: () => Promise.reject(new StoreError('full', 'disk_full')) })
  assert.equal((await post(MIA, HERE, {}, 'SMx')).status, 503)
  Object.assign(store, { changeIncident })
  assert.equal((await post(MIA, HERE, {}, 'SMx')).status, 200)
  assert.equal((await incidents(site)).length, 1)
})
