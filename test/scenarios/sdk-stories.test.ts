import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { effort } from '../harness/effort.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { seeded } from '../harness/random.ts'
import { onlyOnSqlite } from '../harness/site-store.ts'
import { incidentsIn, judge, newPhone, tellStory } from './sdk-stories.ts'

const stories = effort(10, 50)

suite('stories of a phone with the SDK', { skip: onlyOnSqlite('reads the file of the database') }, () => {
  test(`${stories} people press while networks, apps and the service fail`, { timeout: 240_000 }, async (t) => {
    const random = seeded()
    const site = await startProcessSite(t, { settings: { 'grace-seconds': 0.5 } })
    const people = Array.from({ length: stories }, (_, n) => newPhone(t, site, `walker-${n}`, random))
    const phones = await Promise.all(people)
    const told = Promise.all(phones.map((phone) => tellStory(phone, random)))
    await sleep(1_000 + random() * 3_000)
    await site.kill()
    await site.start()
    await told
    for (const phone of phones) await phone.settles()
    const incidents = incidentsIn(site)
    for (const phone of phones) judge(phone, incidents.get(phone.name) ?? [])
    const presses = phones.reduce((sum, phone) => sum + phone.presses.length, 0)
    t.diagnostic(`${presses} presses, ${[...incidents.values()].flat().length} incidents`)
    assert.ok(presses >= stories)
  })
})
