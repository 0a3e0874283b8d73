import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { suite, test } from 'node:test'
import { DAY, HOUR, MINUTE } from '../../../../src/lib/durations.ts'
import { Problem } from '../../../harness/acme-ca.ts'
import { DOMAIN, type SiteOfCa, sealingWith, siteOfCa } from './site-of-ca.ts'

const gets = async (site: SiteOfCa): Promise<void> => {
  const before = site.renewed
  await site.until('there is a certificate', () => site.renewed > before)
}

const fails = async (site: SiteOfCa): Promise<string> => {
  const { failures } = (await site.kept()).attempts
  await site.until('an attempt fails', async () => (await site.kept()).attempts.failures > failures)
  return (await site.kept()).attempts.problem!
}

suite('the certificate from the CA', () => {
  test('is got soon after the start, with nothing left behind, and every secret is sealed', async (t) => {
    const site = await siteOfCa(t)
    site.node()
    await gets(site)
    const { account, certificate, order, challenges, attempts } = await site.kept()
    assert.deepEqual([certificate?.domains, order, challenges], [[DOMAIN], null, []])
    assert.deepEqual([attempts.failures, attempts.problem, attempts.orders.length], [0, null, 1])
    const leaf = new X509Certificate(certificate!.cert)
    assert.ok(leaf.verify(new X509Certificate(site.ca.authority.cert).publicKey))
    assert.ok(account!.url!.startsWith(site.ca.url))
    for (const name of ['account', 'certificate']) assert.match(site.store.rows.get(name)!.value, /^key\|/)
    assert.doesNotMatch([...site.store.rows.values()].map(({ value }) => value).join(), /PRIVATE KEY/)
  })

  test('is renewed after two thirds of its life, and not before', async (t) => {
    const site = await siteOfCa(t)
    site.node()
    await gets(site)
    const first = (await site.kept()).certificate!
    await site.passes(59 * 24)
    assert.equal(site.ca.orders.size, 1)
    await site.passes(2 * 24)
    assert.deepEqual([site.ca.orders.size, site.ca.accounts.size, site.renewed], [2, 1, 2])
    const second = (await site.kept()).certificate!
    assert.ok(second.to > first.to)
    assert.notEqual(second.key, first.key)
  })

  test('is replaced when it lacks a domain', async (t) => {
    const site = await siteOfCa(t)
    const node = site.node()
    await gets(site)
    await node.stop()
    site.node({ domains: [DOMAIN, 'mqtt.example.org'] })
    await gets(site)
    assert.deepEqual((await site.kept()).certificate!.domains, [DOMAIN, 'mqtt.example.org'])
  })

  test('is replaced when it is from another CA, such as the staging directory', async (t) => {
    const site = await siteOfCa(t)
    const node = site.node()
    await gets(site)
    await node.stop()
    site.node({ directory: site.ca.otherDirectory })
    await gets(site)
    assert.equal((await site.kept()).certificate!.directory, site.ca.otherDirectory)
    assert.equal(site.ca.accounts.size, 2)
  })

  test('is not ordered by a node that does not act for the site', async (t) => {
    const site = await siteOfCa(t)
    site.node({ mayRun: () => false })
    await site.passes(2)
    assert.deepEqual(site.ca.steps, [])
  })
})

suite('an order', () => {
  test('goes on after a restart in its middle', async (t) => {
    const site = await siteOfCa(t)
    site.ca.decides = false
    const node = site.node()
    await site.until('the CA has the answer', () => site.ca.count('challenge') > 0)
    await node.stop()
    assert.notEqual((await site.kept()).order, null)
    site.ca.decides = true
    site.node()
    await gets(site)
    assert.deepEqual([site.ca.orders.size, site.ca.accounts.size], [1, 1])
    assert.equal((await site.kept()).attempts.orders.length, 1)
  })

  test('that the CA works on for too long goes on at the next attempt', async (t) => {
    const site = await siteOfCa(t)
    site.ca.decides = false
    site.node()
    assert.match(await fails(site), /has not decided within 10 min; the order goes on later/)
    site.ca.decides = true
    await site.passes(2)
    assert.deepEqual([site.renewed, site.ca.orders.size], [1, 1])
  })

  test('whose proof the CA does not accept is given up, and told', async (t) => {
    const site = await siteOfCa(t)
    site.answerOf = async () => 'something else'
    site.node()
    assert.match(await fails(site), /^the CA found another answer at the domain: let the domain lead here/)
    const { order, challenges } = await site.kept()
    assert.deepEqual([order, challenges], [null, []])
  })

  test('is given up where the CA asks for a proof of a name that is not of this site', async (t) => {
    const site = await siteOfCa(t)
    const shown: string[] = []
    const show = async (domain: string): Promise<void> => void shown.push(domain)
    site.ca.interfere = (step, response) => {
      if (step !== 'authorization') return false
      const identifier = { type: 'dns', value: '../other.example' }
      const challenge = { type: 'dns-01', url: `${site.ca.url}/challenge/1/2`, token: 'x'.repeat(20) }
      response.end(JSON.stringify({ identifier, status: 'pending', challenges: [challenge] }))
      return true
    }
    site.node({ proving: { kind: 'dns-01', look: async () => null, show, hide: show } })
    assert.match(await fails(site), /asks for a proof of a name that was not ordered: \.\.\/other\.example$/)
    assert.deepEqual(shown, [])
  })

  test('that ends in a certificate of no use is given up', async (t) => {
    const site = await siteOfCa(t)
    site.ca.interfere = (step, response) => {
      if (step !== 'certificate') return false
      response.end(site.ca.authority.cert)
      return true
    }
    site.node()
    assert.match(await fails(site), /issued a certificate of no use: its key does not match/)
    assert.equal((await site.kept()).certificate, null)
  })

  test('is not made twice because the CA has forgotten it', async (t) => {
    const site = await siteOfCa(t)
    site.ca.decides = false
    const node = site.node()
    await site.until('the CA has the answer', () => site.ca.count('challenge') > 0)
    await node.stop()
    site.ca.orders.clear()
    site.ca.decides = true
    site.node()
    await gets(site)
    assert.equal((await site.kept()).attempts.orders.length, 2)
  })
})

