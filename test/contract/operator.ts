import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { momentAt } from '../core/build.ts'
import { applicationCalled, type StoreUnderTest, siteIn } from './site.ts'

const nowhere = { refused: 'application_not_found' }

export function operatorContract(subject: StoreUnderTest): void {
  suite('the operator', () => {
    test('creates applications and finds them again', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const second = applicationCalled('Elsewhere', {
        settings: { graceSeconds: 0.5, httpBackoffSeconds: [1, 2] },
        actuators: { webhook: { url: 'https://hook.example/', secret: 's' } },
      })
      await store.createApplication({ ...second, createdAt: application.createdAt + 1, legacy: true }, 'x')
      const stored = { ...second, createdAt: application.createdAt + 1, legacy: true }
      assert.deepEqual(await store.applications(), [application, stored])
      assert.deepEqual(await store.application(second.id), stored)
      assert.equal(await store.application('nowhere'), null)
      await assert.rejects(store.createApplication(second, 'x'), { name: 'StoreError', kind: 'fault' })
    })

    test('changes only the given fields', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const updated = await store.updateApplication(application.id, { language: 'it', legacy: true })
      assert.deepEqual(updated, { ...application, language: 'it', legacy: true })
      assert.deepEqual(await store.application(application.id), updated)
      assert.deepEqual(await store.updateApplication('nowhere', { name: 'x' }), nowhere)
    })

    test('stores the country prefixes and texts of an application, and removes them', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const { id } = application
      const limited = await store.updateApplication(id, { allowedPrefixes: ['+43', '+49'] })
      assert.deepEqual(limited, { ...application, allowedPrefixes: ['+43', '+49'] })
      await store.setText(id, 'de', 'alarm', 'Hilfe für {who}!')
      await store.setText(id, 'en', 'confirm', 'Answer:')
      const texts = { de: { alarm: 'Hilfe für {who}!' }, en: { confirm: 'Answer:' } }
      assert.deepEqual(await store.application(id), { ...application, allowedPrefixes: ['+43', '+49'], texts })
      await store.setText(id, 'de', 'alarm', null)
      await store.setText(id, 'en', 'confirm', null)
      await store.updateApplication(id, { allowedPrefixes: [] })
      assert.deepEqual(await store.application(id), application)
      assert.deepEqual(await store.setText('nowhere', 'de', 'alarm', null), nowhere)
    })

    test('sets and removes actuators, with their settings merged', async (t) => {
      const { store, application } = await siteIn(subject, t, { settings: { rounds: 3 } })
      const { id } = application
      await store.setActuator(id, 'chat', { url: 'https://chat.example/', format: 'slack' }, { httpAttempts: 2 })
      const set = await store.setActuator(id, 'emergency_contacts', { httpUrl: 'https://gw.example/' }, { rounds: 4 })
      assert.deepEqual(set, {
        ...application,
        actuators: {
          chat: { url: 'https://chat.example/', format: 'slack' },
          emergency_contacts: { httpUrl: 'https://gw.example/' },
        },
        settings: { rounds: 4, httpAttempts: 2 },
      })
      const removed = await store.setActuator(id, 'chat', null, {})
      assert.deepEqual('actuators' in removed && Object.keys(removed.actuators), ['emergency_contacts'])
      assert.deepEqual(await store.application(id), removed)
      assert.deepEqual(await store.setActuator('nowhere', 'chat', null, {}), nowhere)
    })

    test('rotates secrets: two at a time, then the older one is retired', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const { id } = application
      const secrets = async () => (await store.admittingApplication(id))!.secrets
      const [first] = await secrets()
      assert.deepEqual(await store.retireSecret(id), { refused: 'only_one_secret' })
      assert.deepEqual(await store.addSecret(id, 'second', momentAt(0)), { added: true })
      assert.deepEqual(await store.addSecret(id, 'third', momentAt(0)), { refused: 'two_secrets_already' })
      assert.deepEqual(await store.retireSecret(id), { retired: true })
      assert.deepEqual(
        (await secrets()).map(({ secret }) => secret),
        ['second'],
      )
      await store.addSecret(id, 'third', momentAt(1))
      await store.retireSecret(id)
      await store.addSecret(id, 'fourth', momentAt(2))
      const now = await secrets()
      assert.deepEqual(
        now.map(({ secret }) => secret),
        ['third', 'fourth'],
      )
      assert.ok(
        now.every((one) => one.id > first!.id),
        'ids are never given twice',
      )
      assert.deepEqual(await store.addSecret('nowhere', 'x', momentAt(0)), nowhere)
      assert.deepEqual(await store.retireSecret('nowhere'), nowhere)
    })
  })
}
