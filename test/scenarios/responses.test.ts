import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isoAt } from '../../src/core/ingest/event-time.ts'
import { SECOND } from '../../src/lib/durations.ts'
import { type Site, startSite } from '../harness/site.ts'
import { until } from '../harness/wait.ts'

/** What a contact sends from the tracking page, as a browser without script does. */
async function answers(site: Site, name: string, path: string): Promise<string> {
  const link = await site.phone(name).link()
  const answer = await fetch(`${link}/${path}`, { method: 'POST' })
  assert.deepEqual([answer.status, answer.url], [200, link])
  return (await answer.text()).replace(/<\/?bdi>/g, '').replaceAll('&#39;', "'")
}

async function contactEntries(site: Site): Promise<Record<string, any>> {
  const { actuators } = await site.user.openIncident()
  return Object.fromEntries(actuators.items[0].contacts.map((entry: any) => [entry.name, entry]))
}

suite('answers on the tracking page', () => {
  test('coming, then can’t: the person sees both, and the others are alarmed at once', async (t) => {
    const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { voice: false } })
    await site.user.presses()
    await site.advance('10 s')
    assert.match(await answers(site, 'Ana', 'ack?coming=30'), /you are coming, arriving around/)
    await site.user.receives('acknowledged')
    const { response, acknowledgedAt } = (await contactEntries(site)).Ana
    assert.deepEqual({ ...response, at: null }, { kind: 'coming', etaMinutes: 30, at: null })
    assert.equal(typeof acknowledgedAt, 'string')
    await site.advance('10 min')
    await site.phone('Ben').hasNothing()

    assert.match(await answers(site, 'Ana', 'decline'), /you can't help/)
    const withdrawn = (await contactEntries(site)).Ana
    assert.equal(withdrawn.response.kind, 'unable')
    assert.equal('acknowledgedAt' in withdrawn, false)
    await site.advance('0.1 s')
    await site.phone('Ben').receivesSms(/Ana can no longer help/)
    assert.equal((await site.user.openIncident()).status, 'acknowledged')
    assert.match(await answers(site, 'Ben', 'ack?calling'), /you are calling/)
  })

  test('who was woken reads that somebody is coming, and is alarmed again if nobody is', async (t) => {
    const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { voice: false, contactIntervalSeconds: 0 } })
    await site.user.presses()
    await site.advance('10 s')
    // As the message says it: on PostgreSQL `publicUrl` is set.
    const [page] = /https?:\S+\/t\/[\w-]+/.exec(await site.phone('Ben').receivesSms(/needs help/))!
    await answers(site, 'Ana', 'ack?coming=20')
    await site.advance('0.1 s')
    const news = await site
      .phone('Ben')
      .receivesSms(/^Someone is coming to .*, in about 20 min\. Please stay reachable\./)
    assert.ok(news.endsWith(`Page: ${page}`), news)
    assert.doesNotMatch(news, /Ana/)
    await site.advance('2 s')
    await answers(site, 'Ana', 'decline')
    await site.advance('0.1 s')
    await site.phone('Ben').receivesSms(/Ana can no longer help/)
  })

  test('can’t, before anybody helps: the next contact hears at once, and nothing is acknowledged', async (t) => {
    const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { voice: false } })
    await site.user.presses()
    await site.advance('10 s')
    assert.match(await answers(site, 'Ana', 'decline'), /The other contacts are being alerted/)
    await site.advance('0.1 s')
    await site.phone('Ben').receivesSms(/needs help/)
    const incident = await site.user.openIncident()
    assert.deepEqual([incident.status, incident.acknowledgedAt], ['active', null])
  })

  test('two contacts answer at once: both count, and one of them acknowledges', async (t) => {
    const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { voice: false, contactIntervalSeconds: 0 } })
    await site.user.presses()
    await site.advance('10 s')
    await Promise.all([answers(site, 'Ana', 'ack?coming=10'), answers(site, 'Ben', 'ack?calling')])
    const entries = await contactEntries(site)
    assert.deepEqual([entries.Ana.response.kind, entries.Ben.response.kind], ['coming', 'calling'])
    assert.equal((await site.user.openIncident()).status, 'acknowledged')
  })

  test('a live page shows a further press, what another contact answers, and the end', async (t) => {
    const site = await startSite(t, { contacts: ['Ana', 'Ben'], settings: { voice: false, contactIntervalSeconds: 0 } })
    await site.user.presses()
    await site.advance('10 s')
    const response = await fetch(`${await site.phone('Ben').link()}/events`)
    let text = ''
    const reads = (async () => {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part
    })()
    await until('the page is there', () => text.includes('event: page'))
    await site.user.presses({ timestamp: isoAt(site.clock.now()), latitude: 46.53711, longitude: 12.13922 })
    // Sooner than the next beat, which shows everything.
    await until('the page shows where they pressed again', () => text.includes('46.53711'), 10 * SECOND)
    await answers(site, 'Ana', 'ack?calling')
    await site.user.ends('cancel')
    // The stream ends by itself; nothing in it is more than what the page shows.
    await reads
    assert.match(text, /event: over\n/)
    // Ben has neither confirmed nor answered: he reads of the first helper, and no name.
    assert.match(text, /Someone<\/bdi> is calling/)
    assert.doesNotMatch(text, /Ana/)
    assert.doesNotMatch(text, /\+43/)
  })

  test('after the end the page says how it ended, and an answer changes nothing', async (t) => {
    const site = await startSite(t, { contacts: ['Ana'], settings: { voice: false } })
    await site.user.presses()
    await site.advance('10 s')
    await site.user.ends('resolve')
    for (const path of ['ack?coming=10', 'decline']) {
      const page = await answers(site, 'Ana', path)
      assert.match(page, /Alert ended from/)
      assert.doesNotMatch(page, /<form|<script|geo:/)
    }
    const { body } = await site.user.rest('GET', '/v1/sdk/sos/history')
    assert.equal(body.items[0].actuators.items[0].contacts[0].response, undefined)
  })
})
