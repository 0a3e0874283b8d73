import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { effort } from '../harness/effort.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { seeded } from '../harness/random.ts'
import { onlyOnSqlite } from '../harness/site-store.ts'
import { incidentsIn, judge, newPerson, tellStory } from './sdk-stories.ts'

const stories = effort(10, 50)

suite('stories of a phone with the SDK', { skip: onlyOnSqlite('reads the file of the database') }, () => {
  test(`${stories} people press while networks, apps and the service fail`, { timeout: 240_000 }, async (t) => {
    const random = seeded()
    const site = await startProcessSite(t, { settings: { 'grace-seconds': 0.5 } })
    const coming = Array.from({ length: stories }, (_, n) => newPerson(t, site, `walker-${n}`, random))
    const people = await Promise.all(coming)
    const told = Promise.all(people.map((person) => tellStory(person, random)))
    await sleep(1_000 + random() * 3_000)
    await site.kill()
    await site.start()
    await told
    for (const person of people) await person.settles()
    const incidents = incidentsIn(site)
    for (const person of people) judge(person, incidents.get(person.name) ?? [])
    const presses = people.reduce((sum, person) => sum + person.presses.length, 0)
    const [devices, ends] = [people.flatMap((one) => one.phones), people.flatMap(({ shownEnds }) => shownEnds)]
    const opened = [...incidents.values()].flat().length
    t.diagnostic(
      `${presses} presses, ${devices.length} phones, ${ends.length} ends at the sight of an incident, ${opened} incidents`,
    )
    assert.ok(presses >= stories)
  })
})
