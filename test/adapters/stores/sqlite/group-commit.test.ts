import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { appended, applicationCalled, telemetryAt } from '../../../contract/site.ts'
import { momentAt, raiseAt } from '../../../core/build.ts'
import { commitsInLog } from '../../../fixtures/store-log.ts'
import { freshDir, openAt } from '../../../fixtures/store-place.ts'

async function filled(t: Parameters<typeof freshDir>[0]) {
  const dataDir = await freshDir(t)
  const store = await openAt(t, dataDir)
  const application = applicationCalled('Hut')
  await store.createApplication(application, 'secret')
  const identity = { appId: application.id, externalUserId: 'hiker-1', id: randomUUID(), now: momentAt(0) }
  const reporter = { appId: application.id, userId: (await store.ensureUser(identity)).id }
  return { store, reporter, commits: () => commitsInLog(dataDir) }
}

test('writes made together share one commit', async (t) => {
  const { store, reporter, commits } = await filled(t)
  const before = commits()
  await Promise.all(Array.from({ length: 200 }, (_, k) => appended(store, reporter, telemetryAt(k))))
  assert.equal(commits() - before, 1)
})

test('a single write is a commit of its own: the control', async (t) => {
  const { store, reporter, commits } = await filled(t)
  const before = commits()
  for (let k = 0; k < 20; k += 1) await appended(store, reporter, telemetryAt(k))
  assert.equal(commits() - before, 20)
})

test('writes that arrive during a commit share the next one', async (t) => {
  const { store, reporter, commits } = await filled(t)
  const before = commits()
  const first = appended(store, reporter, telemetryAt(0))
  // Two turns of the event loop: the writer has the first row.
  for (let k = 0; k < 2; k += 1) await new Promise(setImmediate)
  const others = Array.from({ length: 100 }, (_, k) => appended(store, reporter, telemetryAt(k + 1)))
  await Promise.all([first, ...others])
  assert.equal(commits() - before, 2)
})

test('an alert is committed before telemetry and rubbish that came earlier, which is committed in bounded batches', async (t) => {
  const { store, reporter, commits } = await filled(t)
  const before = commits()
  const settled: string[] = []
  const telemetry = Array.from({ length: 2000 }, async (_, k) => {
    await appended(store, reporter, telemetryAt(k))
    settled.push('telemetry')
  })
  const letter = { userId: reporter.userId, topic: 't', reason: 'r', payload: new Uint8Array(1), receivedAt: 1 }
  const useless = store.addDeadLetter(letter).then(() => settled.push('dead letter'))
  const alert = store
    .changeIncident(
      { reporter: { ...reporter, deviceId: null } },
      raiseAt(0, undefined, { reporterId: reporter.userId }),
    )
    .then(() => settled.push('alert'))
  await Promise.all([...telemetry, useless, alert])
  assert.equal(settled[0], 'alert')
  assert.equal(settled.at(-1), 'dead letter')
  // The alert has a commit of its own.
  assert.equal(commits() - before, 6)
})
