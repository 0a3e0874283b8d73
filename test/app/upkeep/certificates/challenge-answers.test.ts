import assert from 'node:assert/strict'
import { test } from 'node:test'
import { challengeAnswers } from '../../../../src/app/upkeep/certificates/challenge-answers.ts'
import { CertificateRecords } from '../../../../src/app/upkeep/certificates/records.ts'
import { VirtualClock } from '../../../harness/virtual-clock.ts'
import { Rows, sealingWith } from './site-of-ca.ts'

function answering() {
  const clock = new VirtualClock()
  const store = new Rows()
  const records = new CertificateRecords({ store, secrets: sealingWith('key'), clock })
  let reads = 0
  const counted = {
    read: () => {
      reads += 1
      return records.read()
    },
  }
  return {
    clock,
    store,
    answerOf: challengeAnswers({ records: counted, clock, monotonicMs: () => clock.now() }),
    shows: (...tokens: readonly string[]) =>
      records.keep(
        'challenges',
        tokens.map((token) => ({ token, answer: `${token}!` })),
      ),
    reads: () => reads,
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

test('a token that the store has is answered, again and again', async () => {
  const { answerOf, clock, shows, reads } = answering()
  for (const token of ['one', 'two', 'three']) {
    await shows(token)
    assert.equal(await answerOf(token), `${token}!`)
    assert.equal(await answerOf(token), `${token}!`)
    await clock.advance('2 s', turn)
  }
  assert.equal(reads(), 3)
})

test('whoever asks for other tokens causes one read a second, and hides none that was just stored', async () => {
  const { answerOf, clock, shows, reads } = answering()
  assert.equal(await answerOf('guess'), null)
  await shows('token')
  const guesses = Array.from({ length: 500 }, (_, n) => answerOf(`guess${n}`))
  const asked = answerOf('token')
  await clock.advance('1 s', turn)
  assert.equal(await asked, 'token!')
  assert.ok((await Promise.all(guesses)).every((answer) => answer === null))
  assert.deepEqual([reads(), clock.pending], [2, 0])
})

test('a store that does not answer is asked again', async () => {
  const { answerOf, clock, store, shows } = answering()
  await shows('token')
  const read = store.certificateRecords
  store.certificateRecords = () => Promise.reject(new Error('down'))
  await assert.rejects(answerOf('token'), /down/)
  store.certificateRecords = read
  const asked = answerOf('token')
  await clock.advance('1 s', turn)
  assert.equal(await asked, 'token!')
})
