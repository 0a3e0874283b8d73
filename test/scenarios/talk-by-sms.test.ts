import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { StoreError } from '../../src/ports/store.ts'
import { signedIn } from '../harness/signed-in.ts'
import type { Site } from '../harness/site.ts'
import { ANA, codeIn, HERE, inTime, last, MIA, STRANGER, startSmsSite } from '../harness/sms-sos-site.ts'

// sms.md#talk-by-sms.

async function confirms({ service: { store }, user, clock }: Site, name: string): Promise<void> {
  const contact = (await store.contacts(user.userId)).find((known) => known.name === name)!
  const asked = { token: `confirmation-of-${name}`, now: clock.now(), perDay: 99 }
  await store.requestVerification(user.userId, contact.id, asked)
  assert.ok('answered' in (await store.answerVerification(asked.token, 'confirmed', clock.now())))
}

test('a person who alarmed by SMS talks by SMS: with the desk and with contacts who help, until STOP', async (t) => {
  const { site, post, texts, sentTo } = await startSmsSite(t)
  await confirms(site, 'Ana')
  const eva = await signedIn(site, 'Eva Berg')
  await texts(MIA, `${HERE} 4711`)
  const incident = await last(site)
  const answer = await inTime('the answer', site, () => sentTo(MIA).at(-1))
  assert.match(
    answer,
    /Being alerted: Ana, Ben, Desk\. What you text here, the rescue desk and those who help can read\./,
  )
  const alarm = await inTime('Ana is alarmed', site, () => sentTo(ANA)[0])
  const link = `${site.service.listeners.http}${/\/t\/[\w-]+/.exec(alarm)![0]}`
  const answers = await fetch(`${link}/ack?coming=10`, { method: 'POST', redirect: 'manual' })
  assert.equal(answers.status, 303)

  const caseOf = async () => (await eva.ask('GET', `/incidents/${incident.id}`)).json
  const says = (text: string) => eva.ask('POST', `/incidents/${incident.id}/messages`, { id: randomUUID(), text })
  for (const _twice of [1, 2]) await post(MIA, `Leg broken. 4711, or NO? ${codeIn(answer)}`, {}, 'SMleg')
  await texts(STRANGER, 'I am Mia')
  const before = JSON.stringify((await last(site)).contacts)
  const { talk, notes } = await caseOf()
  assert.deepEqual(
    talk.items.map(({ from, text, to }: any) => [from.kind, from.channel, from.phone, text, to]),
    [['person', 'sms', MIA, 'Leg broken. ****, or NO? ****', 'all']],
  )
  assert.deepEqual(notes, [])
  const page = await (await fetch(link)).text()
  assert.match(page, /by SMS from this number, may be forged[\s\S]*Leg broken\. \*{4}/)

  assert.equal((await says('Can you move? – Ein Hubschrauber kommt.')).status, 200)
  const fromDesk = await inTime('the desk’s message', site, () => sentTo(MIA)[1])
  assert.equal(fromDesk, 'Eva Berg (rescue desk): Can you move? - Ein Hubschrauber kommt.')
  const form = new URLSearchParams({ key: randomUUID(), text: 'Look: evil.example.org/x at 10:30' })
  assert.equal((await fetch(`${link}/messages`, { method: 'POST', redirect: 'manual', body: form })).status, 303)
  const fromAna = await inTime('Ana’s message', site, () => sentTo(MIA)[2])
  assert.equal(fromAna, 'Ana: Look: evil. example. org/ x at 10:30')
  await texts(MIA, 'no')
  assert.equal((await caseOf()).talk.items.at(-1).text, 'no', 'an answer to a question')

  const ways = async () => {
    const { sms } = (await caseOf()).talk
    return [sms.phone, ...sms.lines.map(({ way }: { way: string }) => way)]
  }
  await inTime('what came of the texts is known', site, async () => (await ways()).join() === `${MIA},sent,sent`)

  await texts(MIA, 'STOP')
  await inTime('the way back', site, () => /answer START\.$/.test(sentTo(MIA).at(-1)!))
  assert.equal((await caseOf()).notes.at(-1).text, 'STOP')
  const sent = sentTo(MIA).length
  await says('Are you there?')
  await site.advance('60 s')
  assert.equal(sentTo(MIA).length, sent)
  assert.deepEqual(await ways(), [MIA, 'sent', 'sent', 'stopped'])
  await texts(MIA, 'START')
  await inTime('what was said meanwhile', site, () => sentTo(MIA).at(-1) === 'Eva Berg (rescue desk): Are you there?')
  assert.equal(JSON.stringify((await last(site)).contacts), before, 'no message changes the alarm')

  await texts(MIA, `NO ${codeIn(answer)}`)
  assert.equal((await last(site)).state.status, 'cancelled')
  const { length } = (await caseOf()).talk.items
  await texts(MIA, 'thank you')
  assert.equal((await caseOf()).talk.items.length, length)

  await texts(MIA, HERE)
  const uncoded = await last(site)
  const { store } = site.service
  const { addIncidentNote } = store
  Object.assign(store, { addIncidentNote: () => Promise.reject(new StoreError('full', 'disk_full')) })
  for (let tries = 0; tries < 31; tries += 1) assert.equal((await post(MIA, 'behind the hut', {}, 'SMhut')).status, 503)
  Object.assign(store, { addIncidentNote })
  assert.equal((await post(MIA, 'behind the hut', {}, 'SMhut')).status, 200, 'a full disk loses no text')
  const shown = (await eva.ask('GET', `/incidents/${uncoded.id}`)).json
  assert.deepEqual([shown.talk.items, shown.notes.at(-1)?.text], [[], 'behind the hut'], 'without the code, a note')
})
