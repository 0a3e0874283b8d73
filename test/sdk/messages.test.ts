import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FakeService } from '../../sdk/fake/index.ts'
import { type SosMessage, Tocsin, TocsinError } from '../../sdk/src/index.ts'
import { until } from '../harness/wait.ts'

async function pressed(t: { after(end: () => void): void }) {
  const service = new FakeService()
  const tocsin = new Tocsin(service.options)
  t.after(() => tocsin.close())
  await tocsin.sos.press()
  await until('it is open', () => service.open !== null)
  return { service, tocsin }
}

suite('the messages of the SDK', () => {
  test('a message whose answer was lost is sent again, and is one', async (t) => {
    const { service, tocsin } = await pressed(t)
    service.losesAnswers = true
    const sending = tocsin.sos.messages.send({ quickReply: 'cannot_move' }, { to: 'desk' })
    // The alarm that it is for is asked first.
    service.losesAnswers = false
    await until('it is there', () => service.messages.length === 1)
    const message = await sending
    assert.deepEqual([message.quickReply, message.to], ['cannot_move', 'desk'])
    service.losesAnswers = true
    const next = tocsin.sos.messages.send({ text: 'still here' })
    await new Promise((resolve) => setImmediate(resolve))
    service.losesAnswers = false
    await next
    assert.deepEqual(
      service.messages.map(({ text }) => text),
      ['cannot_move', 'still here'],
    )
  })

  test('they come as they are written, with those from before, until the alarm is over', async (t) => {
    const { service, tocsin } = await pressed(t)
    await tocsin.sos.messages.send({ text: 'two of us' })
    const told: string[] = []
    const listening = (async () => {
      for await (const { from, text } of tocsin.sos.messages) told.push(`${from.kind} ${text}`)
    })()
    await until('the first', () => told.length === 1)
    service.writes('Ana', 'where?')
    await until('the second', () => told.length === 2)
    service.writes('Eva', 'on our way')
    await until('the third', () => told.length === 3)
    assert.deepEqual(told, ['person two of us', 'contact where?', 'operator on our way'])
    service.closes()
    await listening
  })

  test('who reads is known before writing', async (t) => {
    const { service, tocsin } = await pressed(t)
    service.answers('Ana', 'coming', 10)
    const { mayWrite, readers } = await tocsin.sos.messages.read()
    assert.equal(mayWrite, true)
    assert.deepEqual(
      readers.map(({ name, now }) => [name, now]),
      [
        ['Ana', true],
        ['Ben', false],
      ],
    )
    const seen: string[] = []
    const following = (async () => {
      for await (const { readers: now } of tocsin.sos.messages.changes()) seen.push(now.map(({ name }) => name).join())
    })()
    await until('the contacts', () => seen.at(-1) === 'Ana,Ben')
    service.desk = ['Eva']
    await until('who comes to the desk', () => seen.at(-1) === 'Eva,Ana,Ben')
    service.desk = []
    await until('who leaves it', () => seen.at(-1) === 'Ana,Ben')
    service.closes()
    await following
  })

  test('a message is for the alarm that was open then: it goes into no later one', async (t) => {
    const { service, tocsin } = await pressed(t)
    service.refuses(503)
    const sending = tocsin.sos.messages.send({ text: 'help' })
    service.closes()
    await assert.rejects(sending, (error: TocsinError) => error.status === 409)
    assert.deepEqual(service.messages, [])
  })

  test('what the service refuses for good rejects, and so does a message that is given up', async (t) => {
    const { service, tocsin } = await pressed(t)
    const refusal = (sending: Promise<SosMessage>) =>
      sending.then(
        () => 'sent',
        (error) => (error instanceof TocsinError ? error.status : error),
      )
    service.refuses(429, { headers: { 'retry-after': '3000' } })
    assert.equal(await refusal(tocsin.sos.messages.send({ text: 'one more' })), 429)
    service.refuses(400)
    assert.equal(await refusal(tocsin.sos.messages.send({ text: '' })), 400)
    service.isOffline = true
    const given = new AbortController()
    const sending = refusal(tocsin.sos.messages.send({ text: 'no network' }, { signal: given.signal }))
    given.abort()
    assert.equal(await sending, 0)
  })
})
