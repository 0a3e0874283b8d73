import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { COMMAND, entry, OWN_APP } from '../../src/core/operator/audit.ts'
import type { AuditedChanges, AuditedName, Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { appOn, asks, invitationTo } from './enrolment.ts'
import { applicationCalled, type Site, type StoreUnderTest, siteIn } from './site.ts'

type Change = (by: AuditedChanges, site: Site) => Promise<unknown>
const elsewhere = applicationCalled('Elsewhere')
const timer = { dueAt: momentAt(8000), note: null, position: null, now: momentAt(2) }
const device = { firmwareVersion: null, hardwareModel: null, now: momentAt(1), limit: 5 }
const pairing = (appId: string, userId: string) => ({ ...device, appId, userId })
const asked = { now: momentAt(2), perDay: 10 }
const ana = { fields: { name: 'Ana', phone: '+4366012345678' }, now: momentAt(1) }
const person = { externalUserId: 'walker-1', fields: { name: 'Tom' }, now: momentAt(1) }
const tracker = { hardwareId: 'T-1', codeHash: 'hash', model: null }

/** Each change: how it is done, and how it is refused. Null: it never is. In an order in which each can be done. */
const changes: { readonly [N in AuditedName]: readonly [done: Change, refused: Change | null] } = {
  createApplication: [(by) => by.createApplication(elsewhere, 'x'), null],
  updateApplication: [
    (by, { application }) => by.updateApplication(application.id, { name: 'New' }),
    (by) => by.updateApplication('nowhere', { name: 'New' }),
  ],
  setText: [
    (by, { application }) => by.setText(application.id, 'de', 'confirm', 'Antwort:'),
    (by) => by.setText('nowhere', 'de', 'confirm', null),
  ],
  setActuator: [
    (by, { application }) => by.setActuator(application.id, 'chat', { url: 'https://a.example/', format: 'text' }, {}),
    (by) => by.setActuator('nowhere', 'chat', null, {}),
  ],
  addSecret: [
    (by, { application }) => by.addSecret(application.id, 'second', momentAt(0)),
    (by, { application }) => by.addSecret(application.id, 'third', momentAt(0)),
  ],
  retireSecret: [
    (by, { application }) => by.retireSecret(application.id),
    (by, { application }) => by.retireSecret(application.id),
  ],
  setUserDisabled: [
    (by, { application }) => by.setUserDisabled(application.id, 'hiker-1', true),
    (by, { application }) => by.setUserDisabled(application.id, 'nobody', true),
  ],
  setUserRelay: [
    (by, { application }) => by.setUserRelay(application.id, 'hiker-1', true),
    (by, { application }) => by.setUserRelay(application.id, 'nobody', true),
  ],
  updateProfile: [
    (by, { user }) => by.updateProfile(user.id, { name: 'Mia' }, momentAt(1)),
    (by) => by.updateProfile('nobody', { name: 'Mia' }, momentAt(1)),
  ],
  addPerson: [
    (by, { application }) => by.addPerson({ ...person, appId: application.id, id: 'p1' }),
    (by, { application }) => by.addPerson({ ...person, appId: application.id, id: 'p2' }),
  ],
  updatePerson: [
    (by, { user }) => by.updatePerson(user.id, { notes: 'Deaf' }, momentAt(1)),
    (by) => by.updatePerson('nobody', { notes: 'Deaf' }, momentAt(1)),
  ],
  setErasesAt: [
    (by, { user }) => by.setErasesAt(user.id, momentAt(300)),
    (by) => by.setErasesAt('nobody', momentAt(300)),
  ],
  addContact: [
    (by, { user }) => by.addContact(user.id, { ...ana, id: 'c8', limit: 9 }),
    (by, { user }) => by.addContact(user.id, { ...ana, id: 'c9', limit: 0 }),
  ],
  updateContact: [
    (by, { user }) => by.updateContact(user.id, 'c8', { name: 'Anna' }, momentAt(2)),
    (by, { user }) => by.updateContact(user.id, 'c7', { name: 'Anna' }, momentAt(2)),
  ],
  keepCard: [
    (by, { user }) => by.keepCard(user.id, { value: 'sealed', before: null, at: momentAt(2) }),
    (by, { user }) => by.keepCard(user.id, { value: 'other', before: null, at: momentAt(2) }),
  ],
  removeCard: [(by, { user }) => by.removeCard(user.id), (by, { user }) => by.removeCard(user.id)],
  reorderContacts: [
    (by, { user }) => by.reorderContacts(user.id, ['c8'], momentAt(2)),
    (by, { user }) => by.reorderContacts(user.id, ['c7'], momentAt(2)),
  ],
  removeContact: [
    (by, { user }) => by.removeContact(user.id, 'c8', momentAt(3)),
    (by, { user }) => by.removeContact(user.id, 'c8', momentAt(3)),
  ],
  unpair: [
    async (by, { application, user, store }) => {
      await store.registerHardware(application.id, [{ ...tracker, hardwareId: 'T-0' }], momentAt(0))
      await store.pair({ ...pairing(application.id, user.id), id: 'd0', hardwareId: 'T-0' })
      return by.unpair(user.id, 'd0')
    },
    (by, { user }) => by.unpair(user.id, 'd0'),
  ],
  registerHardware: [(by, { application }) => by.registerHardware(application.id, [tracker], momentAt(0)), null],
  pair: [
    (by, { application, user }) => by.pair({ ...pairing(application.id, user.id), id: 'd1', hardwareId: 'T-1' }),
    (by, { application, user }) =>
      by.pair({ ...pairing(application.id, user.id), id: 'd3', hardwareId: 'T-3', limit: 0 }),
  ],
  unpairHardware: [
    (by, { application }) => by.unpairHardware(application.id, 'T-1'),
    (by, { application }) => by.unpairHardware(application.id, 'T-1'),
  ],
  setDeviceToken: [
    async (by, { store, application, user }) => {
      await store.pair({ ...pairing(application.id, user.id), id: 'd2', hardwareId: 'T-2' })
      return by.setDeviceToken('d2', 'hash', momentAt(2))
    },
    (by) => by.setDeviceToken('nothing', 'hash', momentAt(2)),
  ],
  watchHardware: [
    (by, { application }) => by.watchHardware(application.id, 'T-1', 360),
    (by) => by.watchHardware('nowhere', 'T-1', 360),
  ],
  setTimer: [
    (by, { user }) => by.setTimer({ ...timer, id: '1', userId: user.id }),
    (by) => by.setTimer({ ...timer, id: '2', userId: 'nobody' }),
  ],
  extendTimer: [
    (by, { user }) => by.extendTimer({ userId: user.id, timerId: '1', dueAt: momentAt(9000), now: momentAt(2) }),
    (by) => by.extendTimer({ userId: 'nobody', timerId: '1', dueAt: momentAt(9000), now: momentAt(2) }),
  ],
  endTimer: [
    (by, { user }) => by.endTimer({ userId: user.id, timerId: '1', now: momentAt(3) }),
    (by) => by.endTimer({ userId: 'nobody', timerId: '1', now: momentAt(3) }),
  ],
  requestVerification: [
    async (by, { store, user }) => {
      const fields = { name: 'Ana', phone: '+436641111111' }
      const ana = await store.addContact(user.id, { id: 'c1', fields, now: momentAt(1), limit: 5 })
      assert.ok('contact' in ana)
      return by.requestVerification(user.id, ana.contact.id, { ...asked, token: 'first' })
    },
    async (by, { user }) => by.requestVerification(user.id, 'c1', { ...asked, token: 'second' }),
  ],
  setInvitedDisabled: [
    async (by, site) => {
      await appOn(site)
      const poster = invitationTo(site, { id: 'i0', hash: 'i0', kind: 'poster' })
      await site.store.inviteToApp(poster)
      return by.setInvitedDisabled(site.application.id, poster.id, { disabled: true, now: momentAt(2) })
    },
    (by) => by.setInvitedDisabled('nowhere', 'i0', { disabled: true, now: momentAt(2) }),
  ],
  inviteToApp: [
    async (by, site) => {
      await appOn(site)
      return by.inviteToApp(invitationTo(site, { id: 'i1', hash: 'i1' }))
    },
    (by, site) => by.inviteToApp(invitationTo(site, { appId: 'nowhere' })),
  ],
  endAppInvitation: [
    (by, { application }) => by.endAppInvitation(application.id, 'i1', momentAt(0)),
    (by, { application }) => by.endAppInvitation(application.id, 'i2', momentAt(0)),
  ],
  removeAppDevice: [
    async (by, site) => {
      await appOn(site)
      const invitation = invitationTo(site)
      await site.store.inviteToApp(invitation)
      const enrolled = await site.store.enrol(asks(invitation))
      assert.ok('device' in enrolled)
      return by.removeAppDevice(enrolled.user.id, enrolled.device.id, momentAt(0), momentAt(0))
    },
    (by, { user }) => by.removeAppDevice(user.id, 'nothing', momentAt(0), momentAt(0)),
  ],
}

const noted = entry({ at: momentAt(0), actor: COMMAND, action: 'application.change', details: { change: 'test' } })
const rowsOf = async (store: Store) =>
  (await store.auditRows({ after: null, limit: 100 })).items.map(({ id: _id, ...row }) => row)

export function auditedContract(subject: StoreUnderTest): void {
  suite('the audit log', () => {
    test('has a row of every change, and none of a refused one', async (t) => {
      const site = await siteIn(subject, t)
      const { store } = site
      const expected: unknown[] = []
      for (const [name, [done, refused]] of Object.entries(changes)) {
        const row = { ...noted, subject: name }
        assert.ok(!isRefused(await done(store.audited(row), site)), name)
        expected.unshift(row)
        assert.deepEqual(await rowsOf(store), expected, name)
        if (refused === null) continue
        assert.ok(isRefused(await refused(store.audited({ ...row, subject: 'refused' }), site)), name)
        assert.deepEqual(await rowsOf(store), expected, `${name}, refused`)
      }
      assert.equal((await store.application(site.application.id))?.name, 'New')
    })

    test('has a row of a change whose texts no database keeps as they are', async (t) => {
      const { store, application } = await siteIn(subject, t)
      const odd = 'a\ud800b\0c'
      const row = { ...noted, subject: odd, actor: { ...COMMAND, name: odd }, address: odd }
      const changed = await store
        .audited({ ...row, details: { text: odd, texts: [odd], more: null } })
        .updateApplication(application.id, { name: 'New' })
      assert.ok(!isRefused(changed))
      const kept = 'a\ufffdbc'
      assert.deepEqual(await rowsOf(store), [
        {
          ...row,
          subject: kept,
          actor: { ...row.actor, name: kept },
          address: kept,
          details: { text: kept, texts: [kept], more: null },
        },
      ])
    })

    test('knows when contacts or account of a user were last changed from the own session', async (t) => {
      const { store, user, application } = await siteIn(subject, t)
      assert.equal(await store.contactsChangedAt(user.id), null)
      const row = { ...noted, actor: OWN_APP, action: 'contacts.changed', appId: application.id } as const
      for (const seconds of [5, 9, 7]) await store.addAuditRow({ ...row, at: momentAt(seconds), userId: user.id })
      await store.addAuditRow({ ...row, at: momentAt(20), userId: 'another' })
      await store.addAuditRow({ ...noted, at: momentAt(30), userId: user.id })
      assert.equal(await store.contactsChangedAt(user.id), momentAt(9))
      assert.equal(await store.accountChangedAt(user.id), null)
      await store.addAuditRow({ ...row, action: 'account.changed', at: momentAt(8), userId: user.id })
      assert.equal(await store.accountChangedAt(user.id), momentAt(8))
    })

    test('has no row of a change that failed, nor the change where the row cannot be written', async (t) => {
      const { store, application } = await siteIn(subject, t)
      await assert.rejects(store.audited(noted).createApplication(application, 'x'), { name: 'StoreError' })
      const unwritable = { ...noted, actor: { kind: 'nobody', id: null, name: 'x' } as never }
      await assert.rejects(store.audited(unwritable).updateApplication(application.id, { name: 'New' }), {
        name: 'StoreError',
      })
      assert.deepEqual(await store.application(application.id), application)
      assert.deepEqual(await rowsOf(store), [])
    })

    test('has a row of an erasure with its first batch, which names nobody', async (t) => {
      const { store, application, user } = await siteIn(subject, t)
      const erased = entry({ ...noted, action: 'user.change', appId: application.id })
      assert.deepEqual(await store.eraseUser(application.id, 'nobody', 100, erased), { refused: 'user_not_found' })
      assert.deepEqual(await store.eraseUser(application.id, 'hiker-1', 100, erased), { userId: user.id, done: true })
      assert.deepEqual(await rowsOf(store), [erased])
    })
  })
}

const isRefused = (result: unknown): boolean => typeof result === 'object' && result !== null && 'refused' in result
