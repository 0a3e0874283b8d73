import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { effort } from '../harness/effort.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { seeded } from '../harness/random.ts'
import { onlyOnSqlite } from '../harness/site-store.ts'
import { incidentsIn, judge, tellStory } from './sdk-stories.ts'

const stories = effort(10, 50)

suite('stories of a phone with the SDK', { skip: onlyOnSqlite('reads the file of the database') }, () => {
  test(`${stories} people press while networks, apps and the service fail`, { timeout: 240_000 }, async (t) => {
    const random = seeded()
    const site = await startProcessSite(t, { settings: { 'grace-seconds': 0.5 } })
    const telling = Promise.all(Array.from({ length: stories }, (_, n) => tellStory(t, site, `walker-${n}`, random)))
    await sleep(2_000 + random() * 1_000)
    await site.kill()
    await site.start()
    const phones = await telling
    for (const phone of phones) await phone.settles()
    const incidents = incidentsIn(site)
    for (const phone of phones) judge(phone, incidents.get(phone.name) ?? [])
    const presses = phones.reduce((sum, phone) => sum + phone.presses.length, 0)
    t.diagnostic(`${presses} presses, ${[...incidents.values()].flat().length} incidents`)
    assert.ok(presses >= stories)
  })
})