suite('an attempt that fails', () => {
  test('is repeated after an hour, six hours and each day, and stops nothing', async (t) => {
    const site = await siteOfCa(t)
    site.ca.interfere = () => Promise.reject(new Problem('serverInternal', 'down', 500))
    site.node()
    assert.match(await fails(site), /refused: down/)
    const waits: number[] = []
    for (let n = 0; n < 4; n += 1) {
      const { nextAt, failures } = (await site.kept()).attempts
      waits.push(Math.round((nextAt - site.clock.now()) / HOUR))
      while ((await site.kept()).attempts.failures === failures) await site.passes(1)
    }
    assert.deepEqual(waits, [1, 6, 24, 24])
  })

  test('is repeated at once when the operator says so', async (t) => {
    const site = await siteOfCa(t)
    site.ca.interfere = () => Promise.reject(new Problem('serverInternal', 'down', 500))
    const node = site.node()
    await fails(site)
    site.ca.interfere = () => {}
    node.tryNow()
    await site.until('there is a certificate', () => site.renewed === 1, 20)
  })

  test('does not put off one for other names, or at another CA, or one for which a wrong clock noted the moment', async (t) => {
    const site = await siteOfCa(t)
    site.ca.interfere = () => Promise.reject(new Problem('serverInternal', 'down', 500))
    const attemptsOf = async (more: Parameters<SiteOfCa['node']>[0]): Promise<void> => {
      const { failures, ...others } = (await site.kept()).attempts
      await site.records().keepAttempts({ ...others, failures: 3, nextAt: site.clock.now() + DAY })
      const steps = site.ca.steps.length
      const node = site.node(more)
      await site.until('the CA is asked', () => site.ca.steps.length > steps, 60)
      await site.until('an attempt fails', async () => (await site.kept()).attempts.nextAt < site.clock.now() + DAY)
      await node.stop()
    }
    await attemptsOf({})
    await attemptsOf({ domains: [DOMAIN, 'mqtt.example.org'] })
    await attemptsOf({ directory: site.ca.otherDirectory })
    const { attempts } = await site.kept()
    const inYears = site.clock.now() + 1000 * DAY
    await site.records().keepAttempts({
      ...attempts,
      nextAt: inYears,
      notBefore: inYears,
      blindAt: inYears,
      orders: Array.from({ length: 5 }, () => inYears),
    })
    site.ca.interfere = () => {}
    site.astray = { problem: 'another answer', isCertain: false }
    site.node({ directory: site.ca.otherDirectory })
    await gets(site)
  })

  test('leaves a CA alone that asks for it, whatever the operator says', async (t) => {
    const site = await siteOfCa(t)
    site.ca.interfere = () => Promise.reject(new Problem('rateLimited', 'too many', 429, { 'retry-after': '172800' }))
    const node = site.node()
    assert.match(await fails(site), /^the limit of the CA is reached/)
    const steps = site.ca.steps.length
    site.ca.interfere = () => {}
    node.tryNow()
    await site.passes(47)
    assert.equal(site.ca.steps.length, steps)
    await site.passes(2)
    assert.equal(site.renewed, 1)
  })

  test('makes five orders a day at most, whatever the operator says', async (t) => {
    const site = await siteOfCa(t)
    site.answerOf = async () => null
    const node = site.node()
    await fails(site)
    for (let n = 0; n < 8; n += 1) {
      node.tryNow()
      await site.until('it was tried', () => site.clock.pending > 0)
      await site.passes(1)
    }
    assert.equal(site.ca.orders.size, 5)
    assert.match((await site.kept()).attempts.problem!, /^5 orders in a day are enough/)
    await site.passes(24)
    assert.ok(site.ca.orders.size > 5)
  })

  test('costs no order where the domain cannot lead here, and is repeated soon', async (t) => {
    const site = await siteOfCa(t)
    site.astray = { problem: 'sos.example.org: name not found: add a record', isCertain: true }
    site.node()
    assert.equal(await fails(site), site.astray.problem)
    const { nextAt } = (await site.kept()).attempts
    assert.equal(Math.round((nextAt - site.clock.now()) / MINUTE), 10)
    await site.passes(30)
    assert.deepEqual(site.ca.steps, [])
    site.astray = null
    await site.passes(2)
    assert.equal(site.renewed, 1)
  })

  test('costs one order a day where the site does not find itself, and tells both', async (t) => {
    const site = await siteOfCa(t)
    site.astray = { problem: 'http://sos.example.org gives another answer', isCertain: false }
    site.answerOf = async () => null
    site.node()
    assert.match(await fails(site), /^the CA found another answer.*did not find itself there either: http:/)
    await site.passes(20)
    assert.equal(site.ca.orders.size, 1)
    await site.passes(10)
    assert.equal(site.ca.orders.size, 2)
  })

  test('does not keep a site from its certificate that only its own router hides from it', async (t) => {
    const site = await siteOfCa(t)
    site.astray = { problem: 'http://sos.example.org gives another answer', isCertain: false }
    site.node()
    await gets(site)
  })
})

