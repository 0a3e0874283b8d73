import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createIncidentDoor } from '../../../../src/app/incident-door.ts'
import type { Command } from '../../../../src/core/incident/command.ts'
import { applicationCalled, incidentOf, SiteUser } from '../../../contract/site.ts'
import { momentAt, raiseAt } from '../../../core/build.ts'
import { freshDatabase, openPostgresAt, withoutPostgres } from '../../../fixtures/postgres-place.ts'
import { quiet } from '../../../fixtures/store-place.ts'
import type { Ending } from '../../../harness/ending.ts'
import { until } from '../../../harness/wait.ts'

const HOUR_MS = 3_600_000

/** A node: its store behind its door, and what it has announced to its own connections. */
async function nodeOn(t: Ending, url: string, options: Parameters<typeof openPostgresAt>[2] = {}) {
  const store = await openPostgresAt(t, url, options)
  const door = createIncidentDoor({ store, log: quiet })
  const announced: string[] = []
  const deadlines: (number | null)[] = []
  door.follow(({ events, nextActionAt }) => {
    deadlines.push(nextActionAt)
    for (const { message } of events) announced.push([message.type, message.snapshotVersion].join(' ').trim())
  })
  await store.onNotice((notice) => {
    if (notice.kind === 'committed') door.hear(notice)
  })
  return { store, door, announced, deadlines }
}

async function twoNodes(t: Ending, options: Parameters<typeof openPostgresAt>[2] = {}) {
  const url = await freshDatabase(t)
  const nodes = await Promise.all([nodeOn(t, url, options), nodeOn(t, url, options)])
  const application = applicationCalled('Hut')
  await nodes[0].store.createApplication(application, 'secret')
  const user = new SiteUser(nodes[0].store, application.id, 'hiker-1')
  await user.settle(['Ana', 'Ben'])
  return { nodes, user }
}

suite('notices on PostgreSQL', { skip: withoutPostgres }, () => {
  test('every node announces every event of an incident that both change, once and in order', async (t) => {
    const { nodes, user } = await twoNodes(t)
    const { id, contacts } = incidentOf(
      await nodes[0].door.change({ openOf: user.id }, raiseAt(0, undefined, { reporterId: user.id })),
    )
    const [ana, ben] = contacts.map(({ contactId }) => contactId)
    const changes: readonly Command[] = [
      { type: 'acknowledge', contactId: ana!, now: momentAt(20) },
      { type: 'acknowledge', contactId: ben!, now: momentAt(21) },
      { type: 'resolve', now: momentAt(22) },
    ]
    // Each on the other node, which may not have heard of the change before.
    for (const [n, command] of changes.entries()) await nodes[(n + 1) % 2]!.door.change({ incidentId: id }, command)
    await until('all events on both', () =>
      nodes.every(({ announced }) => announced.some((one) => /resolved/.test(one))),
    )
    const [first, second] = nodes.map(({ announced }) => announced)
    assert.deepEqual(first, second)
    assert.deepEqual(first!.slice(0, 4), [
      'processed 1',
      'acknowledged',
      'sos.actuator_update 2',
      'sos.actuator_update 3',
    ])
    assert.ok(nodes.every(({ deadlines }) => deadlines[0] !== null))
  })

  test('a bell shortens the wait for the next poll', async (t) => {
    const { nodes, user } = await twoNodes(t, { pollMs: HOUR_MS })
    await nodes[0].door.change({ openOf: user.id }, raiseAt(0, undefined, { reporterId: user.id }))
    await until('the event on the other node', () => nodes[1].announced.length === 1)
  })

  test('of two nodes that make a shared key at once, the first one’s counts for both', async (t) => {
    const { nodes } = await twoNodes(t)
    const own = [Buffer.from('one'), Buffer.from('other')]
    const found = await Promise.all(nodes.map(({ store }, n) => store.sharedKey('user-token', () => own[n]!)))
    assert.deepEqual(found[0], found[1])
    assert.ok(own.some((key) => key.equals(found[0]!)))
  })

  test('without bells notices come all the same', async (t) => {
    const { nodes, user } = await twoNodes(t, { notify: false })
    await nodes[0].door.change({ openOf: user.id }, raiseAt(0, undefined, { reporterId: user.id }))
    await until('the event on the other node', () => nodes[1].announced.length === 1)
  })
})
