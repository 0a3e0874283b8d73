import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { createSecrets } from '../../../src/adapters/platform/secrets/site-secrets.ts'
import { contactCard } from '../../../src/app/answers/contact-card.ts'
import { isCardOfOtherKey, sealedCards } from '../../../src/app/user/cards.ts'
import { ownCard } from '../../../src/app/user/own-card.ts'
import type { Contact } from '../../../src/core/account/contact.ts'
import type { StoredCard } from '../../../src/ports/card-store.ts'
import type { Secrets } from '../../../src/ports/secrets.ts'
import { StoreError } from '../../../src/ports/store.ts'
import { momentAt, pressed } from '../../core/build.ts'

const MIA = { appId: 'app', userId: 'mia', externalUserId: 'mia', legacy: false, secretId: 1 }
const ANA = { id: 'contact-ana', phone: '+43000000000001', verifiedAt: 1, declinedAt: null, stoppedAt: null } as Contact

/** Cards in memory, and who opens them with which key. */
function table() {
  const cards = new Map<string, StoredCard>()
  const seen = { between: async () => {}, rows: 0 }
  const store = {
    contacts: async () => [ANA],
    card: async (userId: string) => {
      const found = cards.get(userId) ?? null
      await seen.between()
      return found
    },
    anyCard: async () => null,
    async keepCard(userId: string, card: { value: string | null; before: string | null; at: number }) {
      if ((cards.get(userId)?.value ?? null) !== card.before) return { refused: 'card_changed' } as const
      if (card.value === null) cards.delete(userId)
      else cards.set(userId, { value: card.value, updatedAt: card.at })
      return { kept: true } as const
    },
    removeCard: async (userId: string) =>
      cards.delete(userId) ? ({ removed: true } as const) : ({ refused: 'no_card' } as const),
    audited: () => {
      seen.rows += 1
      return store
    },
  }
  return { cards, store, seen }
}

async function withKey(t: TestContext, site: ReturnType<typeof table>, key: Uint8Array | null = null) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-card-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  return ownWith(site, createSecrets({ dataDir, key, isShared: false }))
}

function ownWith({ store }: ReturnType<typeof table>, secrets: Secrets) {
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  const log = { info: note, warn: note, error: note, debug: note }
  const cards = sealedCards({ store, secrets, log })
  const own = ownCard({ store: store as never, cards, clock: { now: () => momentAt(5) } })
  return { own, cards, lines, secrets }
}

