import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configWarnings, receiptsBy } from '../../src/config/warnings.ts'
import { configOf, problemText } from '../../src/config.ts'

function configFrom(twilio: object, more: object = {}) {
  const account = { accountSid: 'AC1', authToken: 'token', from: '+12025550123' }
  const configured = configOf({
    notifications: { providers: ['twilio'] },
    twilio: { ...account, ...twilio },
    ...more,
  })
  if ('problems' in configured) throw new Error(configured.problems.map(problemText).join('\n'))
  return configured.config
}

test('an account with a number is nothing to warn of', () => {
  assert.deepEqual(configWarnings(configFrom({})), [])
})

for (const from of ['HUT', '12345', null]) {
  test(`that nobody can be called from ${from} is said`, () => {
    const warnings = configWarnings(configFrom({ from, messagingServiceSid: 'MG1' }))
    assert.match(warnings.join(), /^twilio\.from is not a number .*no calls/)
  })
}

test('receipts that have no address are warned of', () => {
  assert.match(configWarnings(configFrom({ receipts: 'callback' })).join(), /publicUrl is not set/)
  const publicUrl = 'https://sos.example.org'
  assert.deepEqual(configWarnings(configFrom({ receipts: 'callback' }, { publicUrl })), [])
})

test('an outbox behind another provider is warned of, wherever it stands', () => {
  const providers = (...names: string[]) => configWarnings(configFrom({}, { notifications: { providers: names } }))
  for (const names of [
    ['twilio', 'outbox'],
    ['outbox', 'twilio'],
  ]) {
    assert.match(providers(...names).join(), /names outbox beside another provider/)
  }
  assert.deepEqual([...providers('outbox'), ...providers('twilio')], [])
})

test('another provider needs none of that', () => {
  const outbox = { notifications: { providers: ['outbox'] } }
  assert.deepEqual(configWarnings(configFrom({ from: 'HUT', receipts: 'callback' }, outbox)), [])
})

const publicUrl = 'https://sos.example.org'
const receipts: readonly (readonly [what: string, twilio: object, more: object, by: string])[] = [
  ['without an address', {}, {}, 'poll'],
  ['with an address', {}, { publicUrl }, 'callback'],
  ['as the operator says', { receipts: 'poll' }, { publicUrl }, 'poll'],
  ['as the operator says, whatever the address', { receipts: 'callback' }, {}, 'callback'],
]
for (const [what, twilio, more, by] of receipts) {
  test(`receipts ${what}: ${by}`, () => assert.equal(receiptsBy(configFrom(twilio, more)), by))
}

test('one SMS and one call a second, for ten minutes, unless the account is said to have more', () => {
  const { smsPerSecond, callsPerSecond, validitySeconds } = configFrom({}).twilio
  assert.deepEqual([smsPerSecond, callsPerSecond, validitySeconds], [1, 1, 600])
})
