import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { effort } from '../../harness/effort.ts'
import { inThread } from '../../harness/in-thread.ts'
import { nodesOnOneStore } from '../../harness/several-nodes.ts'

const once = (taken: readonly string[]) => assert.deepEqual(taken, [...new Set(taken)])

suite('several nodes', () => {
  test('each due attempt is sent once', async () => {
    const site = nodesOnOneStore(['a', 'b', 'c'], { contacts: ['Ana', 'Ben', 'Cem'] })
    await site.passes('5 min')
    once(site.taken)
    assert.deepEqual(site.taken.length, 6, 'a text and a call each')
    assert.deepEqual(site.open(), [])
  })

  test('a node that dies with a claim it has not sent is taken over, and its message sent once', async () => {
    const site = nodesOnOneStore(['a', 'b'], { contacts: ['Ana'] })
    site.fateOf('commit', 'dies')
    await site.passes('30 s')
    assert.deepEqual(
      [site.taken, site.dead()],
      [[], 1],
      'the lease of the dead node is in force, or its requests may be',
    )
    await site.passes('60 s')
    assert.equal(site.taken.filter((id) => id === site.first).length, 1)
    once(site.taken)
  })

  test('what a node has handed over before it died is looked up, not sent again', async () => {
    const site = nodesOnOneStore(['a', 'b'], { contacts: ['Ana'] })
    site.fateOf('send', 'dies')
    await site.passes('65 s')
    assert.deepEqual([site.taken, site.lookedUp], [[site.first], [site.first]])
    assert.equal(site.status(site.first), 'sent')
  })

  test('a commit that never came is made by another node within seconds', async () => {
    const site = nodesOnOneStore(['a', 'b'], { contacts: ['Ana'] })
    site.fateOf('statement', 'dies')
    await site.passes('13 s')
    assert.deepEqual(site.taken, [site.first])
  })

  test('a node that was frozen beyond its lease sends nothing of what it had claimed', async () => {
    const site = nodesOnOneStore(['a', 'b'], { contacts: ['Ana'] })
    site.fateOf('commit', 'freezes')
    await site.passes('30 s')
    assert.equal(site.thaws(), site.claimedBy[0])
    await site.passes('1 s')
    assert.deepEqual(site.taken, [])
    await site.passes('29 s')
    assert.deepEqual(site.taken, [site.first])
    once(site.taken)
  })

  test('what a living node is sending is left alone, however long it takes', async () => {
    const site = nodesOnOneStore(['a', 'b'], { contacts: ['Ana'] })
    site.fateOf('send', 'hangs')
    await site.passes('24 s')
    assert.deepEqual([site.taken, site.lookedUp], [[site.first], []])
    assert.deepEqual(site.open(), [site.first])
  })

  test('a claim whose commit was not answered is looked up and sent by its own node', async () => {
    const site = nodesOnOneStore(['a', 'b'], { contacts: ['Ana'] })
    site.fateOf('commit', 'is not answered')
    await site.passes('25 s')
    assert.deepEqual([site.lookedUp, site.taken], [[site.first], [site.first]])
    assert.deepEqual(site.lookedUpBy, [site.claimedBy[0]])
  })

  for (const knows of ['a', 'b']) {
    test(`a node that has not read yet that there is a mail server leaves mails to the one that has: ${knows}`, async () => {
      const site = nodesOnOneStore(['a', 'b'], { contacts: ['Ana'], mailed: ['Ana'], mailOn: [knows] })
      await site.passes('3 min')
      assert.deepEqual(
        site.mails.map(({ node, id }) => [node, site.status(id)]),
        [[knows, 'sent']],
      )
      once(site.taken)
    })
  }

  test('a mail that no node can send is tried again, and its failure shows', async () => {
    const site = nodesOnOneStore(['a', 'b'], { contacts: ['Ana'], mailed: ['Ana'] })
    await site.passes('5 min')
    const mail = site.wanted().find(({ channel }) => channel === 'email')
    assert.deepEqual([mail?.status, mail?.error], ['scheduled', 'no provider for mails'])
    assert.ok(mail!.tries >= 2)
    once(site.taken)
  })

  test('where the provider cannot be asked, what a node had handed over goes out once more at most', async () => {
    const site = nodesOnOneStore(['a', 'b'], { contacts: ['Ana'], canBeAsked: false })
    site.fateOf('send', 'dies')
    await site.passes('3 min')
    assert.equal(site.taken.filter((id) => id === site.first).length, 2)
  })

  test('a drained node claims nothing, and its share is sent in time', async () => {
    const site = nodesOnOneStore(['a', 'b'], { contacts: ['Ana', 'Ben', 'Cem'] })
    site.drains('a')
    await site.passes('5 min')
    assert.deepEqual([site.sentBy('a'), site.taken.length], [[], 6])
  })

  test('a node without a lease claims nothing, and goes on when it has one again', async () => {
    const site = nodesOnOneStore(['a'], { contacts: ['Ana'] })
    site.losesTheDatabaseOfLeases('a', true)
    await site.passes('60 s')
    assert.deepEqual(site.taken, [])
    site.losesTheDatabaseOfLeases('a', false)
    await site.passes('6 s')
    assert.deepEqual(site.taken, [site.first])
  })

  test('whatever happens to two of three nodes, every message is sent, and once', (t) =>
    inThread(new URL('several-nodes-at-random.ts', import.meta.url), effort(12, 1000), t.signal))
})
