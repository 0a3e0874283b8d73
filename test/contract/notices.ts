import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import type { Notice, Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { until } from '../harness/wait.ts'
import { done, sessionOf, settled } from './operator-accounts.ts'
import { incidentOf, type StoreUnderTest, siteIn } from './site.ts'

/** The site's store is the service's; `commandLine` is opened by another process. */
async function twoProcesses(subject: StoreUnderTest, t: Parameters<StoreUnderTest['place']>[0]) {
  const site = await siteIn(subject, t, { contacts: ['Ana'] })
  const commandLine = await site.place.open({ leaveNotices: true })
  const heard: Notice[] = []
  const listens = () => site.store.onNotice((notice) => heard.push(notice))
  const hears = (count: number): Promise<readonly Notice[]> =>
    until(`${count} notices`, () => heard.length >= count && heard)
  /** Leaves a marker notice, which arrives after all earlier ones. */
  const marks = async (store: Store = commandLine) => {
    await store.updateApplication(site.application.id, { name: 'marked' })
    await until('the mark', () => heard.at(-1)?.kind === 'admission')
    return heard.slice(0, -1)
  }
  return {
    ...site,
    user: site.user,
    store: site.store,
    application: site.application,
    commandLine,
    heard,
    listens,
    hears,
    marks,
  }
}

/** keeping.md#notices: the running service sees what the command line changes. */
export function noticeContract(subject: StoreUnderTest): void {
  suite('notices', () => {
    test('report an incident that another process changed, with its events, and its notes and ticks once each', async (t) => {
      const { user, commandLine, listens, hears, marks } = await twoProcesses(subject, t)
      const { id } = incidentOf(await user.presses(0))
      await listens()
      const resolved = await commandLine.changeIncident({ incidentId: id }, { type: 'resolve', now: momentAt(5) })
      const { events, nextActionAt } = resolved
      const committed = { kind: 'committed', incidentId: id, events, nextActionAt }
      assert.deepEqual(await hears(1), [committed])
      const audit = entry({ at: momentAt(6), actor: COMMAND, action: 'incident.note' })
      await commandLine.addIncidentNote(id, { id: 'n', by: 'Ana', at: momentAt(6), text: 'called' }, 5, audit)
      for (const _again of [1, 2]) await commandLine.tickCalledBack(id, { contactId: null, by: 'Ana', at: 7 }, audit)
      const noted = { kind: 'case', incidentId: id }
      assert.deepEqual(await marks(), [committed, noted, noted])
    })

    test('report everything that could end a session', async (t) => {
      const { application, commandLine, listens, hears } = await twoProcesses(subject, t)
      await listens()
      await commandLine.setUserDisabled(application.id, 'hiker-1', true)
      await commandLine.updateApplication(application.id, { disabled: true })
      await commandLine.addSecret(application.id, 'second', momentAt(0))
      await commandLine.retireSecret(application.id)
      const admission = { kind: 'admission', appId: application.id }
      assert.deepEqual(await hears(3), [admission, admission, admission])
    })

    test('report who has come to the rescue desk and left it, and nothing that changes nobody there', async (t) => {
      const { commandLine: store, listens, marks } = await twoProcesses(subject, t)
      await listens()
      const { operator, session } = await settled(store, 'ana')
      const proof = { passwordHash: 'hash', second: { totpStep: 20 }, network: 'n2' }
      const [second, third] = [sessionOf(operator, 2), sessionOf(operator, 3)]
      await store.openSession(second, proof, 20, done('session.opened'))
      await store.sessionSeen(second.id, momentAt(5))
      await store.replaceRecoveryCodes(operator.id, ['r3'], done('recovery_codes.renewed'))
      await store.openSession(third, proof, 20, done('session.opened'))
      await store.endSession(operator.id, session.id, done('session.ended'))
      const change = { from: 'hash', to: 'other', keptSession: session.id }
      await store.changePassword(operator.id, change, done('password.changed'))
      await store.updateOperator(operator.id, { role: 'viewer' }, { keepAdmin: false }, done('operator.manage'))
      assert.deepEqual(
        await marks(),
        [1, 2, 3, 4, 5].map(() => ({ kind: 'desk' })),
      )
    })

    test('come in the order of the changes, each once', async (t) => {
      const { user, commandLine, listens, marks } = await twoProcesses(subject, t)
      const { id, contacts } = incidentOf(await user.presses(0))
      await listens()
      const key = { incidentId: id }
      const changes = [
        { type: 'acknowledge', contactId: contacts[0]!.contactId, now: momentAt(20) },
        { type: 'resolve', now: momentAt(21) },
      ] as const
      const committed = await Promise.all(changes.map((command) => commandLine.changeIncident(key, command)))
      const expected = committed.map(({ events, nextActionAt }) => ({
        kind: 'committed',
        incidentId: id,
        events,
        nextActionAt,
      }))
      assert.deepEqual(await marks(), expected)
    })

    test('of earlier changes are not delivered, and commands that change nothing leave none', async (t) => {
      const { user, application, commandLine, listens, marks } = await twoProcesses(subject, t)
      await user.presses(0)
      await commandLine.updateApplication(application.id, { name: 'earlier' })
      await listens()
      await commandLine.changeIncident({ incidentId: 'nowhere' }, { type: 'resolve', now: momentAt(5) })
      assert.deepEqual(await marks(), [])
    })

    test('of what the service itself has announced are not delivered to it', async (t) => {
      const { user, store, application, listens, marks } = await twoProcesses(subject, t)
      await listens()
      const pressed = await user.presses(0)
      assert.equal(store.announcesNow?.(pressed) ?? true, true)
      await store.setUserDisabled(application.id, 'hiker-1', true)
      assert.deepEqual(await marks(), [])
    })

    test('end with the listener', async (t) => {
      const { store, application, commandLine, listens, heard } = await twoProcesses(subject, t)
      const others: Notice[] = []
      ;(await listens())()
      await store.onNotice((notice) => others.push(notice))
      await commandLine.updateApplication(application.id, { name: 'unheard' })
      await until('the notice', () => others.length === 1)
      assert.deepEqual(heard, [])
    })
  })
}
