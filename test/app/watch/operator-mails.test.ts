import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type OperatorDigest, operatorMails } from '../../../src/app/watch/operator-mails.ts'
import { watchSite } from '../../../src/app/watch/site-news.ts'
import type { AttemptOutcome } from '../../../src/core/incident/command.ts'
import type { Operator } from '../../../src/core/operator/operator.ts'
import { VirtualClock } from '../../harness/virtual-clock.ts'

const turn = async () => {
  for (let n = 0; n < 10; n += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
const unheard = { info() {}, warn() {}, error: assert.fail }
const sent: AttemptOutcome = { kind: 'sent', provider: 'smtp', providerRef: null }

const operator = (login: string, more: Partial<Operator> = {}): Operator => ({
  ...{ id: login, login, name: 'A', role: 'admin', applications: null, disabled: false },
  ...{ createdAt: 0, updatedAt: 0, signedInAt: 1 },
  ...more,
})

function mailing(operators: readonly Operator[] = [operator('ana@hut.example')]) {
  const clock = new VirtualClock()
  const digests: OperatorDigest[] = []
  const state = { outcome: sent as AttemptOutcome, operators, isDown: false, unreachable: '' }
  const { mail, stop } = operatorMails({
    store: {
      async operators() {
        if (state.isDown) throw new Error('the disk is gone')
        return state.operators
      },
    },
    async send(digest) {
      digests.push(digest)
      return digest.to === state.unreachable
        ? { kind: 'failed', error: 'no such host', retryable: true }
        : state.outcome
    },
    site: () => 'sos.hut.example',
    clock,
    ids: { uuid: randomUUID },
    log: unheard,
  })
  return { clock, digests, state, mail, stop, advance: (text: string) => clock.advance(text, turn) }
}

// access.md#operator-mail.
test('what happens within a minute is one mail, at most four leave in an hour, and nothing is lost', async () => {
  const { digests, mail, stop, advance } = mailing()
  mail('the backup failed', 'The disk is full.')
  mail('a certificate ends', 'In 14 days.')
  await advance('59 s')
  assert.equal(digests.length, 0)
  await advance('2 s')
  const [first] = digests
  assert.equal(first?.subject, 'sos.hut.example: the backup failed (and 1 more)')
  assert.match(first?.text ?? '', /^the backup failed\nThe disk is full\.\n\na certificate ends\nIn 14 days\./)
  for (let n = 1; n <= 20; n += 1) {
    mail(`news ${n}`, '')
    await advance('2 min')
  }
  assert.equal(digests.length, 4)
  await advance('30 min')
  assert.equal(digests.length, 5)
  for (let n = 1; n <= 20; n += 1) assert.ok(digests.some(({ text }) => text.includes(`news ${n}\n`)))
  await stop()
})

test('one digest is bounded, and says how much it leaves out', async () => {
  const { digests, mail, stop, advance } = mailing()
  for (let n = 0; n < 60; n += 1) mail('x'.repeat(500), 'y'.repeat(9000))
  await advance('61 s')
  const [one] = digests
  assert.match(one?.text ?? '', /10 more: see \/readyz and the log\./)
  assert.ok((one?.text.length ?? 0) < 220_000 && (one?.subject.length ?? 0) <= 200)
  await stop()
})

test('only administrators of the whole site who have signed in with an address get it', async () => {
  const { digests, mail, stop, advance } = mailing([
    operator('ana@hut.example'),
    operator('ben'),
    operator('carl@hut.example', { role: 'operator' }),
    operator('dora@hut.example', { applications: ['a'] }),
    operator('emil@hut.example', { disabled: true }),
    operator('new@hut.example', { signedInAt: null }),
    operator('flo@hut.example'),
  ])
  mail('news\r\nBcc: eve@example.com', '')
  await advance('61 s')
  assert.deepEqual(
    digests.map(({ to }) => to),
    ['ana@hut.example', 'flo@hut.example'],
  )
  assert.equal(digests[0]?.subject, 'sos.hut.example: news Bcc: eve@example.com')
  await stop()
})

test('a mail server that is down is tried again, and a store that is down does not silence the news about it', async () => {
  const { digests, state, mail, stop, advance } = mailing()
  mail('first', '')
  await advance('61 s')
  Object.assign(state, { isDown: true, outcome: { kind: 'failed', error: 'connection refused', retryable: true } })
  mail('the store is gone', '')
  await advance('2 min')
  await advance('1 min')
  state.outcome = sent
  await advance('30 min')
  const about = digests.filter(({ text }) => text.includes('the store is gone'))
  assert.deepEqual([about.length, new Set(about.map(({ id }) => id)).size, about[0]?.to], [3, 1, 'ana@hut.example'])
  await stop()
})

test('an administrator who cannot be reached holds up no digest of the others, and a stop waits for nothing', async () => {
  const { clock, digests, state, mail, stop, advance } = mailing([
    operator('ana@hut.example'),
    operator('ivo@gone.example'),
  ])
  state.unreachable = 'ivo@gone.example'
  mail('first', '')
  await advance('61 s')
  mail('second', '')
  await advance('61 s')
  const about = (subject: string, to: string) =>
    digests.filter((digest) => digest.text.startsWith(subject) && digest.to === to).length
  assert.deepEqual([about('first', 'ana@hut.example'), about('second', 'ana@hut.example')], [1, 1])
  await advance('6 min')
  state.unreachable = ''
  await advance('15 min')
  // At once, after 1, 6 and 21 min.
  assert.deepEqual([about('first', 'ivo@gone.example'), about('second', 'ivo@gone.example')], [4, 4])
  assert.deepEqual([about('first', 'ana@hut.example'), about('second', 'ana@hut.example')], [1, 1])
  state.unreachable = 'ivo@gone.example'
  mail('third', '')
  await advance('61 s')
  await stop()
  assert.equal(clock.pending, 0)
})

function watched() {
  const clock = new VirtualClock()
  const told: string[] = []
  const state = { reasons: [] as string[], concerns: [] as string[], mayTell: true }
  const stop = watchSite({
    mail: (subject, text) => void told.push(`${subject} | ${text}`),
    readiness: async () => state.reasons,
    concerns: () => state.concerns,
    mayTell: () => state.mayTell,
    node: null,
    clock,
    log: unheard,
  })
  return { told, state, stop, advance: (text: string) => clock.advance(text, turn) }
}

test('a site that is not ready for five minutes is news once, and so is that it is ready again', async () => {
  const { told, state, stop, advance } = watched()
  state.reasons = ['the store cannot write: the disk is full']
  await advance('5 min')
  state.reasons = []
  await advance('2 min')
  assert.deepEqual(told, [], 'a short fault is none')
  state.reasons = ['the store cannot write: the disk is full']
  await advance('30 min')
  assert.deepEqual(told, [
    'NOT READY for 5 min | Alarms may fail: the store cannot write: the disk is full. Run: tocsin doctor',
  ])
  state.reasons = []
  await advance('1 min')
  assert.match(told[1] ?? '', /^ready again \| After 30 min\.$/)
  await stop()
})

test('a concern that stands is news once a week, whatever its figures, and one that comes back once a day', async () => {
  const { told, state, stop, advance } = watched()
  state.concerns = ['no backup for 2 days']
  await advance('10 min')
  state.concerns = ['no backup for 3 days']
  await advance('24 h')
  assert.deepEqual(told, ['a warning | no backup for 2 days'])
  await advance('145 h')
  assert.equal(told.length, 2)
  for (let n = 0; n < 10; n += 1) {
    state.concerns = []
    await advance('10 min')
    state.concerns = ['no backup for 3 days']
    await advance('10 min')
  }
  assert.equal(told.length, 2)
  await advance('24 h')
  assert.equal(told.length, 3)
  await stop()
})

test('of several nodes one tells the concerns of the site', async () => {
  const { told, state, stop, advance } = watched()
  state.mayTell = false
  state.concerns = ['no backup for 2 days']
  await advance('20 min')
  assert.deepEqual(told, [])
  state.mayTell = true
  await advance('1 min')
  assert.equal(told.length, 1, 'a node that takes over tells what stands')
  await stop()
})
