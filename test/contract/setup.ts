import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { COMMAND, entry } from '../../src/core/operator/audit.ts'
import { newAccount } from '../../src/core/operator/decide-operator.ts'
import { SETUP_MS, type SetupLink } from '../../src/core/operator/setup.ts'
import type { Store } from '../../src/ports/store.ts'
import { momentAt } from '../core/build.ts'
import { CREDENTIALS, done, operatorCalled, sessionOf } from './operator-accounts.ts'
import { type StoreUnderTest, siteIn } from './site.ts'

const linkOf = (hash: string, node: string | null = null, seconds = 0): SetupLink => ({
  ...{ hash, node, createdAt: momentAt(seconds), expiresAt: momentAt(seconds) + SETUP_MS },
})

/** Somebody who uses the link. */
function person(login: string) {
  const operator = operatorCalled(login, { signedInAt: momentAt(1) })
  return { account: { ...newAccount(operator), ...CREDENTIALS }, session: sessionOf(operator, 1) }
}

const uses = (store: Store, hash: string, { account, session }: ReturnType<typeof person>) =>
  store.useSetup(hash, account, session, done('setup.accepted', { subject: account.id }))

export function setupContract(subject: StoreUnderTest): void {
  suite('the address for the first administrator', () => {
    test('is one, of which the newest counts', async (t) => {
      const { store } = await siteIn(subject, t)
      assert.equal(await store.setupLink(), null)
      for (const hash of ['first', 'second']) {
        assert.deepEqual(await store.offerSetup(linkOf(hash), []), { offered: true })
      }
      assert.deepEqual(await store.setupLink(), linkOf('second'))
      assert.deepEqual(await uses(store, 'first', person('ana')), { refused: 'setup_not_found' })
      assert.deepEqual(await store.operators(), [])
    })

    test('of a running node stays when another node starts', async (t) => {
      const { store } = await siteIn(subject, t)
      await store.offerSetup(linkOf('of a', 'a'), ['a'])
      const elsewhere = { refused: 'offered_elsewhere', node: 'a', expiresAt: momentAt(0) + SETUP_MS }
      assert.deepEqual(await store.offerSetup(linkOf('of b', 'b', 5), ['a', 'b']), elsewhere)
      assert.deepEqual(await store.setupLink(), linkOf('of a', 'a'))
      assert.deepEqual(await store.offerSetup(linkOf('of b', 'b', 9), ['b']), { offered: true })
      assert.deepEqual(await store.setupLink(), linkOf('of b', 'b', 9))
    })

    test('makes one administrator, however many use it at once', async (t) => {
      const { store } = await siteIn(subject, t)
      await store.offerSetup(linkOf('link'), [])
      const people = ['ana', 'ben', 'eva'].map(person)
      const results = await Promise.all(people.map((one) => uses(store, 'link', one)))
      assert.equal(results.filter((result) => 'used' in result).length, 1)
      const first = people[results.findIndex((result) => 'used' in result)]!
      assert.deepEqual(await store.operatorByLogin(first.account.login), first.account)
      assert.equal((await store.operators()).length, 1)
      assert.notEqual(await store.operatorSession(first.session.hash), null)
      const { items } = await store.auditRows({ after: null, limit: 9 })
      assert.deepEqual(
        items.map(({ action, subject }) => [action, subject]),
        [['setup.accepted', first.account.id]],
      )
      assert.equal(await store.setupLink(), null)
      const elsewhere = await store.offerSetup(linkOf('another'), [])
      assert.deepEqual(elsewhere, { refused: 'operators_exist' })
    })

    test('makes none once an operator was added, even at the same moment', async (t) => {
      const { store } = await siteIn(subject, t)
      await store.offerSetup(linkOf('link'), [])
      const audit = entry({ at: momentAt(0), actor: COMMAND, action: 'operator.manage' })
      const [added, used] = await Promise.all([
        store.addOperator(operatorCalled('ben', { id: randomUUID() }), audit),
        uses(store, 'link', person('ana')),
      ])
      assert.deepEqual(added, { added: true })
      assert.equal((await store.operators()).length, 'used' in used ? 2 : 1)
      assert.equal(await store.setupLink(), null)
      assert.deepEqual(await uses(store, 'link', person('eva')), { refused: 'setup_not_found' })
    })
  })
}
