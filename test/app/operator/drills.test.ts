import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncidentDoor } from '../../../src/app/incident-door.ts'
import { operatorDrills } from '../../../src/app/operator/drills.ts'
import type { Contact } from '../../../src/core/account/contact.ts'
import type { User } from '../../../src/core/account/profile.ts'
import { fallbackEntry } from '../../../src/core/incident/alarm-plan.ts'
import { decide } from '../../../src/core/incident/decide.ts'
import type { Incident } from '../../../src/core/incident/incident.ts'
import { COMMAND } from '../../../src/core/operator/audit.ts'
import { momentAt, planOf } from '../../core/build.ts'

const DESK = '+436640000001'

/** An application whose users all name the same desk, and each one person besides. */
function siteOf(count: number, { isFallback = false } = {}) {
  const users = Array.from({ length: count }, (_, n) => ({
    id: `u${n}`,
    appId: 'hut',
    externalUserId: `mia-${n}`,
    disabled: false,
  }))
  const drills: Incident[] = []
  const ownPhone = (userId: string) => ({ phone: `+43664${userId.slice(1).padStart(7, '9')}` })
  const contactsOf = (userId: string) => (isFallback ? [ownPhone(userId)] : [{ phone: DESK }, ownPhone(userId)])
  const fallbackContact = isFallback ? { name: 'Desk', phone: DESK } : null
  const desk = isFallback ? [fallbackEntry('hut', fallbackContact!, { language: 'en', ahead: 1 })] : []
  let made = 0
  const door: Pick<IncidentDoor, 'change'> = {
    async change(key, command) {
      const userId = 'openOf' in key ? key.openOf : null
      const at = drills.findIndex(({ id }) => 'incidentId' in key && id === key.incidentId)
      const contacts = userId === null ? [] : planOf({ contacts: ['Ana', 'Ben'] }).contacts
      const phones = userId === null ? [] : contactsOf(userId)
      const plan = {
        ...planOf({}),
        userId: userId ?? '',
        externalUserId: users.find(({ id }) => id === userId)?.externalUserId ?? '',
        appId: 'hut',
        contacts: [...contacts.slice(0, phones.length).map((one, n) => ({ ...one, ...phones[n] })), ...desk],
      }
      const decision = decide({ incident: drills[at] ?? null, plan }, command)
      if (at >= 0) drills[at] = decision.incident!
      else if (decision.incident !== null) drills.unshift(decision.incident)
      return decision as never
    },
  }
  const store = {
    application: async () => ({ disabled: false, fallbackContact }) as never,
    userPage: async () => ({ items: users as unknown as User[], after: null }),
    userByExternalId: async (_: string, external: string) =>
      (users.find((one) => one.externalUserId === external) ?? null) as never,
    contacts: async (userId: string) => contactsOf(userId) as unknown as readonly Contact[],
    incident: async () => null,
    attempts: async () => [],
    async drills({
      userId,
      since,
      limit,
      isOpen = false,
    }: {
      userId: string | null
      since: number
      limit: number
      isOpen?: boolean
    }) {
      return drills
        .filter((one) => (userId === null || one.userId === userId) && one.openedAt >= since)
        .filter((one) => !isOpen || one.state.closedAt === null)
        .slice(0, limit)
    },
  }
  const ids = { uuid: () => `drill-${made++}`, secret: () => 'secret' }
  return {
    opened: drills,
    drills: operatorDrills({ store, door, ids }),
    by: (seconds: number) => ({ actor: COMMAND, address: null, now: momentAt(seconds) }),
  }
}

const everybody = (toContacts: boolean) => ({ externalUserId: null, toContacts })

// preparing.md#drills.
test('a start for many users does not ring one phone for all of them', async () => {
  const { drills, by } = siteOf(8)
  const first = await drills.start('hut', everybody(true), by(0))
  assert.ok('started' in first)
  assert.deepEqual(
    first.started.map(({ userId }) => userId),
    ['u0', 'u1', 'u2'],
  )
  assert.deepEqual(
    first.passedOver.map(({ reason }) => reason),
    Array(5).fill('drilled_lately'),
  )
  const later = await drills.start('hut', { externalUserId: 'mia-5', toContacts: true }, by(3_601))
  assert.ok('started' in later && later.started.length === 1, 'an hour later')
})

test('nor does it ring the fallback contact of all of them, who keeps nobody else from theirs', async () => {
  const { drills, opened, by } = siteOf(8, { isFallback: true })
  const { started } = (await drills.start('hut', everybody(true), by(0))) as { started: readonly unknown[] }
  assert.equal(started.length, 8)
  const ringing = opened.filter(({ contacts }) => contacts.some(({ phone }) => phone === DESK))
  assert.equal(ringing.length, 3)
})

test('exercises to the outbox ring no phone, and none is passed over for it', async () => {
  const { drills, by } = siteOf(8)
  const { started } = (await drills.start('hut', everybody(false), by(0))) as { started: readonly unknown[] }
  assert.equal(started.length, 8)
})

test('of many that are open, the one of a user is ended', async () => {
  const { drills, by } = siteOf(120)
  for (let n = 0; n < 120; n += 1) {
    await drills.start('hut', { externalUserId: `mia-${n}`, toContacts: false }, by(0))
  }
  const more = await drills.end('hut', 'mia-0', by(1))
  assert.deepEqual(
    more.map(({ externalUserId }) => externalUserId),
    ['mia-0'],
  )
  assert.equal((await drills.end('hut', null, by(2))).length, 119)
})
