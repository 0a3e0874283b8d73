import { describeMachine } from '../../bench/machine.ts'
import { whenOver } from '../attacks/raw-http.ts'
import { attackPart } from '../attacks/under-attack.ts'

/** The control: how long B's SOS takes while nothing else happens. */
export const quiet = attackPart({
  name: 'quiet',
  what: 'nothing at all: what the others are to be compared with',
  async run({ site, over }) {
    const { cores, loadAverage, syncMs } = describeMachine(site.dataDir)
    await whenOver(over)
    return `${cores} cores, load average ${loadAverage.toFixed(1)}, 4 KiB written and synced in ${syncMs.p50.toFixed(2)} ms (p50)`
  },
})
