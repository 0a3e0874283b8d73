import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptOutcome, Command, SendingNode } from '../../../src/core/incident/command.ts'
import type { Lease } from '../../../src/core/incident/delivery.ts'
import { StoreError } from '../../../src/ports/store.ts'
import { pressed, sent } from '../../core/build.ts'
import { dispatched } from '../../harness/dispatched.ts'

const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A lease that is granted and ends when the test says so. */
function leaseByHand() {
  let token = 1
  let isHeld = true
  let tell = (_isHeld: boolean): void => assert.fail('nobody listens')
  let mayRenew = () => true
  const lease = {
    get node(): SendingNode | null {
      return isHeld ? { lease: { node: 'a', token }, others: [], settleMs: 25_000 } : null
    },
    leftMs: (one: Lease) => (isHeld && one.token === token ? 9_000 : 0),
    renewWhile(makesProgress: typeof mayRenew) {
      mayRenew = makesProgress
    },
    onHeld(listener: typeof tell) {
      tell = listener
    },
    onOthers() {},
  }
  return {
    lease,
    /** Whether the dispatcher would have it renewed. */
    isRenewed: () => mayRenew(),
    ends() {
      isHeld = false
      tell(false)
    },
    isBack() {
      token += 1
      isHeld = true
      tell(true)
    },
  }
}

/** One SMS that node a hands over at 10 s, to a provider that can be asked. */
async function sending() {
  const { incident } = pressed({ contacts: ['Ana'], settings: { voice: false } })
  const seen: string[] = []
  const answers: ((outcome: AttemptOutcome) => void)[] = []
  const byHand = leaseByHand()
  const provider = {
    send: () => {
      seen.push('sent')
      return new Promise<AttemptOutcome>((resolve) => answers.push(resolve))
    },
    async lookUp(): Promise<AttemptOutcome> {
      seen.push('looked up')
      return { kind: 'not_found' }
    },
  }
  const { dispatcher, clock, counts } = dispatched([incident], provider, undefined, undefined, byHand.lease)
  dispatcher.start()
  const passes = (text: string) => clock.advance(text, aTurn)
  await passes('10 s')
  return {
    ...byHand,
    dispatcher,
    counts,
    seen,
    passes,
    answers: (outcome: AttemptOutcome) => answers.shift()?.(outcome),
  }
}

test('the log says that a message was sent when that is stored, and not before', async () => {
  const { incident } = pressed({ contacts: ['Ana'], settings: { voice: false } })
  let isBroken = false
  const provider = { send: async () => sent, lookUp: async () => assert.fail('nothing is unsure') }
  const refuses = (_: string, { type }: Command) => isBroken && type === 'recordOutcome'
  const { dispatcher, clock, lines } = dispatched([incident], provider, refuses)
  dispatcher.start()
  isBroken = true
  await clock.advance('12 s', aTurn)
  assert.equal(lines.length, 0)
  isBroken = false
  await clock.advance('2 s', aTurn)
  assert.deepEqual(
    lines.map((line) => 'outcome' in line && line.outcome),
    ['sent'],
  )
  await dispatcher.settled()
})

test('what was cut off by the end of a lease is not looked up before the provider can list it', async () => {
  const { seen, passes, ends, answers, isBack } = await sending()
  await passes('11 s')
  ends()
  answers({ kind: 'unknown' })
  await passes('1 s')
  isBack()
  await passes('8 s')
  assert.deepEqual(seen, ['sent'])
  await passes('12 s')
  assert.deepEqual(seen, ['sent', 'looked up', 'sent'])
})

test('what had not left yet when the lease ended is looked up as soon as the node has it back', async () => {
  const { seen, counts, passes, ends, answers, isBack } = await sending()
  ends()
  answers({ kind: 'failed', error: 'connection refused', retryable: true })
  await passes('10 s')
  assert.deepEqual(counts, [{ name: 'attempts_total', channel: 'sms', outcome: 'left' }])
  isBack()
  await passes('1 s')
  assert.deepEqual(seen, ['sent', 'looked up', 'sent'])
})

test('a stop does not wait for what the end of the lease has cut off', async () => {
  const { passes, ends, answers, dispatcher } = await sending()
  ends()
  answers({ kind: 'unknown' })
  await passes('0 s')
  await dispatcher.settled()
})

/** A node whose writes fail with `kind` from 10 s on, when its first SMS is due. */
async function failing(kind: StoreError['kind']) {
  const { incident } = pressed({ contacts: ['Ana'], settings: { voice: false } })
  const byHand = leaseByHand()
  const refuses = () => {
    throw new StoreError('no', kind)
  }
  const nobody = { send: () => assert.fail('nothing can be claimed'), lookUp: () => assert.fail('nothing is unsure') }
  const { dispatcher, clock } = dispatched([incident], nobody, refuses, undefined, byHand.lease)
  dispatcher.start()
  const passes = (text: string) => clock.advance(text, aTurn)
  return { ...byHand, passes }
}

for (const kind of ['unreachable', 'unknown'] as const) {
  test(`a node that can renew its lease, and whose writes fail (${kind}), leaves it to the others after 10 s`, async () => {
    const { isRenewed, passes, ends } = await failing(kind)
    await passes('18 s')
    assert.equal(isRenewed(), true)
    await passes('3 s')
    assert.equal(isRenewed(), false)
    ends()
    await passes('2 s')
    assert.equal(isRenewed(), true, 'with another lease it may try again')
  })
}

for (const kind of ['fault', 'busy', 'disk_full'] as const) {
  test(`what is so for every node (${kind}) costs none its lease`, async () => {
    const { isRenewed, passes } = await failing(kind)
    await passes('40 s')
    assert.equal(isRenewed(), true)
  })
}
