import type { Identity } from '../../bench/load/frames.ts'
import { bringLoad } from '../../bench/load/load.ts'
import type { ProcessSite } from '../../test/harness/process-site.ts'
import { identityOf } from '../sos/phone.ts'

const ENDLESS_MS = 3_600_000

/** Telemetry of as many users as `connections`, each with `inFlight` rows in flight all the time. */
export function saturation({ connections, inFlight }: { readonly connections: number; readonly inFlight: number }) {
  let identities: readonly Identity[] = []
  return {
    async prepare({ site }: { readonly site: ProcessSite }): Promise<void> {
      const users = await Promise.all(Array.from({ length: connections }, (_, n) => site.user(`a-${n}`)))
      identities = users.map((user) => identityOf(user))
    },
    begin(site: ProcessSite) {
      const port = Number(new URL(site.mqtt).port)
      return bringLoad({ kind: 'saturate', port, identities, inFlight, warmUpMs: 0, measureMs: ENDLESS_MS })
    },
  }
}
