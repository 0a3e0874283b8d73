import { setTimeout as sleep } from 'node:timers/promises'
import { startProcessSite } from '../../test/harness/process-site.ts'
import { seeded } from '../../test/harness/random.ts'
import { incidentsIn, judge, newPerson, tellStory } from '../../test/scenarios/sdk-stories.ts'
import { COMMON } from '../environment.ts'
import type { Part } from '../part.ts'
import { rowOf, unmet } from '../row.ts'

/** Phones at once: each has two connections or more. */
const AT_ONCE = 50

/** People press on phones with the SDK, while networks lose what they carry and apps and the service are killed. */
export const sdkStories: Part = {
  name: 'sdk-stories',
  what: 'people with one or two phones and a tracker press and cancel with the SDK; networks lose answers, apps are killed, clocks are set, and the service is killed in each round',
  async run(ground, { stories }) {
    const site = await startProcessSite(ground, { env: COMMON, settings: { 'grace-seconds': 0.5 } })
    const random = seeded()
    let [presses, told] = [0, 0]
    const wrong: string[] = []
    while (told < stories) {
      const count = Math.min(AT_ONCE, stories - told)
      const first = told
      told += count
      const coming = Array.from({ length: count }, (_, n) => newPerson(ground, site, `walker-${first + n}`, random))
      const people = await Promise.all(coming)
      const telling = Promise.all(people.map((person) => tellStory(person, random)))
      await sleep(1_000 + random() * 5_000)
      await site.kill()
      await site.start()
      await telling
      for (const person of people) await person.settles()
      const incidents = incidentsIn(site)
      for (const person of people) {
        presses += person.presses.length
        try {
          judge(person, incidents.get(person.name) ?? [])
        } catch (error) {
          wrong.push((error as Error).message)
        }
      }
    }
    return [
      rowOf({
        part: sdkStories.name,
        what: sdkStories.what,
        acknowledged: presses,
        lost: wrong.length,
        remark: `${told} stories${wrong.map((one) => `; ${one}`).join('')}`,
        faults: unmet({
          'each press that was kept became one alarm, and each state shown was true': wrong.length === 0,
        }),
      }),
    ]
  },
}
