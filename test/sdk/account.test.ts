import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeService } from '../../sdk/fake/index.ts'
import { Tocsin } from '../../sdk/src/index.ts'
import { until } from '../harness/wait.ts'

test('the card is written field by field, read and removed', async (t) => {
  const service = new FakeService()
  const tocsin = new Tocsin(service.options)
  t.after(() => tocsin.close())
  assert.equal((await tocsin.card.read()).updatedAt, null)
  const [ana] = await tocsin.contacts.list()
  await tocsin.card.update({ note: 'Insulin', languages: ['de'], contactIds: [ana!.id] })
  const { updatedAt, ...card } = await tocsin.card.update({ languages: null, hearing: 'deaf' })
  assert.equal(typeof updatedAt, 'string')
  const unset = { yearOfBirth: null, peopleWithMe: null, vehicle: null }
  assert.deepEqual(card, { ...unset, languages: [], hearing: 'deaf', note: 'Insulin', contactIds: [ana!.id] })
  await tocsin.card.remove()
  assert.deepEqual((await tocsin.card.read()).contactIds, [])
})

test('a reminder of a timer is told as long as somebody listens', async (t) => {
  const service = new FakeService()
  const tocsin = new Tocsin(service.options)
  t.after(() => tocsin.close())
  const told: (string | null)[] = []
  const stop = tocsin.timers.watch(({ note }) => told.push(note))
  await until('the first', () => {
    service.reminds('Glungezer')
    return told.length > 0
  })
  assert.equal(told[0], 'Glungezer')
  stop()
  const heard = told.length
  service.reminds('later')
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(told.length, heard)
})