// rules.md#card.
suite('a card and the key of the site', () => {
  test('with another key nothing is shown, changed or lost, and the operator reads why', async (t) => {
    const site = table()
    const first = await withKey(t, site)
    await first.own.update(MIA, { note: 'Insulin' })
    const before = site.cards.get('mia')!
    assert.equal(first.cards.concern(), null)

    const other = await withKey(t, site, new Uint8Array(32).fill(7))
    for (const asked of [other.own.read(MIA), other.own.update(MIA, { note: 'x' }), other.own.update(MIA, {})]) {
      const answer = await asked
      assert.ok('refused' in answer && answer.refused === 'card_locked', JSON.stringify(answer))
      assert.match(
        answer.why,
        /sealed with the key \S+, which TOCSIN_SECRETS_KEY is not: give this node the site's key$/,
      )
      assert.doesNotMatch(answer.why, /mia/)
    }
    assert.equal(site.cards.get('mia'), before)
    assert.equal(other.lines.length, 1, 'said once')
    assert.match(
      other.cards.concern() ?? '',
      /^cards of persons cannot be read or changed: the value of a card was sealed/,
    )
    assert.equal(isCardOfOtherKey({ userId: 'mia', value: before.value }, other.secrets), true)
    assert.equal(isCardOfOtherKey({ userId: 'mia', value: before.value }, first.secrets), false)
    assert.equal(isCardOfOtherKey(null, first.secrets), false)

    const read = await first.own.read(MIA)
    assert.equal('note' in read && read.note, 'Insulin')
    await other.own.remove(MIA)
    assert.equal(site.cards.size, 0, 'the person may remove what cannot be opened')
  })

  test('without a key of the site nothing is kept, and the operator reads why', async () => {
    const site = table()
    const secrets = createSecrets({ dataDir: '/nowhere', key: null, isShared: true })
    const { own, cards } = ownWith(site, secrets)
    const refused = await own.update(MIA, { note: 'Insulin' })
    assert.ok('refused' in refused && refused.refused === 'card_locked')
    assert.match(refused.why, /^this node has no TOCSIN_SECRETS_KEY/)
    assert.equal(site.cards.size, 0)
    assert.match(cards.concern() ?? '', /TOCSIN_SECRETS_KEY/)
    const failing = { ...secrets, seal: () => Promise.reject(new StoreError('the database is away', 'unreachable')) }
    await assert.rejects(ownWith(site, failing).own.update(MIA, { note: 'Insulin' }), StoreError)
  })

  test('no row stands in for another person’s', async (t) => {
    const site = table()
    const { own } = await withKey(t, site)
    await own.update(MIA, { note: 'Insulin' })
    site.cards.set('eva', site.cards.get('mia')!)
    const read = await own.read({ ...MIA, userId: 'eva' })
    assert.ok('refused' in read)
  })

  test('two devices that change it at once lose nothing', async (t) => {
    const site = table()
    const { own } = await withKey(t, site)
    await own.update(MIA, { note: 'Insulin' })
    let turns = 0
    site.seen.between = async () => {
      turns += 1
      if (turns === 1) await own.update(MIA, { vehicle: 'VW' })
    }
    const updated = await own.update(MIA, { yearOfBirth: 1961 })
    assert.ok('note' in updated)
    assert.deepEqual([updated.note, updated.vehicle, updated.yearOfBirth], ['Insulin', 'VW', 1961])
    let n = 0
    site.seen.between = async () => {
      n += 1
      site.cards.set('mia', { value: `${site.cards.get('mia')!.value}`, updatedAt: n })
    }
    assert.ok('note' in (await own.update(MIA, { note: 'same bytes are no change by somebody else' })))
  })

  test('an update that changes nothing writes nothing; audit rows are bounded, changes are not', async (t) => {
    const site = table()
    const { own } = await withKey(t, site)
    await own.update(MIA, { note: 'Insulin', contactIds: [ANA.id] })
    const { value } = site.cards.get('mia')!
    await own.update(MIA, { note: 'Insulin' })
    assert.equal(site.cards.get('mia')!.value, value)
    assert.equal(site.seen.rows, 1)
    for (let n = 0; n < 40; n += 1) await own.update(MIA, { note: `Insulin ${n}` })
    assert.equal(site.seen.rows, 30)
    const read = await own.read(MIA)
    assert.equal('note' in read && read.note, 'Insulin 39')
  })

  test('a page does not fail because the card cannot be read, and nothing is read for who is not coming', async (t) => {
    const site = table()
    const { own, cards } = await withKey(t, site)
    await own.update(MIA, { note: 'Insulin', contactIds: [ANA.id] })
    const sos = pressed({ contacts: ['ana'], settings: { voice: false } })
    let reads = 0
    const store = {
      contacts: async () => {
        reads += 1
        return [ANA]
      },
    }
    const seen = (opened: typeof cards.opened) => {
      const [contact] = sos.incident.contacts
      return contactCard({ store, cards: { opened } }, { ...sos.incident, userId: 'mia' }, contact!)
    }
    assert.equal(await seen(cards.opened), null)
    assert.equal(reads, 0)
    const promise = { kind: 'coming', etaMinutes: 10 } as const
    sos.runTo(15)
    sos.does(20, { type: 'acknowledge', contactId: ANA.id, promise })
    assert.equal((await seen(cards.opened))?.note, 'Insulin')
    assert.equal(await seen(() => Promise.reject(new Error('the disk is gone'))), null)
    const locked = await withKey(t, site, new Uint8Array(32).fill(7))
    assert.equal(await seen(locked.cards.opened), null)
  })
})
