import type { OperatorParts } from '../adapters/inbound/http/operator/parts.ts'
import { createPasswords } from '../adapters/platform/system/passwords.ts'
import { operatorCallers } from '../app/operator/callers.ts'
import { firstSignIn } from '../app/operator/first-sign-in.ts'
import { operatorIncidents } from '../app/operator/incidents.ts'
import { lookNotes } from '../app/operator/looks.ts'
import { signingIn } from '../app/operator/sign-in.ts'
import type { Config } from '../config.ts'
import { networkOf } from '../lib/network-of.ts'
import type { Addresses } from './addresses.ts'
import type { Basis } from './storage.ts'

/** What is behind the operator API. */
export function operatorParts(
  config: Config,
  basis: Basis,
  addresses: Pick<Addresses, 'publicUrl'>,
  estate: OperatorParts['estate'],
): OperatorParts {
  const passwords = createPasswords()
  const siteName = config.publicUrl === null ? 'Tocsin' : new URL(config.publicUrl).hostname
  const parts = { ...basis, passwords, networkOf, site: siteName, monotonicMs: () => performance.now() }
  return {
    callers: operatorCallers(parts),
    signIn: signingIn(parts),
    firstSignIn: firstSignIn(parts),
    estate,
    incidents: operatorIncidents({ ...basis, noteLook: lookNotes(basis) }),
    publicUrl: addresses.publicUrl,
    siteName,
    node: config.node.id,
  }
}
