import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { signedIn } from '../harness/signed-in.ts'
import { startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

test('a change of shift: handed over, left behind, taken by nobody who is there, and answered by who is on call', async (t) => {
  const site = await startSite(t, { contacts: ['Ana'], settings: { voice: false, watchMinutes: 0 } })
  const eva = await signedIn(site, 'Eva')
  const ivo = await signedIn(site, 'Ivo')
  await site.user.presses()
  await site.advance('12 s')
  await site.phone('Ana').receivesSms(/needs help/)
  const [{ incidentId }] = (await eva.ask('GET', '/incidents')).json.items
  const shown = async () => (await ivo.ask('GET', `/incidents/${incidentId}`)).json.incident
  assert.equal((await eva.ask('POST', `/incidents/${incidentId}/take?presses=1`)).status, 200)

  assert.equal((await eva.ask('POST', '/shift/hand-over', { to: ivo.id })).status, 204)
  assert.equal((await ivo.ask('GET', '/shift')).json.handOvers[0].from.name, 'Eva')
  assert.equal((await shown()).takenBy.name, 'Eva', 'until then it stays with her')
  const accepted = await ivo.ask('POST', '/shift/hand-over/accept', { from: eva.id })
  assert.deepEqual([accepted.status, accepted.json], [200, { taken: 1, left: 0 }])
  assert.equal((await shown()).takenBy.name, 'Ivo')
  const back = await eva.ask('POST', `/incidents/${incidentId}/take-over`, { from: ivo.id })
  assert.deepEqual([back.status, back.json.incident.takenBy.from.name], [200, 'Ivo'])

  // At once: nobody waits for the next look.
  assert.equal((await eva.ask('DELETE', '/session')).status, 204)
  await until('nobody has it', async () => (await shown()).wasWith?.name === 'Eva')
  const { status, urgency } = await shown()
  assert.deepEqual([status, urgency], ['acknowledged', 1])
  await site.advance('2 min')
  await site.phone('Ana').gotOnly(['sms'])

  // Ivo does nothing for twelve hours, and is signed out.
  const { store } = site.service
  const spans = await store.sessionSpans()
  assert.equal(spans.length, 1)
  const ada = await signedIn(site, 'Ada', { role: 'admin' })
  const lea = { id: randomUUID(), name: 'Lea', phone: '+43660009999', language: 'en', operatorId: ivo.id }
  const turns = { version: 0, startsOn: '2020-01-01', everyDays: 1, order: [lea.id], people: [lea] }
  assert.equal((await ada.ask('PUT', '/on-call', turns)).json.now.name, 'Lea')
  assert.equal((await ivo.ask('GET', '/on-call')).json.list.people[0].phone, lea.phone, 'his own entry')
  const { list } = (await ada.ask('GET', '/on-call')).json
  assert.equal((await ada.ask('PUT', '/on-call', list)).json.list.version, 2, 'sent back as it was read')
  assert.equal((await eva.ask('GET', '/on-call')).status, 401)
  await site.advance('12 h')
  await until('Ana is alarmed again', async () => {
    await site.advance('1 min')
    return (await site.phone('Ana').messages()).length > 1
  })
  // Nobody has the board open.
  const phone = site.phoneAt(lea.phone)
  await phone.receivesSms(/on-call list/)
  await until('Lea is alerted', async () => {
    await site.advance('30 s')
    return (await phone.messages()).length > 1
  })
  await phone.pressesTheButton()
  const answered = await store.incident(incidentId)
  assert.deepEqual([answered?.incident.lastAnswer?.name, answered?.incident.contacts.length], ['Lea', 2])
  const log = (await store.auditRows({ after: null, limit: 50 })).items.map(({ actor, action }) => [actor.name, action])
  assert.deepEqual(
    log.filter(([, action]) => action === 'incident.left'),
    [
      ['Eva', 'incident.left'],
      ['Eva', 'incident.left'],
    ],
  )
})
