import assert from 'node:assert/strict'
import { test } from 'node:test'
import { surveyReadiness } from '../../src/app/readiness-survey.ts'
import { watchHealth } from '../../src/app/sending/provider-health.ts'
import type { UserReadiness } from '../../src/app/user-readiness.ts'
import type { AttemptOutcome } from '../../src/core/incident/command.ts'
import type { TextNotification } from '../../src/ports/notifier.ts'
import { VirtualClock } from '../harness/virtual-clock.ts'
import { until } from '../harness/wait.ts'

const silent = { info() {}, warn() {}, error() {} }
const NONE = { ready: 0, attention: 0, not_ready: 0 }
const one = (status: UserReadiness['status']) => ({ status }) as UserReadiness

test('the survey counts page by page, waits between two, and shows nothing half', async () => {
  const clock = new VirtualClock()
  const asked: (string | null)[] = []
  let mayRun = true
  const survey = surveyReadiness({
    clock,
    log: silent,
    mayRun: () => mayRun,
    readiness: {
      async page({ after }) {
        asked.push(after)
        return after === null
          ? { items: [one('ready'), one('not_ready')], after: 'more' }
          : { items: [one('not_ready')], after: null }
      },
    },
  })
  assert.deepEqual(survey.counts(), NONE)
  await clock.advance('5 min', async () => {})
  await until('the first page', () => asked.length === 1)
  assert.deepEqual(survey.counts(), NONE)
  await clock.advance('1 s', async () => {})
  await until('the count', () => survey.counts().ready === 1)
  assert.deepEqual(survey.counts(), { ready: 1, attention: 0, not_ready: 2 })
  assert.deepEqual(asked, [null, 'more'])
  mayRun = false
  await clock.advance('1 h', async () => {})
  await until('another node counts', () => survey.counts().ready === 0)
  await survey.stop()
})

test('three messages in a row that no provider took are a finding; a wrong number says nothing', async () => {
  const outcomes: AttemptOutcome[] = []
  const { text, health } = watchHealth({ send: async (_text: TextNotification) => outcomes.shift()! })
  const busy: AttemptOutcome = { kind: 'failed', error: 'upstream HTTP 503', retryable: true }
  const wrong: AttemptOutcome = { kind: 'failed', error: 'invalid number', retryable: false }
  const taken: AttemptOutcome = { kind: 'sent', provider: 'outbox', providerRef: null }
  const after = async (...given: AttemptOutcome[]) => {
    outcomes.push(...given)
    while (outcomes.length > 0) await text.send({} as TextNotification)
    return health.isFailing()
  }
  assert.equal(await after(busy, busy, wrong, wrong), false)
  assert.equal(await after(busy), true)
  assert.equal(await after(taken), false)
})
