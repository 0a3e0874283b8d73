import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CANARY_APP_ID, CANARY_CONTACT_ID, canaryApplication } from '../../src/core/account/canary.ts'
import { momentAt } from '../core/build.ts'
import { incidentOf, type StoreUnderTest, siteIn } from './site.ts'

const ALL = { after: null, limit: 50 }
const ANY = { state: 'all', statuses: null, applications: null, from: null, to: null, text: null } as const

export function canaryContract(subject: StoreUnderTest): void {
  suite('the canary', () => {
    test('is sent for and can be erased, but stands in no list, figure or outbox of the operator', async (t) => {
      const site = await siteIn(subject, t, { contacts: ['Ana'] })
      const { store, user } = site
      const application = canaryApplication(momentAt(-1000))
      await store.createApplication(application, 'x')
      assert.deepEqual(await store.application(CANARY_APP_ID), application)
      const canary = await site.newUser('canary-1', CANARY_APP_ID)
      const { id, contacts } = incidentOf(await canary.presses(0))
      assert.equal(contacts[0]?.contactId, CANARY_CONTACT_ID)
      const message = { channel: 'sms', to: '+99900000000', text: 'help', createdAt: momentAt(1) } as const
      await store.addToOutbox({ attemptId: `${id}.1`, incidentId: id, contactId: CANARY_CONTACT_ID, ...message })
      const real = incidentOf(await user.presses(0)).id
      await store.addToOutbox({ attemptId: `${real}.1`, incidentId: real, contactId: 'ana', ...message })

      const { real: due } = await store.due(momentAt(3600), 10)
      assert.ok(due.includes(id))
      assert.notEqual(await store.openIncident(canary.id), null)
      assert.notEqual(await store.outboxMessage(`${id}.1`), null)

      assert.deepEqual(
        (await store.applications()).map(({ name }) => name),
        ['Hut'],
      )
      const incidents = async (openOnly: boolean) =>
        (await store.incidents({ openOnly })).map(({ incident }) => incident.id)
      assert.deepEqual(await incidents(true), [real])
      assert.deepEqual(await incidents(false), [real])
      assert.deepEqual(await store.incidentIds(id, 10), [])
      assert.deepEqual(
        (await store.board(ANY, ALL)).items.map(({ incident }) => incident.id),
        [real],
      )
      assert.deepEqual((await store.board({ ...ANY, applications: [CANARY_APP_ID] }, ALL)).items, [])
      assert.equal(await store.boardRecord(id), null)
      assert.deepEqual((await store.figures()).openIncidents, { active: 1, acknowledged: 0 })
      const query = { appIds: null, text: null, ...ALL }
      assert.deepEqual(
        (await store.userPage(query)).items.map(({ externalUserId }) => externalUserId),
        ['hiker-1'],
      )
      const outbox = [`${real}.1`]
      assert.deepEqual(
        (await store.outbox({ incidentId: null })).map(({ attemptId }) => attemptId),
        outbox,
      )
      assert.deepEqual(
        (await store.outboxPage(query)).items.map(({ attemptId }) => attemptId),
        outbox,
      )

      await canary.does(5, { type: 'cancel' })
      assert.deepEqual(await store.eraseUser(CANARY_APP_ID, 'canary-1', 1000), { userId: canary.id, done: true })
      assert.equal(await store.incident(id), null)
      assert.equal(await store.outboxMessage(`${id}.1`), null)
    })

    test('nobody changes its application', async (t) => {
      const { store } = await siteIn(subject, t)
      const application = canaryApplication(momentAt(-1000))
      await store.createApplication(application, 'x')
      const refused = { refused: 'application_not_found' }
      assert.deepEqual(await store.updateApplication(CANARY_APP_ID, { disabled: false }), refused)
      const url = { url: 'https://chat.example/', format: 'text' } as const
      assert.deepEqual(await store.setActuator(CANARY_APP_ID, 'chat', url, {}), refused)
      assert.deepEqual(await store.setText(CANARY_APP_ID, 'en', 'alarm', 'x'), refused)
      assert.deepEqual(await store.addSecret(CANARY_APP_ID, 'mine', momentAt(0)), refused)
      assert.deepEqual(await store.application(CANARY_APP_ID), application)
    })
  })
}
