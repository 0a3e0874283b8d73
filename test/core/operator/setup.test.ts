import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newAccount } from '../../../src/core/operator/decide-operator.ts'
import type { Operator } from '../../../src/core/operator/operator.ts'
import type { NewSession } from '../../../src/core/operator/session.ts'
import {
  decideOfferSetup,
  decideUseSetup,
  isInForce,
  SETUP_MS,
  type SetupLink,
} from '../../../src/core/operator/setup.ts'
import { HOUR } from '../../../src/lib/durations.ts'
import { momentAt } from '../build.ts'

const NOW = momentAt(0)
const linkOf = (node: string | null, createdAt = NOW): SetupLink => ({
  ...{ hash: `hash of ${node}`, node, createdAt, expiresAt: createdAt + SETUP_MS },
})

test('a link works for a day, and not at all when a fast clock has stamped it', () => {
  const link = linkOf(null)
  for (const [at, works] of [
    [NOW, true],
    [NOW + SETUP_MS - 1, true],
    [NOW + SETUP_MS, false],
    [NOW - HOUR, true],
    [NOW - HOUR - 1, false],
  ] as const) {
    assert.equal(isInForce(link, at), works, String(at - NOW))
  }
})

test('a new link replaces the one before, but not that of another running node', () => {
  const earlier = NOW - HOUR
  const offer = (
    operators: number,
    link: SetupLink | null,
    running: readonly string[] = [],
    node: string | null = 'b',
  ) => decideOfferSetup({ operators, link }, linkOf(node), running)
  const kept = { keep: linkOf('b') }
  const elsewhere = { refused: 'offered_elsewhere', node: 'a', expiresAt: earlier + SETUP_MS }
  for (const [what, decided, expected] of [
    ['the first', offer(0, null), kept],
    ['an operator exists', offer(1, null), { refused: 'operators_exist' }],
    ['an operator exists, and a link does, too', offer(1, linkOf('b', earlier)), { refused: 'operators_exist' }],
    ['its own', offer(0, linkOf('b', earlier), ['a', 'b']), kept],
    ['that of a running node', offer(0, linkOf('a', earlier), ['a', 'b']), elsewhere],
    ['that of a node that is gone', offer(0, linkOf('a', earlier), ['b']), kept],
    ['an expired one of a running node', offer(0, linkOf('a', NOW - SETUP_MS), ['a', 'b']), kept],
    ['one of when there was one process', offer(0, linkOf(null, earlier), ['a', 'b']), kept],
    ['one process', offer(0, linkOf(null, earlier), [], null), { keep: linkOf(null) }],
  ] as const) {
    assert.deepEqual(decided, expected, what)
  }
})

test('a link is used by one person, as long as nobody is an operator', () => {
  const ana: Operator = {
    ...{ id: 'ana', login: 'ana', name: 'Ana', role: 'admin', applications: null, disabled: false },
    ...{ createdAt: NOW, updatedAt: NOW, signedInAt: NOW },
  }
  const account = newAccount(ana)
  const link = linkOf('a', NOW - HOUR)
  const use = (given: { operators?: number; link?: SetupLink | null; hash?: string; at?: number }) => {
    const session = { id: 's', createdAt: given.at ?? NOW } as NewSession
    const situation = { operators: given.operators ?? 0, link: given.link === undefined ? link : given.link }
    return decideUseSetup(situation, given.hash ?? link.hash, account, session)
  }
  assert.deepEqual(use({}), { insert: account, open: { id: 's', createdAt: NOW }, result: { used: true } })
  const refused = { refused: 'setup_not_found' }
  assert.deepEqual(use({ operators: 1 }), refused)
  assert.deepEqual(use({ link: null }), refused)
  assert.deepEqual(use({ hash: 'another' }), refused)
  assert.deepEqual(use({ at: NOW - HOUR + SETUP_MS }), refused)
})
