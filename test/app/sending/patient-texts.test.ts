import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patientTexts } from '../../../src/app/sending/patient-texts.ts'
import { textTo } from '../../../src/app/talk/text-to.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import { HOUR } from '../../../src/lib/durations.ts'
import { nextTurn } from '../../../src/lib/waits.ts'
import { StoreError } from '../../../src/ports/store.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'
import { until } from '../../harness/wait.ts'

const DOWN: AttemptOutcome = { kind: 'failed', error: 'upstream HTTP 503', retryable: true }
const SENT: AttemptOutcome = { kind: 'sent', provider: 'x', providerRef: null }

test('a text waits for a provider that is down and for the database, and is dropped once it is pointless', async () => {
  const clock = new VirtualClock()
  const tries: string[] = []
  const ended: string[] = []
  const outcomes = new Map<string, AttemptOutcome>()
  let isAway = true
  const texts = patientTexts({
    clock,
    log: { info() {}, warn() {}, error() {} },
    store: {
      async nextRealActionAt() {
        if (isAway) throw new StoreError('away', 'unreachable')
        return null
      },
    },
    waiting: () => 0,
    async sendText({ text }) {
      tries.push(text)
      return outcomes.get(text) ?? SENT
    },
  })
  const now = clock.now()
  const send = (text: string, isMeant?: () => Promise<boolean>) =>
    texts.send(textTo('+431', { id: text, text, language: 'en', now }), now + HOUR, {
      ...(isMeant && { isMeant }),
      ends: (end) => ended.push(`${text} ${end}`),
    })
  const tried = (count: number) =>
    until(`${count} tries`, async () => {
      await clock.advance('5 s', nextTurn)
      return tries.length >= count
    })
  outcomes.set('a', DOWN)
  assert.equal(send('a'), true)
  await clock.advance('10 s', nextTurn)
  assert.deepEqual(tries, [])
  isAway = false
  await tried(1)
  assert.equal(send('b'), true)
  await tried(2)
  assert.deepEqual(tries, ['a', 'b'], 'one that waits for its provider holds up no other')
  await tried(3)
  outcomes.delete('a')
  await tried(4)
  let isMeant = true
  outcomes.set('c', DOWN)
  send('c', async () => isMeant)
  await tried(5)
  isMeant = false
  await clock.advance('10 min', nextTurn)
  assert.deepEqual(tries, ['a', 'b', 'a', 'a', 'c'])
  outcomes.set('d', { ...DOWN, retryable: false })
  send('d')
  await tried(6)
  await clock.advance('10 min', nextTurn)
  for (let n = 0; n < 50; n++) assert.equal(send('a'), true)
  assert.equal(send('a'), false, 'only so many wait')
  assert.deepEqual(tries.slice(0, 6), ['a', 'b', 'a', 'a', 'c', 'd'])
  assert.deepEqual(ended, ['b left', 'a left', 'c lost', 'd lost'])
  await texts.stop()
})