suite('the operators', () => {
  test('are told once, 14 days before the end, and see it until it is over', async (t) => {
    const site = await siteOfCa(t)
    site.node()
    await gets(site)
    assert.equal(site.concern(await site.kept()), null)
    site.ca.interfere = () => Promise.reject(new Problem('serverInternal', 'down', 500))
    await site.passes(75 * 24)
    assert.deepEqual(site.told, [])
    await site.passes(2 * 24)
    assert.equal(site.told.length, 1)
    assert.match(
      site.told[0]!,
      /^the certificate for sos\.example\.org ends on .*its renewal fails: 127.*refused: down$/,
    )
    assert.equal(site.concern(await site.kept()), site.told[0])
    await site.passes(3 * 24)
    assert.equal(site.told.length, 1)
    site.ca.interfere = () => {}
    await site.passes(25)
    assert.equal(site.concern(await site.kept()), null)
  })

  test('are told later of a certificate that lives a week only', async (t) => {
    const site = await siteOfCa(t, 6 * DAY)
    site.node()
    await gets(site)
    await site.passes(3 * 24)
    assert.equal(site.concern(await site.kept()), null)
  })

  test('see why there is none yet, and when it is tried again', async (t) => {
    const site = await siteOfCa(t)
    assert.equal(site.concern(await site.kept()), null)
    site.astray = { problem: 'no such name', isCertain: true }
    site.node()
    await fails(site)
    assert.match(
      site.concern(await site.kept())!,
      /^there is no certificate from the CA yet.*: no such name; the next attempt is on 2026-03-01T12:1\d/,
    )
  })

  test('see that a certificate does not cover a new name yet, and why', async (t) => {
    const site = await siteOfCa(t)
    const node = site.node()
    await gets(site)
    await node.stop()
    site.astray = { problem: 'no such name', isCertain: true }
    const domains = [DOMAIN, 'mqtt.example.org']
    site.node({ domains })
    await fails(site)
    assert.match(
      site.concern(await site.kept(), { domains })!,
      /^the certificate does not cover mqtt\.example\.org yet: no such name; the next attempt/,
    )
    assert.match(
      site.concern(await site.kept(), { directory: 'https://x', domains: [DOMAIN] }) ?? 'nothing was tried there yet',
      /^nothing was tried there yet$/,
    )
  })
})

suite('the key of the site', () => {
  test('that is another one on this node keeps it from ordering: another node may have the right one', async (t) => {
    const site = await siteOfCa(t)
    const node = site.node()
    await gets(site)
    await node.stop()
    const other = sealingWith('another')
    const astray = site.node({ secrets: other, isAlone: false, domains: ['new.example.org'] })
    await site.passes(2)
    await astray.stop()
    assert.equal(site.ca.orders.size, 1)
    assert.match(site.concern(await site.records(other).read())!, /another key/)
    // A node alone has lost the former key.
    site.answerOf = site.answering(other)
    site.node({ secrets: other })
    await gets(site)
    assert.equal((await site.records(other).read()).trouble, null)
  })

  test('that is missing keeps it from ordering', async (t) => {
    const site = await siteOfCa(t)
    site.node({ secrets: sealingWith(null) })
    await site.passes(2)
    assert.deepEqual(site.ca.steps, [])
  })
})
